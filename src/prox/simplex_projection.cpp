#include "proxstream/prox/simplex_projection.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/simd.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace proxstream {
namespace {

constexpr Index kChunk = 256;  // entries per recorded maximum: 2 kB, a few lines of cache
constexpr Index kTiny = 16;    // up to here compaction costs more than it saves
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

/// How an entry is seen: as it is (simplex) or by its size (L1 ball).
struct AsIs {
    static constexpr bool kSigned = false;
    static Real of(Real v) { return v; }
};
struct BySize {
    static constexpr bool kSigned = true;
    static Real of(Real v) { return std::abs(v); }
};

struct Survey {
    Real largest = -kInfinity;
    Real smallest = kInfinity;
    Real sum = 0;
};

/// Maximum, minimum and sum of at most kChunk entries. A NaN may slip through the comparisons, never through
/// the sum.
template <class See>
[[gnu::always_inline]] inline Survey survey_chunk(const Real* v, Index n) {
    Real high[kLanes];
    Real low[kLanes];
    Real sums[kLanes] = {};
    std::fill_n(high, kLanes, -kInfinity);
    std::fill_n(low, kLanes, kInfinity);
    const auto take = [&](Index lane, Real y) {
        high[lane] = y > high[lane] ? y : high[lane];
        low[lane] = y < low[lane] ? y : low[lane];
        sums[lane] += y;
    };
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (Index k = 0; k < kLanes; ++k) take(k, See::of(v[i + k]));
    }
    for (Index k = 0; i < n; ++i, ++k) take(k, See::of(v[i]));
    Survey survey;
    survey.largest = *std::max_element(high, high + kLanes);
    survey.smallest = *std::min_element(low, low + kLanes);
    survey.sum = add_lanes(sums);
    return survey;
}

template <class See>
[[gnu::always_inline]] inline Survey survey_all(const Real* v, Index n, Real* chunk_largest) {
    Survey all;
    for (Index begin = 0; begin < n; begin += kChunk) {
        const Survey part = survey_chunk<See>(v + begin, std::min(kChunk, n - begin));
        *chunk_largest++ = part.largest;
        all.largest = std::max(all.largest, part.largest);
        all.smallest = std::min(all.smallest, part.smallest);
        all.sum += part.sum;
    }
    return all;
}

template <class See>
[[gnu::always_inline]] inline void shrink_into(const Real* v, Index n, Real largest, Real tau, Real* out) {
    for (Index i = 0; i < n; ++i) {
        const Real kept = (See::of(v[i]) - largest) - tau;
        const Real size = kept > 0 ? kept : 0;
        // Adding 0 turns the -0.0 of a vanished negative entry into 0.0.
        out[i] = See::kSigned ? std::copysign(size, v[i]) + 0.0 : size;
    }
}

// The clones must be plain functions: a template cannot carry the attribute.
PROXSTREAM_CLONES Survey survey(AsIs, const Real* v, Index n, Real* chunk_largest) {
    return survey_all<AsIs>(v, n, chunk_largest);
}
PROXSTREAM_CLONES Survey survey(BySize, const Real* v, Index n, Real* chunk_largest) {
    return survey_all<BySize>(v, n, chunk_largest);
}
PROXSTREAM_CLONES void shrink(AsIs, const Real* v, Index n, Real largest, Real tau, Real* out) {
    shrink_into<AsIs>(v, n, largest, tau, out);
}
PROXSTREAM_CLONES void shrink(BySize, const Real* v, Index n, Real largest, Real tau, Real* out) {
    shrink_into<BySize>(v, n, largest, tau, out);
}

/// The candidates above `floor`, moved to the front of `to` without a branch. May work in place.
Index keep_above(const Real* from, Index n, Real floor, Real* to) {
    Index kept = 0;
    for (Index i = 0; i < n; ++i) {
        const Real y = from[i];
        to[kept] = y;
        kept += y > floor ? 1 : 0;
    }
    return kept;
}

/// The zero of sum max(y_i - tau, 0) = radius, for candidates y_i = v_i - max: working below the maximum
/// keeps the digits that count when |v| is far larger than the radius. Destroys y.
Real newton(Real* y, Index count, Real radius) {
    for (;;) {
        const Real tau = (sum({y, count}) - radius) / static_cast<Real>(count);
        const Index kept = keep_above(y, count, tau, y);
        if (kept == count || kept == 0) {
            // The set is settled: one more Newton step on the differences removes the rounding of tau itself.
            const Real surplus = lane_sum(count, [=](Index i) { return y[i] - tau; }) - radius;
            return tau + surplus / static_cast<Real>(count);
        }
        count = kept;
    }
}

