#include "proxstream/traffic/split_set.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/simplex.hpp"
#include "proxstream/prox/simplex_projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace proxstream {
namespace {

/// body(pair, first, end, live) for every pair.
template <class Body>
void for_each_pair(const PathSet& paths, const Body& body) {
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        const SlotIndex first = paths.first_slot(pair);
        const SlotIndex end = paths.end_slot(pair);
        Index live = 0;
        for (SlotIndex slot = first; slot < end; ++slot) live += paths.live(slot) ? 1 : 0;
        body(first, end, live);
    }
}

/// The live entries of a pair's slots, side by side.
void gather(const PathSet& paths, SlotIndex first, SlotIndex end, ConstView from, View to) {
    Index k = 0;
    for (SlotIndex slot = first; slot < end; ++slot) {
        if (paths.live(slot)) to[k++] = from[slot];
    }
}

}  // namespace

SplitSet::SplitSet(std::shared_ptr<const Routing> routing, Real mu)
    : routing_(std::move(routing)), constant_(mu * static_cast<Real>(routing_->paths.pairs())) {}

void SplitSet::check_dimension(Index n) const {
    if (n != routing_->dimension()) throw ConfigError("splits need one coordinate a slot");
}

Real SplitSet::value(ConstView x, Scratch& /*scratch*/) const {
    const PathSet& paths = routing_->paths;
    bool inside = true;
    Real all = 0;  // NaN if one coordinate is
    for_each_pair(paths, [&](SlotIndex first, SlotIndex end, Index live) {
        Real total = 0;
        for (SlotIndex slot = first; slot < end; ++slot) {
            if (!paths.live(slot)) inside = inside && x[slot] == 0;
            if (!(x[slot] >= -kFeasibility)) inside = false;
            total += x[slot];
        }
        if (live > 0 && !(std::abs(total - 1) <= kFeasibility)) inside = false;
        all += total;
    });
    if (std::isnan(all)) return all;
    return inside ? constant_ : kInfinity;
}

/// `one(v, out)` projects the live coordinates of one pair; they lie side by side.
template <class Project>
Real SplitSet::project(ConstView v, View out, Scratch& scratch, Project one) const {
    const PathSet& paths = routing_->paths;
    Real total = constant_;
    for_each_pair(paths, [&](SlotIndex first, SlotIndex end, Index live) {
        const Index count = end - first;
        if (live == 0) {
            fill(out.subspan(first, count), 0);
        } else if (live == 1) {
            for (SlotIndex slot = first; slot < end; ++slot) {
                if (paths.live(slot) && !std::isfinite(v[slot]))
                    total += std::numeric_limits<Real>::quiet_NaN();
                out[slot] = paths.live(slot) ? 1 : 0;
            }
        } else if (live == count) {
            total += one(first, v.subspan(first, count), out.subspan(first, count));
        } else {
            Scratch::Frame frame(scratch);
            const View packed = frame.take(live);
            gather(paths, first, end, v, packed);
            total += one(first, packed, packed);
            Index k = 0;
            for (SlotIndex slot = first; slot < end; ++slot) out[slot] = paths.live(slot) ? packed[k++] : 0;
        }
    });
    return total;
}

Real SplitSet::prox(ConstView v, Real /*step*/, View out, Scratch& scratch) const {
    return project(v, out, scratch, [&](SlotIndex /*first*/, ConstView from, View to) {
        return project_onto_simplex(from, 1, to, scratch);
    });
}

Real SplitSet::switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                              Scratch& scratch) const {
    const Simplex simplex;
    return project(v, out, scratch, [&](SlotIndex first, ConstView from, View to) {
        Scratch::Frame frame(scratch);
        const View packed = frame.take(from.size());
        const SlotIndex end = routing_->paths.end_slot(routing_->paths.pair_of(first));
        gather(routing_->paths, first, end, centre, packed);
        return simplex.switching_prox(from, step, pull, packed, to, scratch);
    });
}

void SplitSet::project_direction(View d) const {
    const PathSet& paths = routing_->paths;
    for_each_pair(paths, [&](SlotIndex first, SlotIndex end, Index live) {
        Real total = 0;
        for (SlotIndex slot = first; slot < end; ++slot) total += paths.live(slot) ? d[slot] : 0;
        const Real mean = live > 0 ? total / static_cast<Real>(live) : 0;
        for (SlotIndex slot = first; slot < end; ++slot) d[slot] = paths.live(slot) ? d[slot] - mean : 0;
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
