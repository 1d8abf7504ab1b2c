#include "loss/row_kernels.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/simd.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace proxstream::kernels {
namespace {

// Values of several numbers each. In loops over arrays, the compiler interleaves the lanes of neighbouring
// steps with shuffles that cost more than the sums.

inline constexpr Index kSingleLanes = 2 * kLanes;
using SingleLanes [[gnu::vector_size(kSingleLanes * sizeof(float))]] = float;

/// As many lanes as one register of 512 bits has, of what is added up.
template <class Sum>
struct LanesOf;
template <>
struct LanesOf<Real> {
    using Type = Lanes;
    static constexpr Index kCount = kLanes;
};
template <>
struct LanesOf<float> {
    using Type = SingleLanes;
    static constexpr Index kCount = kSingleLanes;
};

template <class Number, class Values>
requires(sizeof(Values) == sizeof(Number) * LanesOf<Number>::kCount)
    [[gnu::always_inline]] inline void load(const Number* from, Values& to) {
    std::memcpy(&to, from, sizeof(to));
}
[[gnu::always_inline]] inline void load(const float* from, Lanes& to) {
    Real wide[kLanes];
    for (Index k = 0; k < kLanes; ++k) wide[k] = static_cast<Real>(from[k]);
    std::memcpy(&to, wide, sizeof(to));
}

/// Calls use(constant) with the number of lanes that the end of a row fills, unless that is 0. `use` must be
/// inlined, or it would not be compiled for the caller's instruction set.
template <class Use>
[[gnu::always_inline]] inline void with_rest(Index rest, Use use) {
    switch (rest) {
        case 7:
            return use(std::integral_constant<Index, 7>());
        case 6:
            return use(std::integral_constant<Index, 6>());
        case 5:
            return use(std::integral_constant<Index, 5>());
        case 4:
            return use(std::integral_constant<Index, 4>());
        case 3:
            return use(std::integral_constant<Index, 3>());
        case 2:
            return use(std::integral_constant<Index, 2>());
        case 1:
            return use(std::integral_constant<Index, 1>());
        default:
            return;
    }
}
/// Loads the first lanes. The zeros in the others do not change sums.
template <Index kRest, class Number>
[[gnu::always_inline]] inline void load_rest(const Number* from, Lanes& to) {
    const auto lane = [from](Index k) { return k < kRest ? static_cast<Real>(from[k]) : 0; };
    to = Lanes{lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), 0};
}

/// Adds in a fixed tree, which does not depend on the registers.
[[gnu::always_inline]] inline float add_lanes(const SingleLanes& lanes) {
    using Half [[gnu::vector_size(kLanes * sizeof(float))]] = float;
    using Quarter [[gnu::vector_size(kLanes / 2 * sizeof(float))]] = float;
    const Half half = __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3, 4, 5, 6, 7) +
                      __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15);
    const Quarter quarter =
        __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}
using proxstream::add_lanes;

using Four [[gnu::vector_size(kRows * sizeof(Real))]] = Real;

/// Adds halves of the sums of two rows, then halves of these.
[[gnu::always_inline]] inline void add_halves(const Lanes& a, const Lanes& b, Four& to) {
    const Four first = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
    const Four second = __builtin_shufflevector(b, b, 0, 1, 2, 3) + __builtin_shufflevector(b, b, 4, 5, 6, 7);
    to = __builtin_shufflevector(first, second, 0, 1, 4, 5) +
         __builtin_shufflevector(first, second, 2, 3, 6, 7);
}
/// add_lanes() of each sum, by the same tree, with fewer instructions in all.
[[gnu::always_inline]] inline void add_lanes_of(const Lanes (&sums)[kRows], Real* to) {
    Four first;
    Four second;
    add_halves(sums[0], sums[1], first);
    add_halves(sums[2], sums[3], second);
    const Four scores = __builtin_shufflevector(first, second, 0, 2, 4, 6) +
                        __builtin_shufflevector(first, second, 1, 3, 5, 7);
    std::memcpy(to, &scores, sizeof(scores));
}
[[gnu::always_inline]] inline void add_lanes_of(const SingleLanes (&sums)[kRows], float* to) {
    for (Index row = 0; row < kRows; ++row) to[row] = add_lanes(sums[row]);
}
template <class Values, class Sum>
[[gnu::always_inline]] inline void add_lanes_of(const Values (&sums)[1], Sum* to) {
    *to = add_lanes(sums[0]);
}

