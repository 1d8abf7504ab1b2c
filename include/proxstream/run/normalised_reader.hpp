/// Rows scaled to length 1, each by itself; a row of zeros stays one.
#pragma once

#include "proxstream/run/row_reader.hpp"

namespace proxstream {

class NormalisedReader final : public RowReader {
  public:
    explicit NormalisedReader(std::unique_ptr<RowReader> inner)
        : inner_(std::move(inner)), row_(inner_->sparse()) {}

    bool read_row(RowBlock& block) override;
    Index features() const override { return inner_->features(); }
    bool sparse() const override { return inner_->sparse(); }
    const std::vector<std::string>& feature_names() const override { return inner_->feature_names(); }
    std::string label_name() const override { return inner_->label_name(); }
    const std::string& source() const override { return inner_->source(); }
    std::uint64_t line() const override { return inner_->line(); }
    std::vector<std::string> notes() const override;

  private:
    std::unique_ptr<RowReader> inner_;
    RowBlock row_;
    std::vector<Real> scaled_;
};

}  // namespace proxstream
