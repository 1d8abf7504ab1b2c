#include "traffic/split_set.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/prox/simplex.hpp"

#include "prox/simplex_batch.hpp"
#include "prox/simplex_projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace proxstream {
namespace {

/// Calls body(range, begin, end) for ranges of pairs, on several threads if there are many.
constexpr Index kMostRanges = 16;
template <class Body>
void for_pair_ranges(const PathSet& paths, const Body& body) {
    constexpr Index kLeastPairs = 1024;
    const Index pairs = paths.pairs();
    const Index ranges = std::clamp<Index>(pairs / kLeastPairs, 1, kMostRanges);
    parallel_for(ranges, [&](Index i) { body(i, i * pairs / ranges, (i + 1) * pairs / ranges); });
}
/// Copies the live entries of a pair to adjacent places.
void gather(const PathSet& paths, Index pair, ConstView from, View to) {
    Index k = 0;
    for (const SlotIndex slot : paths.live_slots(pair)) to[k++] = from[slot];
}

}  // namespace

SplitSet::SplitSet(std::shared_ptr<const Routing> routing, Real mu)
    : routing_(std::move(routing)), constant_(mu * static_cast<Real>(routing_->paths.pairs())) {}

void SplitSet::check_dimension(Index n) const {
    if (n != routing_->dimension()) throw ConfigError("splits need one coordinate a slot");
}

Real SplitSet::value(ConstView x, Scratch& /*scratch*/) const {
    const PathSet& paths = routing_->paths;
    struct Seen {
        bool inside = true;
        Real all = 0;  // NaN if one coordinate is
    };
    std::array<Seen, kMostRanges> seen;
    for_pair_ranges(paths, [&](Index range, Index begin, Index end) {
        Seen& own = seen[range];
        for (Index pair = begin; pair < end; ++pair) {
            Real total = 0;
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
                if (!paths.live(slot)) own.inside = own.inside && x[slot] == 0;
                if (!(x[slot] >= -kFeasibility)) own.inside = false;
                total += x[slot];
            }
            if (!paths.live_slots(pair).empty() && !(std::abs(total - 1) <= kFeasibility)) own.inside = false;
            own.all += total;
        }
    });
    bool inside = true;
    Real all = 0;
    for (const Seen& own : seen) {
        inside = inside && own.inside;
        all += own.all;
    }
    if (std::isnan(all)) return all;
    return inside ? constant_ : kInfinity;
}

/// The projection of a range of pairs. `one(pair, v, out)` projects the gathered live coordinates of a pair.
/// `many(first, count)` does it, perhaps later, if they are already adjacent in v and out.
template <class One, class Many>
Real SplitSet::project(ConstView v, View out, PairRange range, Scratch& scratch, const One& one,
                       const Many& many) const {
    const PathSet& paths = routing_->paths;
    Real total = 0;
    for (Index pair = range.begin; pair < range.end; ++pair) {
        const SlotIndex first = paths.first_slot(pair);
        const SlotIndex last = paths.end_slot(pair);
        const std::span<const SlotIndex> live = paths.live_slots(pair);
        if (live.size() == 1) {
            if (!std::isfinite(v[live[0]])) total += std::numeric_limits<Real>::quiet_NaN();
            fill(out.subspan(first, last - first), 0);
            out[live[0]] = 1;
        } else if (!live.empty() && live.back() - live.front() + 1 == live.size()) {
            fill(out.subspan(first, live.front() - first), 0);
            fill(out.subspan(live.back() + 1, last - live.back() - 1), 0);
            total += many(live.front(), live.size());
        } else {
            Scratch::Frame frame(scratch);
            const View side_by_side = frame.take(live.size());
            gather(paths, pair, v, side_by_side);
            if (!live.empty()) total += one(pair, side_by_side, side_by_side);
            fill(out.subspan(first, last - first), 0);
            for (Index k = 0; k < live.size(); ++k) out[live[k]] = side_by_side[k];
        }
    }
    return total;
}

Real SplitSet::prox(ConstView v, Real /*step*/, View out, Scratch& scratch) const {
    std::array<Real, kMostRanges> totals{};
    scratch.part(kMostRanges - 1);
    for_pair_ranges(routing_->paths, [&](Index i, Index begin, Index end) {
        Scratch& own = scratch.part(i);
        SimplexBatch batch(v, out, own);
        totals[i] = project(
            v, out, {begin, end}, own,
            [&](Index /*pair*/, ConstView from, View to) { return project_onto_simplex(from, 1, to, own); },
            [&](SlotIndex first, Index count) -> Real {
                batch.add(first, count, 1);
                return 0;
            });
        totals[i] += batch.finish();
    });
    return sum(totals) + constant_;
}

Real SplitSet::switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
    const PathSet& paths = routing_->paths;
    const Simplex simplex;
    const auto one = [&](Index pair, ConstView from, View to) {
        Scratch::Frame frame(scratch);
        const View side_by_side = frame.take(from.size());
        gather(paths, pair, pull.centre, side_by_side);
        return simplex.switching_prox(from, step, {pull.strength, side_by_side}, to, scratch);
    };
    return constant_ + project(v, out, {0, paths.pairs()}, scratch, one, [&](SlotIndex first, Index count) {
               return simplex.switching_prox(v.subspan(first, count), step, pull.part(first, count),
                                             out.subspan(first, count), scratch);
           });
}

void SplitSet::project_direction(View d) const {
    const PathSet& paths = routing_->paths;
    for_pair_ranges(paths, [&](Index /*range*/, Index begin, Index end) {
        for (Index pair = begin; pair < end; ++pair) {
            const std::span<const SlotIndex> live = paths.live_slots(pair);
            Real total = 0;
            for (const SlotIndex slot : live) total += d[slot];
            const Real mean = live.empty() ? 0 : total / static_cast<Real>(live.size());
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot)
                d[slot] = paths.live(slot) ? d[slot] - mean : 0;
        }
    });
}

void repair_splits(const PathSet& paths, View x) {
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        const std::span<const SlotIndex> live = paths.live_slots(pair);
        Real kept = 0;
        bool whole = true;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (paths.live(slot)) {
                kept += x[slot];
            } else {
                whole = whole && x[slot] == 0;
                x[slot] = 0;
            }
        }
        constexpr Real kWhole = 1e-12;
        if (whole && std::abs(kept - 1) <= kWhole) continue;
        for (const SlotIndex slot : live)
            x[slot] = kept > 0 ? x[slot] / kept : 1 / static_cast<Real>(live.size());
    }
}

std::vector<Real> even_splits(const PathSet& paths) {
    std::vector<Real> x(paths.slots(), 0);
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        const std::span<const SlotIndex> live = paths.live_slots(pair);
        const auto served =
            std::count_if(live.begin(), live.end(), [&](SlotIndex s) { return !paths.slack(s); });
        for (const SlotIndex slot : live) {
            if (served == 0 || !paths.slack(slot))
                x[slot] = 1 / static_cast<Real>(std::max<std::ptrdiff_t>(served, 1));
        }
    }
    return x;
}

}  // namespace proxstream
