/// Bounds on the curvature of linear models: for the rows of a record, and for a data set of any size.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include <span>

namespace proxstream {

/// The largest eigenvalue of mean_i scales_i^2 b_i b_i', where b_i is row i, with a 1 appended for an
/// intercept. For many rows it returns a bound, their mean squared length.
Real largest_curvature(const RowBlock& record, bool intercept, std::span<const Real> scales);

/// b_i is row i, with a 1 appended for an intercept, and s_i its scale.
struct DataCurvature {
    Real mean = 0;         // >= the largest eigenvalue of mean_i s_i b_i b_i'
    Real mean_square = 0;  // >= that of mean_i s_i^2 |b_i|^2 b_i b_i'; largest * mean, where rows are alike
    Real largest = 0;      // max_i s_i |b_i|^2
    bool exact = false;    // `mean` is the eigenvalue itself, up to rounding; else see kOverstated, kFailure
};

/// With many columns, Lanczos' iteration bounds the eigenvalues. A bound exceeds its eigenvalue by at most
/// the factor kOverstated. It is below it with probability kFailure over the random start (van Dorsselaer,
/// Hochstenbach and van der Vorst 2001). It never exceeds the trace, nor largest * mean.
inline constexpr Real kOverstated = 1 / 0.9;
inline constexpr Real kFailure = 1e-9;

/// `scales` has a number >= 0 for each row. The number of threads does not change a bit. Reads the rows 10 to
/// 60 times.
DataCurvature data_curvature(const RowBlock& rows, Index features, bool intercept, ConstView scales);

}  // namespace proxstream
