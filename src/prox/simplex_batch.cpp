#include "prox/simplex_batch.hpp"

#include "prox/simplex_projection.hpp"

#include <limits>
#include <utility>

namespace proxstream {
namespace {

/// Lanes of 0 for false. Combined by arithmetic: masks of integers would be taken apart into scalars.
using Flags = Lanes;

[[gnu::always_inline]] inline bool any(const Flags& flags) {
    using Bits [[gnu::vector_size(kLanes * sizeof(Real))]] = long long;
    const Bits bits = reinterpret_cast<Bits>(flags);
    long long all = 0;
    for (Index k = 0; k < kLanes; ++k) all |= bits[k];
    return all != 0;
}

/// The threshold of every block that `outside` names, as project_onto_simplex finds it; others keep theirs.
template <Index kSize>
[[gnu::always_inline]] inline void find_threshold(const Lanes (&y)[kSize], const Lanes& largest,
                                                  const Lanes& radius, const Flags& outside, Lanes& tau) {
    Flags running = outside;
    const Lanes zero = {};
    const Lanes one = zero + 1;
    Lanes before = zero + kInfinity;
    while (any(running)) {
        Lanes total = zero;
        Lanes count = zero;
        for (Index j = 0; j < kSize; ++j) {
            const Lanes above = (y[j] - largest) - tau;
            total += above > zero ? above : zero;
            count += above > zero ? one : zero;
        }
        running *= count > zero ? one : zero;
        const Lanes further = tau + (total - radius) / (count > zero ? count : one);
        tau = running > zero ? further : tau;
        running *= count < before ? one : zero;
        before = count;
    }
}

/// Writes the blocks that `outside` names as `kept` has them, and copies the others.
template <Index kSize>
[[gnu::always_inline]] inline void write_blocks(const Real (&kept)[kSize][kLanes], const Flags& outside,
                                                const Real* v, const Index* begin, Real* out) {
    for (Index k = 0; k < kLanes; ++k) {
        const Real* from = v + begin[k];
        Real* to = out + begin[k];
        const bool moves = outside[k] != 0;
        for (Index j = 0; j < kSize; ++j) to[j] = moves ? kept[j][k] : from[j];
    }
}

/// False, and nothing is written, if a sum is not finite.
template <Index kSize>
[[gnu::always_inline]] inline bool project_lanes(const Real* v, const Index* begin, const Real* radii,
                                                 Real* out) {
    static_assert(kLanes == 8);
    constexpr Real kSlack = 9 * std::numeric_limits<Real>::epsilon();  // adding a block up, see sum_tolerance
    const Lanes radius = {radii[0], radii[1], radii[2], radii[3], radii[4], radii[5], radii[6], radii[7]};
    Lanes y[kSize];
    for (Index j = 0; j < kSize; ++j) {
        const Real* at = v + j;
        y[j] = Lanes{at[begin[0]], at[begin[1]], at[begin[2]], at[begin[3]],
                     at[begin[4]], at[begin[5]], at[begin[6]], at[begin[7]]};
    }
    const Lanes zero = {};
    const Lanes one = zero + 1;
    Lanes largest = zero - kInfinity;
    Lanes smallest = zero + kInfinity;
    Lanes sum = zero;
    for (Index j = 0; j < kSize; ++j) {
        largest = largest < y[j] ? y[j] : largest;
        smallest = y[j] < smallest ? y[j] : smallest;
        sum += y[j];
    }
    const Flags broken = zero * sum != zero ? one : zero;
    if (any(broken)) return false;
    const Lanes off = sum - radius;
    const Lanes slack = kSlack * radius;
    Flags outside = off <= slack ? zero : one;
    outside += -off <= slack ? zero : one;
    outside += smallest >= zero ? zero : one;
    Lanes tau = -radius;
    find_threshold(y, largest, radius, outside, tau);
    alignas(Lanes) Real kept[kSize][kLanes];
    for (Index j = 0; j < kSize; ++j) {
        const Lanes above = (y[j] - largest) - tau;
        reinterpret_cast<Lanes&>(kept[j]) = above > zero ? above : zero;
    }
    write_blocks(kept, outside, v, begin, out);
    return true;
}

/// The case of the size at hand.
template <Index... kSmaller>
[[gnu::always_inline]] inline bool project_sized(Index size, const Real* v, const Index* begin,
                                                 const Real* radii, Real* out,
                                                 std::index_sequence<kSmaller...> /*sizes*/) {
    return ((size == kSmaller + 1 && project_lanes<kSmaller + 1>(v, begin, radii, out)) || ...);
}

PROXSTREAM_CLONES bool project_blocks(Index size, const Real* v, const Index* begin, const Real* radii,
                                      Real* out) {
    return project_sized(size, v, begin, radii, out, std::make_index_sequence<SimplexBatch::kLargest>());
}

}  // namespace

void SimplexBatch::project_one(Index begin, Index size, Real radius) {
    total_ += project_onto_simplex(v_.subspan(begin, size), radius, out_.subspan(begin, size), scratch_);
}

void SimplexBatch::project_singly(Index size) {
    Group& group = groups_[size - 1];
    for (Index k = 0; k < group.count; ++k) project_one(group.begin[k], size, group.radius[k]);
    group.count = 0;
}

void SimplexBatch::project_group(Index size) {
    Group& group = groups_[size - 1];
    if (project_blocks(size, v_.data(), group.begin.data(), group.radius.data(), out_.data())) {
        group.count = 0;
    } else {
        project_singly(size);
    }
}

Real SimplexBatch::finish() {
    for (Index size = 1; size <= kLargest; ++size) project_singly(size);
    return total_;
}

}  // namespace proxstream
