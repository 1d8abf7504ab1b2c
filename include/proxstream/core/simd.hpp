/// How kernels get wide registers without depending on them: each marked function is compiled for several
/// instruction sets and chosen at load time. All of them add in the same kLanes lanes and none fuses a
/// multiply into an add (-ffp-contract=off), so every variant returns the same bits.
#pragma once

#include "proxstream/core/types.hpp"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
// Sanitizer builds do without: the resolver would run before their runtime is ready.
#define PROXSTREAM_CLONES [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define PROXSTREAM_CLONES
#endif

namespace proxstream {

inline constexpr Index kLanes = 8;

/// The lanes of a sum, added pairwise in a fixed tree.
[[gnu::always_inline]] inline Real add_lanes(const Real* lanes) {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/// Sums term(i) over [0, n) in kLanes independent lanes, then the lanes pairwise.
template <class Term>
[[gnu::always_inline]] inline Real lane_sum(Index n, Term term) {
    Real lanes[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (Index k = 0; k < kLanes; ++k) lanes[k] += term(i + k);
    }
    for (Index k = 0; i < n; ++i, ++k) lanes[k] += term(i);
    return add_lanes(lanes);
}

}  // namespace proxstream
