/// How curved rows are together: those of a record, and those of a data set of any size.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include <span>

namespace proxstream {

/// The largest eigenvalue of mean_i scales_i^2 b_i b_i', b_i being row i with a 1 behind it if there is an
/// intercept. For many rows it is a bound, their mean squared length.
Real largest_curvature(const RowBlock& record, bool intercept, std::span<const Real> scales);

/// With b_i row i, a 1 behind it if there is an intercept, and s_i its scale.
struct DataCurvature {
    Real mean = 0;         // >= the largest eigenvalue of mean_i s_i b_i b_i'
    Real mean_square = 0;  // >= that of mean_i s_i^2 |b_i|^2 b_i b_i'; largest * mean, where rows are alike
    Real largest = 0;      // max_i s_i |b_i|^2
    bool exact = false;    // `mean` is the eigenvalue itself, up to rounding; else see kOverstated, kFailure
};

/// Where there are too many columns for eigenvalues the bounds are at most so many times them, but for a
/// probability of kFailure over the random start of Lanczos' iteration that a bound is none: van Dorsselaer,
/// Hochstenbach and van der Vorst (2001). Never above what is sure: the trace, and largest * mean.
inline constexpr Real kOverstated = 1 / 0.9;
inline constexpr Real kFailure = 1e-9;

/// `scales` are not negative, one a row. The same bits for any number of threads. Reads the rows 10 to
/// 60 times.
DataCurvature data_curvature(const RowBlock& rows, Index features, bool intercept, ConstView scales);

}  // namespace proxstream
