#include "prox/simplex_projection.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/simd.hpp"
#include "not_finite.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace proxstream {
namespace {

constexpr Index kChunk = 256;  // entries per recorded maximum: 2 kB, a few lines of cache
constexpr Index kTiny = 12;    // up to here one loop over all entries beats chunks and candidates
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

/// The number that is projected: the entry (simplex) or its magnitude (L1 ball).
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

/// Maximum, minimum and sum of at most kChunk entries. A NaN may be lost in the comparisons, but not in the
/// sum.
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

/// f + radius = sum max(y_i - tau, 0), and the number of terms, which is minus the slope of f.
struct Excess {
    Real total = 0;
    Real count = 0;
};

PROXSTREAM_CLONES Excess excess(const Real* y, Index n, Real tau) {
    Excess all;
    for (Index begin = 0; begin < n; begin += kChunk) {
        const Real* part = y + begin;
        const Index size = std::min(kChunk, n - begin);
        all.total += lane_sum(size, [=](Index i) { return part[i] > tau ? part[i] - tau : 0; });
        all.count += lane_sum(size, [=](Index i) { return part[i] > tau ? 1.0 : 0.0; });
    }
    return all;
}

/// The zero of f for candidates y_i = v_i - max: working below the maximum keeps the digits that count when
/// |v| is far larger than the radius. Starts from a tau below the zero. Destroys y.
Real newton(Real* y, Index n, Real tau, Real radius) {
    for (Real before = kInfinity;;) {
        const Excess here = excess(y, n, tau);
        if (here.count == 0) return tau;
        tau += (here.total - radius) / here.count;
        // The count falls until the set is settled; the step just made then removed the rounding of the one
        // before.
        if (here.count >= before) return tau;
        before = here.count;
        if (2 * here.count > static_cast<Real>(n)) continue;
        // Half of the candidates are out: move the others to the front, without a branch.
        Index kept = 0;
        for (Index i = 0; i < n; ++i) {
            const Real candidate = y[i];
            y[kept] = candidate;
            kept += candidate > tau ? 1 : 0;
        }
        n = kept;
    }
}

/// Eight lanes of n/8 additions each cannot tell the sum from the radius any closer than this.
Real sum_tolerance(Index n, Real radius) {
    constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
    const Real additions = n <= kChunk ? 1 : std::sqrt(static_cast<Real>(n)) / 16;
    return (8 + additions) * kEpsilon * radius;
}

/// Whether all entries are finite; their sum may have overflowed.
bool usable(ConstView v, const Survey& survey) {
    return std::isfinite(survey.sum) || all_finite(v);
}

/// The entries above `floor` (both relative to the largest), from every `stride`-th chunk that has one.
template <class See>
Index gather(ConstView v, const Real* chunk_largest, Real largest, Real floor, Index stride, Real* to) {
    Index count = 0;
    for (Index chunk = 0; chunk * kChunk < v.size(); chunk += stride) {
        if (!(chunk_largest[chunk] - largest > floor)) continue;
        const Index end = std::min((chunk + 1) * kChunk, v.size());
        for (Index i = chunk * kChunk; i < end; ++i) {
            const Real y = See::of(v[i]) - largest;
            to[count] = y;
            count += y > floor ? 1 : 0;
        }
    }
    return count;
}

/// tau relative to the largest entry. The tau of a sample of the entries is below that of all of them, and
/// far above max - radius when many entries are active. It saves moving entries that will be dropped anyway.
template <class See>
Real threshold(ConstView v, const Real* chunk_largest, Real largest, Real radius, Real* work) {
    constexpr Index kStride = 32;
    Real floor = -radius;
    if (v.size() >= 4 * kStride * kChunk) {
        const Index sampled = gather<See>(v, chunk_largest, largest, floor, kStride, work);
        floor = std::max(floor, newton(work, sampled, floor, radius));
    }
    const Index count = gather<See>(v, chunk_largest, largest, floor, 1, work);
    return newton(work, count, floor, radius);
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
        : chunk_largest(frame.take((n + kChunk - 1) / kChunk).data()), candidates(frame.take(n).data()) {}
    Real* chunk_largest;
    Real* candidates;
};

template <class See>
bool feasible(const Survey& seen, Index n, Real radius) {
    const Real slack = sum_tolerance(n, radius);
    return See::kSigned ? seen.sum <= radius + slack
                        : seen.smallest >= 0 && std::abs(seen.sum - radius) <= slack;
}

Real keep(ConstView v, View out) {
    if (out.data() != v.data()) copy(v, out);
    return 0;
}

/// For products of simplices, which make many such calls: no scratch memory, no further calls.
template <class See>
Real project_tiny(ConstView v, Real radius, View out) {
    Survey seen;
    for (const Real entry : v) {
        const Real y = See::of(entry);
        seen.largest = std::max(seen.largest, y);
        seen.smallest = std::min(seen.smallest, y);
        seen.sum += y;
    }
    if (!usable(v, seen)) return refuse_not_finite(out);
    if (feasible<See>(seen, v.size(), radius)) return keep(v, out);
    Real tau = -radius;
    for (Real before = kInfinity;;) {
        Real total = 0;
        Real count = 0;
        for (const Real entry : v) {
            const Real above = (See::of(entry) - seen.largest) - tau;
            total += above > 0 ? above : 0;
            count += above > 0 ? 1 : 0;
        }
        if (count == 0) break;
        tau += (total - radius) / count;
        if (count >= before) break;
        before = count;
    }
    shrink_into<See>(v.data(), v.size(), seen.largest, tau, out.data());
    return 0;
}

template <class See>
Real project(ConstView v, Real radius, View out, Scratch& scratch) {
    assert(v.size() == out.size() && radius > 0);
    if (v.empty()) return 0;
    if (v.size() <= kTiny) return project_tiny<See>(v, radius, out);
    Scratch::Frame frame(scratch);
    const Work work(frame, v.size());
    const Survey seen = survey(See{}, v.data(), v.size(), work.chunk_largest);
    if (!usable(v, seen)) return refuse_not_finite(out);
    if (feasible<See>(seen, v.size(), radius)) return keep(v, out);
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
