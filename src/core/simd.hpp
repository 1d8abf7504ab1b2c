/// How kernels get wide registers without depending on them: each marked function is compiled for several
/// instruction sets and chosen at load time. All of them add in the same kLanes lanes and none fuses a
/// multiply into an add (-ffp-contract=off), so every variant returns the same bits.
#pragma once

#include "proxstream/core/types.hpp"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
// Sanitizer builds do without: the resolver would run before their runtime is ready.
#define PROXSTREAM_HAS_CLONES 1
#define PROXSTREAM_CLONES [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define PROXSTREAM_CLONES
#endif

namespace proxstream {

inline constexpr Index kLanes = 8;

/// kLanes numbers as one value: a register, or several, as the processor has them.
using Lanes [[gnu::vector_size(kLanes * sizeof(Real))]] = Real;

/// The lanes of a sum, added pairwise in a fixed tree.
[[gnu::always_inline]] inline Real add_lanes(const Real* lanes) {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}
/// The same tree without leaving the registers.
[[gnu::always_inline]] inline Real add_lanes(const Lanes& lanes) {
    using Half [[gnu::vector_size(kLanes / 2 * sizeof(Real))]] = Real;
    const Half low = __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3);
    const Half high = __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7);
    const Half pairs = low + high;
    return (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]);
}

/// Adds term(i), term(i + 1), .. up to term(n - 1), fewer than kLanes of them, to a lane each; by constant
/// places, so that the lanes stay in registers.
template <class Term>
[[gnu::always_inline]] inline void add_rest(Index n, Index i, Real* lanes, Term term) {
    switch (n - i) {
        case 7:
            lanes[6] += term(i + 6);
            [[fallthrough]];
        case 6:
            lanes[5] += term(i + 5);
            [[fallthrough]];
        case 5:
            lanes[4] += term(i + 4);
            [[fallthrough]];
        case 4:
            lanes[3] += term(i + 3);
            [[fallthrough]];
        case 3:
            lanes[2] += term(i + 2);
            [[fallthrough]];
        case 2:
            lanes[1] += term(i + 1);
            [[fallthrough]];
        case 1:
            lanes[0] += term(i);
            break;
        default:
            break;
    }
}

/// Sums term(i) over [0, n) in kLanes independent lanes, then the lanes pairwise.
template <class Term>
[[gnu::always_inline]] inline Real lane_sum(Index n, Term term) {
    Real lanes[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (Index k = 0; k < kLanes; ++k) lanes[k] += term(i + k);
    }
    add_rest(n, i, lanes, term);
    return add_lanes(lanes);
}

}  // namespace proxstream
