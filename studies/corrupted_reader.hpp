/// Adds gross errors to labels, for tests of robustness. With a given probability, a label moves by a
/// multiple of the standard deviation of the clean labels before it. The errors depend only on the seed and
/// the row number.
#pragma once

#include "run/row_settings.hpp"
#include "run/wrapped_reader.hpp"

namespace proxstream {

struct CorruptOptions {
    Real share = 0;   // of the labels, in [0, 1]
    Real scale = 10;  // standard deviations
    std::uint64_t seed = 0;
};

class CorruptedReader final : public WrappedReader {
  public:
    CorruptedReader(std::unique_ptr<RowReader> inner, const CorruptOptions& options)
        : WrappedReader(std::move(inner)), options_(options) {}

    bool read_row(RowBlock& block) override;
    std::vector<std::string> notes() const override;
    void serialise(StateArchive& archive) override;

  private:
    Real error(Real deviation) const;

    CorruptOptions options_;
    std::uint64_t rows_ = 0;
    Real mean_ = 0;
    Real m2_ = 0;  // sum of squared deviations from the mean
};

/// For RowSettings::wrap_rows.
WrapRows corrupt_labels(const CorruptOptions& options);

}  // namespace proxstream