/// Reads nothing, so addresses beyond the end of the rows do no harm.
template <int kLocality>
[[gnu::always_inline]] inline void prefetch(const void* from) {
    __builtin_prefetch(from, 0, kLocality);
}
constexpr int kNearest = 3,
              kSecond = 2;  // caches: the nearest one has room for two blocks of short rows only

/// If rows come from memory, each of the two loops over four rows prefetches half of the next ones. Otherwise
/// loads would pause at page ends and during the second loop. If rows come from a cache, only the second loop
/// prefetches.
constexpr Index kHalf = kRows / 2;

/// Prefetches `ahead` of the first kAsked rows.
template <Index kCount, Index kAsked, class Number, class Sum>
[[gnu::always_inline]] inline void dot_group(const Number* const* rows, const Sum* x, Index n, Index ahead,
                                             Sum* scores) {
    using Values = typename LanesOf<Sum>::Type;
    constexpr Index kWide = LanesOf<Sum>::kCount;
    Values sums[kCount] = {};
    const Index whole = n - n % kWide;
    for (Index i = 0; i < whole; i += kWide) {
        Values point;
        load(x + i, point);
        for (Index row = 0; row < kCount; ++row) {
            if (row < kAsked) prefetch<kSecond>(rows[row] + i + ahead);
            Values values;
            load(rows[row] + i, values);
            sums[row] += values * point;
        }
    }
    if constexpr (std::is_same_v<Sum, Real>) {  // reduced copies store whole lines
        for (Index row = 0; row < kCount && whole < n; ++row) {
            if (row < kAsked) prefetch<kSecond>(rows[row] + whole + ahead);
        }
        with_rest(
            n - whole, [&](auto rest) __attribute__((always_inline)) {
                Values point;
                load_rest<rest>(x + whole, point);
                for (Index row = 0; row < kCount; ++row) {
                    Values values;
                    load_rest<rest>(rows[row] + whole, values);
                    sums[row] += values * point;
                }
            });
    }
    add_lanes_of(sums, scores);
}

template <Index kAsked, class Number, class Sum>
[[gnu::always_inline]] inline void dot_block(std::span<const Number* const> rows, std::span<const Sum> x,
                                             Index ahead, Sum* scores) {
    Index row = 0;
    for (; row + kRows <= rows.size(); row += kRows) {
        dot_group<kRows, kAsked>(rows.data() + row, x.data(), x.size(), ahead, scores + row);
    }
    for (; row < rows.size(); ++row) {
        dot_group<1, 0>(rows.data() + row, x.data(), x.size(), 0, scores + row);
    }
}

template <class Number, class Sum>
[[gnu::always_inline]] inline void dot_either(std::span<const Number* const> rows, std::span<const Sum> x,
                                              const BlockPlan& plan, bool alone, Sum* scores) {
    if (plan.from == BlockPlan::From::memory && alone) {
        dot_block<kRows>(rows, x, plan.ahead, scores);
    } else if (plan.from == BlockPlan::From::memory) {
        dot_block<kHalf>(rows, x, plan.ahead, scores);
    } else {
        dot_block<0>(rows, x, 0, scores);
    }
}

/// Prefetches `ahead` of the rows from kFirst on.
template <Index kCount, Index kFirst, int kLocality, class Number, class Sum>
[[gnu::always_inline]] inline void add_group(const Sum* from_slopes, const Number* const* from_rows, Index n,
                                             Index ahead, Sum* gradient) {
    using Values = typename LanesOf<Sum>::Type;
    constexpr Index kWide = LanesOf<Sum>::kCount;
    // Copied to registers, because the compiler cannot know that the gradient does not overlap them.
    Sum slopes[kCount];
    const Number* rows[kCount];
    std::copy_n(from_slopes, kCount, slopes);
    std::copy_n(from_rows, kCount, rows);
    const Index whole = n - n % kWide;
    for (Index i = 0; i < whole; i += kWide) {
        Values sum;
        load(gradient + i, sum);
        for (Index row = 0; row < kCount; ++row) {
            if (row >= kFirst) prefetch<kLocality>(rows[row] + i + ahead);
            Values values;
            load(rows[row] + i, values);
            sum += slopes[row] * values;
        }
        std::memcpy(gradient + i, &sum, sizeof(sum));
    }
    if constexpr (std::is_same_v<Sum, Real>) {  // reduced copies store whole lines
        with_rest(
            n - whole, [&](auto rest) __attribute__((always_inline)) {
                for (Index row = kFirst; row < kCount; ++row) prefetch<kLocality>(rows[row] + whole + ahead);
                for (Index k = whole; k < whole + rest; ++k) {
                    Real sum = gradient[k];
                    for (Index row = 0; row < kCount; ++row)
                        sum += slopes[row] * static_cast<Real>(rows[row][k]);
                    gradient[k] = sum;
                }
            });
    }
}

