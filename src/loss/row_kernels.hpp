/// The inner loops of linear passes over blocks of dense rows, four at a time, and over sparse ones. Rows in
/// single precision are added up in double: the same bits as the same numbers stored in double. Only reduced
/// copies, whose errors an exact pass finds, are added up in single precision too.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/row_block.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

namespace proxstream::kernels {

inline constexpr Index kRows = 4;       // read side by side
inline constexpr Index kMostRows = 32;  // of a block

/// How a pass reads its rows. A block of them is scored, then added to the gradient while it is in the
/// nearest cache. Meanwhile the rows of later blocks are prefetched.
struct BlockPlan {
    enum class From { nowhere, cache, memory };
    Index rows = kRows;
    From from = From::nowhere;
    bool half = false;  // prefetches only half a block: the cache has no room for two
    Index ahead = 0;    // distance of prefetches, in numbers
    /// Adds each row while the next one arrives from memory. This pays if the nearest cache holds two rows,
    /// and neither the widening of single precision nor calls for very short rows keep the processor busy.
    bool streams = false;
    bool keeps = false;  // adds a copy of the row, which pays for long rows
};

/// For a pass over rows `stride` apart that reads so many numbers in all.
template <class Number>
BlockPlan plan_blocks(Index stride, Index numbers) {
    constexpr Index kInOne = std::is_same_v<Number, float> ? 2 : 1;  // numbers in the place of a Real
    constexpr Index kAtHand = kInOne << 12U;                         // about the size of the nearest cache
    constexpr Index kNear = kInOne << 17U;                           // of the second cache
    constexpr Index kCached = kInOne << 20U;                         // of the last cache
    // Lengths of rows of which the nearest cache holds two blocks, nearly two, and one and a half.
    constexpr Index kShort = kInOne * 384;
    constexpr Index kNearlyShort = kInOne * 512;
    constexpr Index kHalfShort = kInOne * 640;
    constexpr Index kFew = 16;
    constexpr Index kWorthKeeping = 128;
    constexpr Index kTwoAtHand = 1024;
    constexpr Index kLate = 4096;  // more numbers than are read while one line arrives
    if (stride == 0) return {};
    const Index rows = std::clamp(kRows * kShort / stride / kRows * kRows, kRows, kMostRows);
    if (numbers <= kAtHand) return {.rows = rows};
    if (numbers > kCached) {
        const Index group = kRows * stride;
        return {.rows = rows,
                .from = BlockPlan::From::memory,
                .ahead = (kLate + group - 1) / group * group,
                .streams = stride > kFew && stride <= kTwoAtHand,
                .keeps = stride >= kWorthKeeping};
    }
    if (stride > kHalfShort) return {.rows = rows};
    return {.rows = rows,
            .from = BlockPlan::From::cache,
            .half = stride > (numbers <= kNear ? kShort : kNearlyShort),
            .ahead = rows * stride};
}

/// scores[i] = rows[i] . x; the same bits as dot(). `alone`: no add_rows() follows, which would prefetch
/// half.
void dot_rows(std::span<const Real* const> rows, ConstView x, const BlockPlan& plan, bool alone,
              Real* scores);
void dot_rows(std::span<const float* const> rows, ConstView x, const BlockPlan& plan, bool alone,
              Real* scores);
void dot_rows(std::span<const float* const> rows, std::span<const float> x, const BlockPlan& plan, bool alone,
              float* scores);
/// gradient += sum_i slopes[i] rows[i]; the same bits as axpy() row after row. `alone`: no dot_rows()
/// came before, which would have prefetched half.
void add_rows(const Real* slopes, std::span<const Real* const> rows, const BlockPlan& plan, bool alone,
              View gradient);
void add_rows(const Real* slopes, std::span<const float* const> rows, const BlockPlan& plan, bool alone,
              View gradient);
void add_rows(const float* slopes, std::span<const float* const> rows, const BlockPlan& plan, bool alone,
              std::span<float> gradient);

/// Returns row . x and adds slope * before to the gradient meanwhile, so that reads from memory never pause.
/// The same bits as dot() and axpy().
Real dot_and_add(const Real* row, ConstView x, Real slope, const Real* before, View gradient);
/// The same, and keeps a copy of the row, which may take the place of `before`.
Real dot_add_and_keep(const Real* row, ConstView x, Real slope, const Real* before, Real* kept,
                      View gradient);

/// dot() and axpy() for one row in either precision.
Real dot_row(const Real* row, ConstView x);
Real dot_row(const float* row, ConstView x);
void add_row(Real slope, const Real* row, View gradient);
void add_row(Real slope, const float* row, View gradient);

Real dot_sparse(std::span<const FeatureIndex> indices, ConstView values, ConstView x);
void add_sparse(Real slope, std::span<const FeatureIndex> indices, ConstView values, View gradient);

/// A coordinate beside its sum, so that a sparse row touches one cache line for both.
struct Paired {
    Real x = 0;
    Real sum = 0;
};
/// The same bits as the two above. `coming`: the indices of the rows that follow this one.
Real dot_paired(std::span<const FeatureIndex> indices, ConstView values, std::span<const FeatureIndex> coming,
                std::span<const Paired> pairs);
void add_paired(Real slope, std::span<const FeatureIndex> indices, ConstView values, std::span<Paired> pairs);

}  // namespace proxstream::kernels
