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

/// body(first, end, live) for every pair of [begin, end).
template <class Body>
void for_each_pair(const PathSet& paths, Index begin, Index end, const Body& body) {
    for (Index pair = begin; pair < end; ++pair) {
        const SlotIndex first = paths.first_slot(pair);
        const SlotIndex last = paths.end_slot(pair);
        body(first, last, paths.live_slots(pair).size());
    }
}
/// body(range, begin, end) for ranges of pairs, on several threads where that is worth it.
constexpr Index kMostRanges = 16;
template <class Body>
void for_pair_ranges(const PathSet& paths, const Body& body) {
    constexpr Index kLeastPairs = 1024;
    const Index pairs = paths.pairs();
    const Index ranges = std::clamp<Index>(pairs / kLeastPairs, 1, kMostRanges);
    parallel_for(ranges, [&](Index i) { body(i, i * pairs / ranges, (i + 1) * pairs / ranges); });
}
template <class Body>
void for_each_pair(const PathSet& paths, const Body& body) {
    for_each_pair(paths, 0, paths.pairs(), body);
}

/// The live entries of a pair's slots, side by side.
void gather(const PathSet& paths, SlotIndex first, SlotIndex end, ConstView from, View to) {
    Index k = 0;
    for (SlotIndex slot = first; slot < end; ++slot) {
        if (paths.live(slot)) to[k++] = from[slot];
    }
}

bool packed(const PathSet& paths, SlotIndex first, SlotIndex end) {
    while (first < end && paths.live(first)) ++first;
    return first == end;
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
        for_each_pair(paths, begin, end, [&](SlotIndex first, SlotIndex last, Index live) {
            Real total = 0;
            for (SlotIndex slot = first; slot < last; ++slot) {
                if (!paths.live(slot)) own.inside = own.inside && x[slot] == 0;
                if (!(x[slot] >= -kFeasibility)) own.inside = false;
                total += x[slot];
            }
            if (live > 0 && !(std::abs(total - 1) <= kFeasibility)) own.inside = false;
            own.all += total;
        });
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

/// The projection of pairs [begin, end). `one(first, v, out)` projects the live coordinates of one pair,
/// which lie side by side; `many(first, count)` may put that off where they do so in v and out already.
template <class One, class Many>
Real SplitSet::project(ConstView v, View out, Index begin, Index end, Scratch& scratch, const One& one,
                       const Many& many) const {
    const PathSet& paths = routing_->paths;
    Real total = 0;
    for_each_pair(paths, begin, end, [&](SlotIndex first, SlotIndex last, Index live) {
        SlotIndex run = first;  // where the paths begin
        while (run < last && !paths.live(run)) ++run;
        const auto stop = static_cast<SlotIndex>(run + live);
        if (live == 1) {
            if (!std::isfinite(v[run])) total += std::numeric_limits<Real>::quiet_NaN();
            fill(out.subspan(first, last - first), 0);
            out[run] = 1;
        } else if (live > 0 && stop <= last && packed(paths, run, stop)) {
            fill(out.subspan(first, run - first), 0);
            fill(out.subspan(stop, last - stop), 0);
            total += many(run, live);
        } else {
            Scratch::Frame frame(scratch);
            const View side_by_side = frame.take(live);
            gather(paths, first, last, v, side_by_side);
            if (live > 0) total += one(first, side_by_side, side_by_side);
            Index k = 0;
            for (SlotIndex slot = first; slot < last; ++slot)
                out[slot] = paths.live(slot) ? side_by_side[k++] : 0;
        }
    });
    return total;
}

Real SplitSet::prox(ConstView v, Real /*step*/, View out, Scratch& scratch) const {
    std::array<Real, kMostRanges> totals{};
    scratch.part(kMostRanges - 1);
    for_pair_ranges(routing_->paths, [&](Index i, Index begin, Index end) {
        Scratch& own = scratch.part(i);
        SimplexBatch batch(v, out, own);
        totals[i] = project(
            v, out, begin, end, own,
            [&](SlotIndex /*first*/, ConstView from, View to) {
                return project_onto_simplex(from, 1, to, own);
            },
            [&](SlotIndex first, Index count) -> Real {
                batch.add(first, count, 1);
                return 0;
            });
        totals[i] += batch.finish();
    });
    return sum(totals) + constant_;
}

Real SplitSet::switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                              Scratch& scratch) const {
    const PathSet& paths = routing_->paths;
    const Simplex simplex;
    const auto one = [&](SlotIndex first, ConstView from, View to) {
        Scratch::Frame frame(scratch);
        const View side_by_side = frame.take(from.size());
        gather(paths, first, paths.end_slot(paths.pair_of(first)), centre, side_by_side);
        return simplex.switching_prox(from, step, pull, side_by_side, to, scratch);
    };
    return constant_ + project(v, out, 0, paths.pairs(), scratch, one, [&](SlotIndex first, Index count) {
               return simplex.switching_prox(v.subspan(first, count), step, pull,
                                             centre.subspan(first, count), out.subspan(first, count),
                                             scratch);
           });
}

void SplitSet::project_direction(View d) const {
    const PathSet& paths = routing_->paths;
    for_pair_ranges(paths, [&](Index /*range*/, Index begin, Index end) {
        for_each_pair(paths, begin, end, [&](SlotIndex first, SlotIndex last, Index live) {
            Real total = 0;
            for (SlotIndex slot = first; slot < last; ++slot) total += paths.live(slot) ? d[slot] : 0;
            const Real mean = live > 0 ? total / static_cast<Real>(live) : 0;
            for (SlotIndex slot = first; slot < last; ++slot) d[slot] = paths.live(slot) ? d[slot] - mean : 0;
        });
    });
}

void repair_splits(const PathSet& paths, View x) {
    for_each_pair(paths, [&](SlotIndex first, SlotIndex end, Index live) {
        Real kept = 0;
        bool whole = true;
        for (SlotIndex slot = first; slot < end; ++slot) {
            if (paths.live(slot)) {
                kept += x[slot];
            } else if (x[slot] != 0) {
                whole = false;
            }
        }
        constexpr Real kWhole = 1e-12;
        if (whole && (live == 0 || std::abs(kept - 1) <= kWhole)) return;
        for (SlotIndex slot = first; slot < end; ++slot) {
            if (!paths.live(slot)) {
                x[slot] = 0;
            } else {
                x[slot] = kept > 0 ? x[slot] / kept : 1 / static_cast<Real>(live);
            }
        }
    });
}

std::vector<Real> even_splits(const PathSet& paths) {
    std::vector<Real> x(paths.slots(), 0);
    for (const PathSet::Tree& tree : paths.trees()) {
        for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
            Index served = 0;
            const auto serves = [&](SlotIndex slot) {
                return paths.live(slot) && paths.leaf(slot) != tree.begin;
            };
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot)
                served += serves(slot) ? 1 : 0;
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
                if (served > 0 ? serves(slot) : paths.live(slot))
                    x[slot] = 1 / static_cast<Real>(std::max<Index>(served, 1));
            }
        }
    }
    return x;
}

}  // namespace proxstream
