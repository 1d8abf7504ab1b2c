#include "proxstream/traffic/block_sweeps.hpp"

#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

class Sweeper {
  public:
    Sweeper(const Routing& routing, const DemandMix& mix, View x, Scratch& scratch)
        : routing_(routing),
          paths_(routing.paths),
          mix_(mix),
          width_(mix.columns.size()),
          x_(x),
          scratch_(scratch),
          frame_(scratch),
          loads_(frame_.take(routing.costs.links() * width_)),
          moved_(frame_.take(loads_.size())),
          trial_(frame_.take(loads_.size())),
          prices_(frame_.take(loads_.size())),
          curvatures_(frame_.take(loads_.size())),
          slot_prices_(frame_.take(x.size())),
          start_(frame_.take(x.size())),
          demand_(frame_.take(width_)),
          mark_(frame_.take<std::uint32_t>(routing.costs.links())),
          left_(frame_.take<LinkIndex>(routing.costs.links())),
          joined_(frame_.take<LinkIndex>(routing.costs.links())) {
        std::fill(mark_.begin(), mark_.end(), 0);
        find_loads(paths_, mix_.columns, x_, loads_, scratch_);
    }

    /// One Newton model: sweeps, then the search. Returns the fall.
    Real model(Index sweeps) {
        const Real value = price_links(routing_, mix_, loads_, prices_, curvatures_, scratch_);
        for (Real& each : curvatures_) each = std::max<Real>(each, 0);
        copy(x_, start_);
        fill(moved_, 0);
        for (Index i = 0; i < sweeps; ++i) sweep();
        return search(value);
    }

  private:
    /// Of a unit of the whole share of a pair, beyond its links.
    Real extra_price(Index pair, SlotIndex slot, TreeNode root) const {
        Real extra = routing_.share_prices.empty() ? 0 : mix_.weight * routing_.share_prices[slot];
        if (routing_.slack_price != 0 && paths_.leaf(slot) == root) {
            for (const ColumnUse& use : mix_.uses) {
                extra +=
                    routing_.slack_price * use.weight * use.scale * mix_.columns[use.column].demand[pair];
            }
        }
        return extra;
    }

