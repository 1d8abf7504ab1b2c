/// Refuses rows with numbers that are too large to be scaled, as bad rows; the error names their place.
#pragma once

#include "run/feature_scale.hpp"
#include "run/label_scale.hpp"
#include "run/wrapped_reader.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace proxstream {

class CheckedReader final : public WrappedReader {
  public:
    /// `features`, `label`: what will be standardised.
    CheckedReader(std::unique_ptr<RowReader> rows, bool features, bool label)
        : WrappedReader(std::move(rows)), label_(label) {
        if (features) scale_.emplace(inner());
    }

    bool read_row(RowBlock& block) override {
        if (!inner().read_row(block)) return false;
        const Index last = block.rows() - 1;
        try {
            if (scale_) scale_->check(block, last, inner());
            if (label_ && !std::isnan(block.target(last))) LabelScale::check(block, last, inner());
        } catch (const DataError&) {
            block.remove_last();
            throw;
        }
        return true;
    }

  private:
    std::optional<FeatureScale> scale_;
    bool label_;
};

}  // namespace proxstream
