/// The inner loops of linear passes over dense rows, four at a time, and over sparse ones. Rows in single
/// precision are added up in double: the same bits as the same numbers stored in double. Only for stand-ins,
/// whose errors an exact pass finds out, they are added up in single precision too.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/row_block.hpp"

#include <span>
#include <type_traits>

namespace proxstream::kernels {

inline constexpr Index kRows = 4;

/// What a block of rows fetches for those that come.
struct Fetch {
    enum class From { nowhere, cache, memory };
    From from = From::nowhere;
    Index ahead = 0;  // in numbers, whole blocks
};

/// For a pass over rows `stride` apart that reads so many numbers in all.
template <class Number>
Fetch fetch_plan(Index stride, Index numbers) {
    constexpr Index kInOne = std::is_same_v<Number, float> ? 2 : 1;  // numbers in the place of a Real
    constexpr Index kAtHand = kInOne << 12U;  // the nearest cache has them, or a little more
    constexpr Index kNear = kInOne << 17U;    // the second one has
    constexpr Index kCached = kInOne << 20U;  // some cache has
    // Rows of which the nearest cache holds two blocks with all that belongs to them; nearly so.
    constexpr Index kShort = kInOne * 384;
    constexpr Index kNearlyShort = kInOne * 512;
    constexpr Index kLate = 4096;  // numbers that pass by while one line is on its way, with room to spare
    const Index block = kRows * stride;
    if (numbers <= kAtHand || block == 0) return {};
    if (numbers > kCached) return {Fetch::From::memory, (kLate + block - 1) / block * block};
    return stride <= (numbers <= kNear ? kShort : kNearlyShort) ? Fetch{Fetch::From::cache, block} : Fetch{};
}

/// scores[i] = rows[i] . x; the same bits as dot(). `alone`: without add_rows() to follow, which fetches its
/// share.
void dot_rows(const Real* const* rows, const Real* x, Index n, Fetch fetch, bool alone, Real* scores);
void dot_rows(const float* const* rows, const Real* x, Index n, Fetch fetch, bool alone, Real* scores);
void dot_rows(const float* const* rows, const float* x, Index n, Fetch fetch, bool alone, float* scores);
/// gradient += sum_i slopes[i] rows[i]; the same bits as axpy() row after row.
void add_rows(const Real* slopes, const Real* const* rows, Index n, Fetch fetch, Real* gradient);
void add_rows(const Real* slopes, const float* const* rows, Index n, Fetch fetch, Real* gradient);
void add_rows(const float* slopes, const float* const* rows, Index n, Fetch fetch, float* gradient);

/// For rows that come from memory, one after the other: returns row . x and does gradient += slope * before
/// on the way, so that requests for what lies `ahead` never pause. The same bits as dot() and axpy().
Real dot_and_add(const Real* row, const Real* x, Index n, Index ahead, Real slope, const Real* before,
                 Real* gradient);

/// One row: dot() and axpy(), whatever it is stored in.
Real dot_row(const Real* row, ConstView x);
Real dot_row(const float* row, ConstView x);
void add_row(Real slope, const Real* row, View gradient);
void add_row(Real slope, const float* row, View gradient);

Real dot_sparse(std::span<const FeatureIndex> indices, ConstView values, ConstView x);
void add_sparse(Real slope, std::span<const FeatureIndex> indices, ConstView values, View gradient);

}  // namespace proxstream::kernels
