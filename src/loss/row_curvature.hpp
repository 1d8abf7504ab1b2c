/// How curved the rows of a record are together: the largest eigenvalue of the mean of their outer products.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include <span>

namespace proxstream {

/// The largest eigenvalue of mean_i scales_i^2 b_i b_i', b_i being row i with a 1 behind it if there is an
/// intercept; at least that much where the rows are too many to work it out (their mean squared length).
Real largest_curvature(const RowBlock& record, bool intercept, std::span<const Real> scales);

}  // namespace proxstream
