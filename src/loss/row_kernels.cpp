#include "loss/row_kernels.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/simd.hpp"

#include <cstring>

namespace proxstream::kernels {
namespace {

// By values of several numbers: written as loops over arrays, the compiler interleaves the lanes of
// neighbouring steps with shuffles that cost more than the sums.

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

/// In a fixed tree, whatever the registers.
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

/// Nothing is read: addresses beyond the end of what there is do no harm.
template <int kLocality>
[[gnu::always_inline]] inline void prefetch(const void* from) {
    __builtin_prefetch(from, 0, kLocality);
}
constexpr int kNearest = 3,
              kSecond = 2;  // caches: the nearest one has room for two blocks of short rows only

/// From memory each of the two loops over a block asks for half of what comes: without that, loads stop
/// wherever a row ends at a page and while the second loop works in the cache. From a cache only the second
/// loop does, whose rows are near.
constexpr Index kHalf = kRows / 2;

/// Fetches what lies `ahead` of the first kAsked rows.
template <Index kAsked, class Number, class Sum>
[[gnu::always_inline]] inline void dot_block(const Number* const* rows, const Sum* x, Index n, Index ahead,
                                             Sum* scores) {
    using Values = typename LanesOf<Sum>::Type;
    constexpr Index kCount = LanesOf<Sum>::kCount;
    Values sums[kRows] = {};
    const Index whole = n - n % kCount;
    for (Index i = 0; i < whole; i += kCount) {
        Values point;
        load(x + i, point);
        for (Index row = 0; row < kRows; ++row) {
            if (row < kAsked) prefetch<kSecond>(rows[row] + i + ahead);
            Values values;
            load(rows[row] + i, values);
            sums[row] += values * point;
        }
    }
    for (Index i = whole; i < n; ++i) {
        for (Index row = 0; row < kRows; ++row) sums[row][i - whole] += static_cast<Sum>(rows[row][i]) * x[i];
    }
    for (Index row = 0; row < kRows; ++row) scores[row] = add_lanes(sums[row]);
}

template <class Number, class Sum>
[[gnu::always_inline]] inline void dot_either(const Number* const* rows, const Sum* x, Index n, Fetch fetch,
                                              bool alone, Sum* scores) {
    if (fetch.from == Fetch::From::memory && alone) {
        dot_block<kRows>(rows, x, n, fetch.ahead, scores);
    } else if (fetch.from == Fetch::From::memory) {
        dot_block<kHalf>(rows, x, n, fetch.ahead, scores);
    } else {
        dot_block<0>(rows, x, n, 0, scores);
    }
}

/// Fetches what lies `ahead` of the rows from kFirst on.
template <Index kFirst, int kLocality, class Number, class Sum>
[[gnu::always_inline]] inline void add_block(const Sum* slopes, const Number* const* rows, Index n,
                                             Index ahead, Sum* __restrict gradient) {
    using Values = typename LanesOf<Sum>::Type;
    constexpr Index kCount = LanesOf<Sum>::kCount;
    const Index whole = n - n % kCount;
    for (Index i = 0; i < whole; i += kCount) {
        Values sum;
        load(gradient + i, sum);
        for (Index row = 0; row < kRows; ++row) {
            if (row >= kFirst) prefetch<kLocality>(rows[row] + i + ahead);
            Values values;
            load(rows[row] + i, values);
            sum += slopes[row] * values;
        }
        std::memcpy(gradient + i, &sum, sizeof(sum));
    }
    for (Index i = whole; i < n; ++i) {
        for (Index row = 0; row < kRows; ++row) gradient[i] += slopes[row] * static_cast<Sum>(rows[row][i]);
    }
}

template <class Number, class Sum>
[[gnu::always_inline]] inline void add_either(const Sum* slopes, const Number* const* rows, Index n,
                                              Fetch fetch, Sum* gradient) {
    switch (fetch.from) {
        case Fetch::From::memory:
            add_block<kHalf, kSecond>(slopes, rows, n, fetch.ahead, gradient);
            break;
        case Fetch::From::cache:
            add_block<0, kNearest>(slopes, rows, n, fetch.ahead, gradient);
            break;
        case Fetch::From::nowhere:
            add_block<kRows, kNearest>(slopes, rows, n, 0, gradient);
            break;
    }
}

}  // namespace

PROXSTREAM_CLONES void dot_rows(const Real* const* rows, const Real* x, Index n, Fetch fetch, bool alone,
                                Real* scores) {
    dot_either(rows, x, n, fetch, alone, scores);
}
PROXSTREAM_CLONES void dot_rows(const float* const* rows, const Real* x, Index n, Fetch fetch, bool alone,
                                Real* scores) {
    dot_either(rows, x, n, fetch, alone, scores);
}

PROXSTREAM_CLONES void dot_rows(const float* const* rows, const float* x, Index n, Fetch fetch, bool alone,
                                float* scores) {
    dot_either(rows, x, n, fetch, alone, scores);
}

PROXSTREAM_CLONES void add_rows(const Real* slopes, const Real* const* rows, Index n, Fetch fetch,
                                Real* gradient) {
    add_either(slopes, rows, n, fetch, gradient);
}
PROXSTREAM_CLONES void add_rows(const Real* slopes, const float* const* rows, Index n, Fetch fetch,
                                Real* gradient) {
    add_either(slopes, rows, n, fetch, gradient);
}

PROXSTREAM_CLONES void add_rows(const float* slopes, const float* const* rows, Index n, Fetch fetch,
                                float* gradient) {
    add_either(slopes, rows, n, fetch, gradient);
}

PROXSTREAM_CLONES Real dot_and_add(const Real* row, const Real* x, Index n, Index ahead, Real slope,
                                   const Real* before, Real* __restrict gradient) {
    Lanes score = {};
    const Index whole = n - n % kLanes;
    for (Index i = 0; i < whole; i += kLanes) {
        prefetch<kSecond>(row + i + ahead);
        Lanes point;
        Lanes values;
        Lanes sum;
        Lanes past;
        load(x + i, point);
        load(row + i, values);
        load(gradient + i, sum);
        load(before + i, past);
        score += values * point;
        sum += slope * past;
        std::memcpy(gradient + i, &sum, sizeof(sum));
    }
    for (Index i = whole; i < n; ++i) {
        score[i - whole] += row[i] * x[i];
        gradient[i] += slope * before[i];
    }
    return add_lanes(score);
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

Real dot_sparse(std::span<const FeatureIndex> indices, ConstView values, ConstView x) {
    // Two sums hide the latency of the adds; gathering wider does not pay for scattered reads.
    Real even = 0;
    Real odd = 0;
    Index k = 0;
    for (; k + 2 <= values.size(); k += 2) {
        even += values[k] * x[indices[k]];
        odd += values[k + 1] * x[indices[k + 1]];
    }
    if (k < values.size()) even += values[k] * x[indices[k]];
    return even + odd;
}

void add_sparse(Real slope, std::span<const FeatureIndex> indices, ConstView values, View gradient) {
    for (Index k = 0; k < values.size(); ++k) gradient[indices[k]] += slope * values[k];
}

}  // namespace proxstream::kernels