    void sweep() {
        price_paths(paths_, mix_.columns, prices_, slot_prices_, scratch_);
        for (const PathSet::Tree& tree : paths_.trees()) {
            for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) relax(tree, pair);
        }
    }

    /// Share goes from every other path of the pair to its cheapest, or back, as far as the model asks for.
    void relax(const PathSet::Tree& tree, Index pair) {
        const SlotIndex begin = paths_.first_slot(pair);
        const SlotIndex end = paths_.end_slot(pair);
        if (end - begin < 2) return;
        SlotIndex best = end;
        for (SlotIndex slot = begin; slot < end; ++slot) {
            if (!paths_.live(slot)) continue;
            slot_prices_[slot] += extra_price(pair, slot, tree.begin);
            if (best == end || slot_prices_[slot] < slot_prices_[best]) best = slot;
        }
        bool gathered = false;
        for (SlotIndex slot = begin; slot < end; ++slot) {
            if (slot == best || x_[slot] == 0 || !paths_.live(slot)) continue;
            if (!gathered) {
                for (Index k = 0; k < width_; ++k) demand_[k] = mix_.columns[k].demand[pair];
                gathered = true;
            }
            shift(slot, best, extra_price(pair, slot, tree.begin) - extra_price(pair, best, tree.begin));
        }
    }

    void shift(SlotIndex from, SlotIndex to, Real dearer) {
        branch(from, to);
        Real curvature = 0;
        for (Index i = 0; i < left_count_; ++i) add_link(left_[i], 1, dearer, curvature);
        for (Index i = 0; i < joined_count_; ++i) add_link(joined_[i], -1, dearer, curvature);
        // Without curvature everything goes to where it is cheaper.
        Real share = curvature > 0 ? dearer / curvature : dearer > 0 ? x_[from] : dearer < 0 ? -x_[to] : 0;
        share = std::clamp(share, -x_[to], x_[from]);
        if (share == 0) return;
        x_[from] -= share;
        x_[to] += share;
        for (Index i = 0; i < left_count_; ++i) move_link(left_[i], -share);
        for (Index i = 0; i < joined_count_; ++i) move_link(joined_[i], share);
    }

    /// The links of one path that the other does not use, and the other way round. Paths of one pair share
    /// the beginning of their tree; what they share after having parted is marked and left out.
    void branch(SlotIndex from, SlotIndex to) {
        TreeNode a = paths_.leaf(from);
        TreeNode b = paths_.leaf(to);
        left_count_ = joined_count_ = 0;
        while (a != b) {
            if (a > b) {
                left_[left_count_++] = paths_.link(a);
                a = paths_.parent(a);
            } else {
                joined_[joined_count_++] = paths_.link(b);
                b = paths_.parent(b);
            }
        }
        const std::uint32_t seen = ++stamp_;
        const std::uint32_t shared = ++stamp_;
        for (Index i = 0; i < joined_count_; ++i) mark_[joined_[i]] = seen;
        Index kept = 0;
        for (Index i = 0; i < left_count_; ++i) {
            if (mark_[left_[i]] == seen) {
                mark_[left_[i]] = shared;
            } else {
                left_[kept++] = left_[i];
            }
        }
        left_count_ = kept;
        kept = 0;
        for (Index i = 0; i < joined_count_; ++i) {
            if (mark_[joined_[i]] != shared) joined_[kept++] = joined_[i];
        }
        joined_count_ = kept;
    }

    void add_link(LinkIndex link, Real sign, Real& price, Real& curvature) const {
        const Real* at = &prices_[link * width_];
        const Real* bend = &curvatures_[link * width_];
        for (Index k = 0; k < width_; ++k) {
            price += sign * demand_[k] * at[k];
            curvature += demand_[k] * demand_[k] * bend[k];
        }
    }

    void move_link(LinkIndex link, Real share) {
        for (Index k = 0; k < width_; ++k) {
            const Real flow = share * demand_[k];
            moved_[link * width_ + k] += flow;
            prices_[link * width_ + k] += flow * curvatures_[link * width_ + k];
        }
    }

    /// Value and slope of the sum at x = start + part (x - start), from the loads alone.
    struct Along {
        Real value, slope;
    };
    Along along(Real part) {
        step_along(loads_, part, moved_, trial_);
        // Rounding may leave a load a little below 0.
        for (Real& load : trial_) load = std::max<Real>(load, 0);
        const Real value = price_links(routing_, mix_, trial_, prices_, {}, scratch_);
        return {value + part * extra_slope_, dot(prices_, moved_) + extra_slope_};
    }

    void find_extra_slope() {
        extra_slope_ = 0;
        if (routing_.share_prices.empty() && routing_.slack_price == 0) return;
        for (const PathSet::Tree& tree : paths_.trees()) {
            for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
                for (SlotIndex slot = paths_.first_slot(pair); slot < paths_.end_slot(pair); ++slot) {
                    if (x_[slot] != start_[slot])
                        extra_slope_ += (x_[slot] - start_[slot]) * extra_price(pair, slot, tree.begin);
                }
            }
        }
    }

    /// The whole move if the sum still falls at its end; else the slope's zero, by halving.
    Real search(Real before) {
        find_extra_slope();
        constexpr int kMost = 30;
        Real low = 0;
        Real high = 1;
        Along at = along(1);
        Real part = 1;
        for (int i = 0; at.slope > 0 && i < kMost; ++i) {
            // A slope that has nearly vanished is good enough: the next model starts from here.
            if (at.value < before && high - low < 0.25) break;
            part = (low + high) / 2;
            at = along(part);
            (at.slope > 0 ? high : low) = part;
            if (at.slope <= 0 && high - low < 0.25) break;
        }
        if (!(at.value < before)) {
            copy(start_, x_);
            return 0;
        }
        if (part < 1) {
            for (Index i = 0; i < x_.size(); ++i) x_[i] = start_[i] + part * (x_[i] - start_[i]);
        }
        copy(trial_, loads_);
        return before - at.value;
    }

    const Routing& routing_;
    const PathSet& paths_;
    DemandMix mix_;
    Index width_;
    View x_;
    Scratch& scratch_;
    Scratch::Frame frame_;
    View loads_;       // at the start of a model
    View moved_;       // what its sweeps change of them
    View trial_;       // loads along the way
    View prices_;      // of links, by the model as it stands
    View curvatures_;  // of links, at the start of the model
    View slot_prices_;
    View start_;
    View demand_;  // of the pair at hand
    std::span<std::uint32_t> mark_;
    std::span<LinkIndex> left_, joined_;
    Index left_count_ = 0, joined_count_ = 0;
    std::uint32_t stamp_ = 0;
    Real extra_slope_ = 0;
};

}  // namespace

Real sweep_blocks(const Routing& routing, const DemandMix& mix, View x, const SweepOptions& options,
                  Scratch& scratch) {
    if (mix.uses.empty()) return 0;
    Sweeper sweeper(routing, mix, x, scratch);
    Real fall = 0;
    for (Index i = 0; i < options.models; ++i) {
        const Real step = sweeper.model(options.sweeps);
        fall += step;
        if (step == 0) break;
    }
    return fall / routing.unit;
}

}  // namespace proxstream
