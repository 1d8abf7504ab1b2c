/// Gross errors put into the labels on purpose, to see what a method makes of them: each label is moved, with
/// a given probability, by a multiple of the standard deviation that the clean labels before it had. Which
/// labels and which way depends on the seed and on the number of the row alone.
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
