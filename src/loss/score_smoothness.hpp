/// Lipschitz constants of losses of scores that are linear in x.
#pragma once

#include "proxstream/loss/row_family.hpp"

#include <optional>
#include <vector>

namespace proxstream {

/// Rows whose loss has a second derivative in its scores of norm at most `curvature` times its scale squared.
struct ScoredRows {
    const RowBlock& rows;
    Index features;
    bool intercept;
    Real curvature;
    std::vector<Real> scales;  // one for each row
};

/// `curvature` times the largest eigenvalue of the rows' mean outer product (the intercept's 1 included),
/// or times their mean squared norm where there are very many.
Real smoothness(const ScoredRows& scored);
Real mean_square_smoothness(ScoredRows scored);
/// Tight to a factor of 1.12 for any number of rows, see data_curvature.hpp; nullopt if it overflows.
std::optional<DataSmoothness> data_smoothness(ScoredRows scored);

}  // namespace proxstream
