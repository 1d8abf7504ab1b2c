/// The inner loops of linear passes over dense rows, four at a time, and over sparse ones.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/row_block.hpp"

#include <span>

namespace proxstream::kernels {

inline constexpr Index kRows = 4;

/// scores[i] = rows[i] . x; the same bits as dot().
void dot_rows(const Real* const* rows, const Real* x, Index n, Real* scores);
/// gradient += sum_i slopes[i] rows[i]; the same bits as axpy() row after row.
void add_rows(const Real* slopes, const Real* const* rows, Index n, Real* gradient);

Real dot_sparse(std::span<const FeatureIndex> indices, ConstView values, ConstView x);
void add_sparse(Real slope, std::span<const FeatureIndex> indices, ConstView values, View gradient);

}  // namespace proxstream::kernels
