/// Scales each row to length 1. A row of zeros stays as it is.
#pragma once

#include "run/wrapped_reader.hpp"

namespace proxstream {

class NormalisedReader final : public WrappedReader {
  public:
    explicit NormalisedReader(std::unique_ptr<RowReader> inner)
        : WrappedReader(std::move(inner)), row_(sparse()) {}

    bool read_row(RowBlock& block) override;
    std::vector<std::string> notes() const override;

  private:
    RowBlock row_;
    std::vector<Real> scaled_;
};

}  // namespace proxstream