template <Index kFirst, int kLocality, class Number, class Sum>
[[gnu::always_inline]] inline void add_block(const Sum* slopes, std::span<const Number* const> rows,
                                             Index ahead, std::span<Sum> gradient) {
    Index row = 0;
    for (; row + kRows <= rows.size(); row += kRows) {
        add_group<kRows, kFirst, kLocality>(slopes + row, rows.data() + row, gradient.size(), ahead,
                                            gradient.data());
    }
    for (; row < rows.size(); ++row) {
        add_group<1, 1, kLocality>(slopes + row, rows.data() + row, gradient.size(), 0, gradient.data());
    }
}

template <class Number, class Sum>
[[gnu::always_inline]] inline void add_either(const Sum* slopes, std::span<const Number* const> rows,
                                              const BlockPlan& plan, bool alone, std::span<Sum> gradient) {
    switch (plan.from) {
        case BlockPlan::From::memory:
            if (alone) {
                add_block<0, kSecond>(slopes, rows, plan.ahead, gradient);
            } else {
                add_block<kHalf, kSecond>(slopes, rows, plan.ahead, gradient);
            }
            break;
        case BlockPlan::From::cache:
            if (plan.half) {
                add_block<kHalf, kNearest>(slopes, rows, plan.ahead, gradient);
            } else {
                add_block<0, kNearest>(slopes, rows, plan.ahead, gradient);
            }
            break;
        case BlockPlan::From::nowhere:
            add_block<kRows, kNearest>(slopes, rows, 0, gradient);
            break;
    }
}

/// Prefetch distances, by timings. The processor stops its own prefetches if rows are read a second time,
/// even from the nearest cache. Longer distances than kAheadOfTwice then wait for the same few line buffers.
/// Rows that are kept in a copy are read once: the processor prefetches the near ones, and kAheadOfOnce the
/// far ones.
constexpr Index kAheadOfTwice = 1024;
constexpr Index kAheadOfOnce = 1280;

template <bool kKeeps>
[[gnu::always_inline]] inline Real dot_and_add_either(const Real* row, ConstView x, Real slope,
                                                      const Real* before, Real* kept, View gradient) {
    constexpr Index kAhead = kKeeps ? kAheadOfOnce : kAheadOfTwice;
    Lanes score = {};
    const Index n = x.size();
    const Index whole = n - n % kLanes;
    const Real* const point = x.data();
    Real* const sums = gradient.data();
    for (Index i = 0; i < whole; i += kLanes) {
        prefetch<kSecond>(row + i + kAhead);
        Lanes weights;
        Lanes values;
        Lanes sum;
        Lanes past;
        load(point + i, weights);
        load(row + i, values);
        load(sums + i, sum);
        load(before + i, past);
        score += values * weights;
        sum += slope * past;
        if constexpr (kKeeps) std::memcpy(kept + i, &values, sizeof(values));
        std::memcpy(sums + i, &sum, sizeof(sum));
    }
    with_rest(
        n - whole, [&](auto rest) __attribute__((always_inline)) {
            prefetch<kSecond>(row + whole + kAhead);
            Lanes weights;
            Lanes values;
            load_rest<rest>(point + whole, weights);
            load_rest<rest>(row + whole, values);
            score += values * weights;
            for (Index k = whole; k < whole + rest; ++k) {
                sums[k] += slope * before[k];
                if constexpr (kKeeps) kept[k] = row[k];
            }
        });
    return add_lanes(score);
}

}  // namespace

