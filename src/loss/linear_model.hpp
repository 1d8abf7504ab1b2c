/// The losses of linear models as their learners see them: phi(a.x + b; y), averaged over a record's rows.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/row_block.hpp"
#include "proxstream/loss/row_family.hpp"

#include "loss/scalar_loss.hpp"

#include <optional>

namespace proxstream {

struct LinearModel {
    ScalarLoss loss;
    Index features = 0;
    bool intercept = false;  // the last coordinate of x, whose value is 1 in every row

    Index dimension() const { return features + (intercept ? 1 : 0); }
    /// Writes the row with its intercept, dense.
    void write_row(const RowBlock& record, Index row, View out) const;
};

/// nullopt if a row's loss is not a function of one score a.x + b.
std::optional<LinearModel> linear_model(const RowFamily& family);
/// Whether rows have scores that are linear in x, so that a mean of models is a model.
bool has_linear_scores(const RowFamily& family);

}  // namespace proxstream
