/// The inner loops of linear passes over dense rows, four at a time, and over sparse ones. Rows in single
/// precision are added up in double: the same bits as the same numbers stored in double.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/row_block.hpp"

#include <span>

namespace proxstream::kernels {

inline constexpr Index kRows = 4;

/// How far ahead of a block of rows to fetch, in whole blocks, where a pass over rows `stride` apart reads so
/// many numbers in all; 0: nothing, the cache has them.
inline Index fetch_distance(Index stride, Index numbers) {
    constexpr Index kCached = Index{1} << 17;
    constexpr Index kLate = 4096;  // numbers that pass by while one line is on its way, with room to spare
    const Index block = kRows * stride;
    if (numbers <= kCached || block == 0) return 0;
    return (kLate + block - 1) / block * block;
}

/// scores[i] = rows[i] . x; the same bits as dot(). What lies `ahead` of the rows, unless that is 0, is
/// fetched meanwhile: half of it, or all if `alone`, without add_rows() to follow.
void dot_rows(const Real* const* rows, const Real* x, Index n, Index ahead, bool alone, Real* scores);
void dot_rows(const float* const* rows, const Real* x, Index n, Index ahead, bool alone, Real* scores);
/// gradient += sum_i slopes[i] rows[i]; the same bits as axpy() row after row.
void add_rows(const Real* slopes, const Real* const* rows, Index n, Index ahead, Real* gradient);
void add_rows(const Real* slopes, const float* const* rows, Index n, Index ahead, Real* gradient);

/// One row: dot() and axpy(), whatever it is stored in.
Real dot_row(const Real* row, ConstView x);
Real dot_row(const float* row, ConstView x);
void add_row(Real slope, const Real* row, View gradient);
void add_row(Real slope, const float* row, View gradient);

Real dot_sparse(std::span<const FeatureIndex> indices, ConstView values, ConstView x);
void add_sparse(Real slope, std::span<const FeatureIndex> indices, ConstView values, View gradient);

}  // namespace proxstream::kernels