PROXSTREAM_CLONES void dot_rows(std::span<const Real* const> rows, ConstView x, const BlockPlan& plan,
                                bool alone, Real* scores) {
    dot_either(rows, x, plan, alone, scores);
}
PROXSTREAM_CLONES void dot_rows(std::span<const float* const> rows, ConstView x, const BlockPlan& plan,
                                bool alone, Real* scores) {
    dot_either(rows, x, plan, alone, scores);
}
PROXSTREAM_CLONES void dot_rows(std::span<const float* const> rows, std::span<const float> x,
                                const BlockPlan& plan, bool alone, float* scores) {
    dot_either(rows, x, plan, alone, scores);
}

PROXSTREAM_CLONES void add_rows(const Real* slopes, std::span<const Real* const> rows, const BlockPlan& plan,
                                bool alone, View gradient) {
    add_either(slopes, rows, plan, alone, gradient);
}
PROXSTREAM_CLONES void add_rows(const Real* slopes, std::span<const float* const> rows, const BlockPlan& plan,
                                bool alone, View gradient) {
    add_either(slopes, rows, plan, alone, gradient);
}
PROXSTREAM_CLONES void add_rows(const float* slopes, std::span<const float* const> rows,
                                const BlockPlan& plan, bool alone, std::span<float> gradient) {
    add_either(slopes, rows, plan, alone, gradient);
}

PROXSTREAM_CLONES Real dot_and_add(const Real* row, ConstView x, Real slope, const Real* before,
                                   View gradient) {
    return dot_and_add_either<false>(row, x, slope, before, nullptr, gradient);
}
PROXSTREAM_CLONES Real dot_add_and_keep(const Real* row, ConstView x, Real slope, const Real* before,
                                        Real* kept, View gradient) {
    return dot_and_add_either<true>(row, x, slope, before, kept, gradient);
}

PROXSTREAM_CLONES Real dot_row(const float* row, ConstView x) {
    const Real* px = x.data();
    return lane_sum(x.size(), [=](Index i) { return static_cast<Real>(row[i]) * px[i]; });
}
PROXSTREAM_CLONES void add_row(Real slope, const float* row, View gradient) {
    Real* to = gradient.data();
    const Index n = gradient.size();
    for (Index i = 0; i < n; ++i) to[i] += slope * static_cast<Real>(row[i]);
}

Real dot_row(const Real* row, ConstView x) {
    return dot({row, x.size()}, x);
}
void add_row(Real slope, const Real* row, View gradient) {
    axpy(slope, {row, gradient.size()}, gradient);
}

namespace {

/// Two sums hide the latency of the adds; gathering wider does not pay for scattered reads.
template <class Point>
[[gnu::always_inline]] inline Real dot_scattered(std::span<const FeatureIndex> indices, ConstView values,
                                                 Point point) {
    Real even = 0;
    Real odd = 0;
    Index k = 0;
    for (; k + 2 <= values.size(); k += 2) {
        even += values[k] * point(k);
        odd += values[k + 1] * point(k + 1);
    }
    if (k < indices.size()) even += values[k] * point(k);
    return even + odd;
}

}  // namespace

Real dot_sparse(std::span<const FeatureIndex> indices, ConstView values, ConstView x) {
    return dot_scattered(indices, values, [&](Index k) { return x[indices[k]]; });
}

void add_sparse(Real slope, std::span<const FeatureIndex> indices, ConstView values, View gradient) {
    for (Index k = 0; k < values.size(); ++k) gradient[indices[k]] += slope * values[k];
}

Real dot_paired(std::span<const FeatureIndex> indices, ConstView values, std::span<const FeatureIndex> coming,
                std::span<const Paired> pairs) {
    constexpr Index kAhead = 96;  // numbers that are read while one pair arrives
    if (coming.size() < kAhead) {
        return dot_scattered(indices, values, [&](Index k) { return pairs[indices[k]].x; });
    }
    const FeatureIndex* const ahead = indices.data() + kAhead;  // rows lie one after the other
    return dot_scattered(indices, values, [&](Index k) {
        prefetch<kNearest>(&pairs[ahead[k]]);
        return pairs[indices[k]].x;
    });
}

void add_paired(Real slope, std::span<const FeatureIndex> indices, ConstView values,
                std::span<Paired> pairs) {
    for (Index k = 0; k < values.size(); ++k) pairs[indices[k]].sum += slope * values[k];
}

}  // namespace proxstream::kernels