/// The same for a handful of entries, which are cheaper to visit again than to move.
template <class See>
Real newton_tiny(ConstView v, Real largest, Real radius) {
    Real tau = -radius;
    for (Index before = v.size() + 1;;) {
        Real total = 0;
        Index count = 0;
        for (const Real entry : v) {
            const Real y = See::of(entry) - largest;
            total += y > tau ? y : 0;
            count += y > tau ? 1 : 0;
        }
        // The count falls until the set is settled; rounding must not let it rise again and circle.
        if (count >= before || count == 0) return tau;
        tau = (total - radius) / static_cast<Real>(count);
        before = count;
    }
}

/// Eight lanes of n/8 additions each cannot tell the sum from the radius any closer than this.
Real sum_tolerance(Index n, Real radius) {
    constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
    return (8 + std::sqrt(static_cast<Real>(n)) / 16) * kEpsilon * radius;
}

/// Finite entries whose sum overflowed are fine; anything else that is not finite is not.
bool usable(ConstView v, const Survey& survey) {
    return std::isfinite(survey.sum) || all_finite(v);
}

Real refuse(View out) {
    fill(out, kNaN);
    return kNaN;
}

/// tau relative to the largest entry, from the chunks that reach within the radius of it.
template <class See>
Real threshold(ConstView v, const Real* chunk_largest, Real largest, Real radius, Real* work) {
    if (v.size() <= kTiny) return newton_tiny<See>(v, largest, radius);
    Index count = 0;
    for (Index begin = 0; begin < v.size(); begin += kChunk) {
        if (!(*chunk_largest++ - largest > -radius)) continue;
        const Index end = std::min(begin + kChunk, v.size());
        for (Index i = begin; i < end; ++i) {
            const Real y = See::of(v[i]) - largest;
            work[count] = y;
            count += y > -radius ? 1 : 0;
        }
    }
    return newton(work, count, radius);
}

template <class See>
void write(ConstView v, const Real* chunk_largest, Real largest, Real tau, View out) {
    for (Index begin = 0; begin < v.size(); begin += kChunk) {
        const Index size = std::min(kChunk, v.size() - begin);
        if (*chunk_largest++ - largest > tau) {
            shrink(See{}, v.data() + begin, size, largest, tau, out.data() + begin);
        } else {
            std::fill_n(out.data() + begin, size, Real{0});
        }
    }
}

struct Work {
    Work(Scratch::Frame& frame, Index n)
        : chunk_largest(frame.take((n + kChunk - 1) / kChunk).data()),
          candidates(n <= kTiny ? nullptr : frame.take(n).data()) {}
    Real* chunk_largest;
    Real* candidates;
};

template <class See>
Real project(ConstView v, Real radius, View out, Scratch& scratch) {
    assert(v.size() == out.size() && radius > 0);
    if (v.empty()) return 0;
    Scratch::Frame frame(scratch);
    const Work work(frame, v.size());
    const Survey seen = survey(See{}, v.data(), v.size(), work.chunk_largest);
    if (!usable(v, seen)) return refuse(out);
    const Real slack = sum_tolerance(v.size(), radius);
    const bool inside = See::kSigned ? seen.sum <= radius + slack
                                     : seen.smallest >= 0 && std::abs(seen.sum - radius) <= slack;
    if (inside) {
        if (out.data() != v.data()) copy(v, out);
        return 0;
    }
    const Real tau = threshold<See>(v, work.chunk_largest, seen.largest, radius, work.candidates);
    write<See>(v, work.chunk_largest, seen.largest, tau, out);
    return 0;
}

}  // namespace

Real project_onto_simplex(ConstView v, Real radius, View out, Scratch& scratch) {
    return project<AsIs>(v, radius, out, scratch);
}

Real project_onto_l1_ball(ConstView v, Real radius, View out, Scratch& scratch) {
    return project<BySize>(v, radius, out, scratch);
}

Real l1_ball_level(ConstView v, Real radius, Scratch& scratch) {
    if (v.empty()) return 0;
    Scratch::Frame frame(scratch);
    const Work work(frame, v.size());
    const Survey seen = survey(BySize{}, v.data(), v.size(), work.chunk_largest);
    if (!usable(v, seen)) return kNaN;
    if (seen.sum <= radius) return 0;
    return seen.largest + threshold<BySize>(v, work.chunk_largest, seen.largest, radius, work.candidates);
}

}  // namespace proxstream
