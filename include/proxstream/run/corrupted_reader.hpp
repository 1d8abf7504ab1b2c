/// Gross errors put into the labels on purpose, to see what a method makes of them: each label is moved, with
/// a given probability, by a multiple of the standard deviation that the clean labels before it had. Which
/// labels and which way depends on the seed and on the number of the row alone.
#pragma once

#include "proxstream/run/row_reader.hpp"

namespace proxstream {

struct CorruptOptions {
    Real share = 0;   // of the labels, in [0, 1]
    Real scale = 10;  // standard deviations
    std::uint64_t seed = 0;
};

class CorruptedReader final : public RowReader {
  public:
    CorruptedReader(std::unique_ptr<RowReader> inner, const CorruptOptions& options)
        : inner_(std::move(inner)), options_(options) {}

    bool read_row(RowBlock& block) override;
    Index features() const override { return inner_->features(); }
    bool sparse() const override { return inner_->sparse(); }
    const std::vector<std::string>& feature_names() const override { return inner_->feature_names(); }
    std::string label_name() const override { return inner_->label_name(); }
    const std::string& source() const override { return inner_->source(); }
    std::uint64_t line() const override { return inner_->line(); }
    std::vector<std::string> notes() const override;

  private:
    Real error(Real deviation) const;

    std::unique_ptr<RowReader> inner_;
    CorruptOptions options_;
    std::uint64_t rows_ = 0;
    Real mean_ = 0;
    Real m2_ = 0;  // sum of squared deviations from the mean
};

}  // namespace proxstream
