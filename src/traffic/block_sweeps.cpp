#include "traffic/block_sweeps.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "tree_walk.hpp"

#include <algorithm>
#include <limits>

namespace proxstream {
namespace {

/// Where two paths of one pair part: the links that only one of them uses.
class Fork {
  public:
    /// Its memory is the frame's.
    Fork(const PathSet& paths, Index links, Scratch::Frame& frame)
        : paths_(paths),
          mark_(frame.take<std::uint32_t>(links)),
          left_(frame.take<LinkIndex>(links)),
          joined_(frame.take<LinkIndex>(links)) {
        std::fill(mark_.begin(), mark_.end(), 0);
    }

    /// Paths of one pair share the beginning of their tree. Links that they share after having parted are
    /// marked and left out.
    void find(SlotIndex from, SlotIndex to) {
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
    std::span<const LinkIndex> left() const { return left_.first(left_count_); }        // of `from` alone
    std::span<const LinkIndex> joined() const { return joined_.first(joined_count_); }  // of `to` alone

  private:
    const PathSet& paths_;
    std::span<std::uint32_t> mark_;  // by link
    std::span<LinkIndex> left_, joined_;
    Index left_count_ = 0, joined_count_ = 0;
    std::uint32_t stamp_ = 0;
};

class Sweeper {
  public:
    Sweeper(const Routing& routing, const DemandMix& mix, View x, Scratch& scratch)
        : routing_(routing),
          paths_(routing.paths),
          mix_(mix),
          width_(mix.columns.size()),
          room_(room_for(width_)),
          x_(x),
          scratch_(scratch),
          frame_(scratch),
          loads_(frame_.take(routing.costs.links() * width_)),
          moved_(frame_.take(loads_.size())),
          trial_(frame_.take(loads_.size())),
          prices_(frame_.take(loads_.size())),
          curvatures_(frame_.take(loads_.size())),
          spread_prices_(frame_.take(routing.costs.links() * room_)),
          spread_curvatures_(frame_.take(spread_prices_.size())),
          spread_moved_(frame_.take(spread_prices_.size())),
          start_(frame_.take(x.size())),
          moves_(frame_.take<Move>(x.size())),
          links_(frame_.take<LinkIndex>(kLinksPerSlot * x.size())),
          demand_(frame_.take(room_)),
          fork_(paths_, routing.costs.links(), frame_) {
        fill(demand_, 0);
        find_loads(paths_, mix_.columns, x_, loads_, scratch_);
    }

    /// One Newton model: sweeps, then the search. Returns the decrease.
    Real model(Index sweeps) {
        const Real value = price_links(routing_, mix_, loads_, prices_, curvatures_, scratch_);
        for (Real& each : curvatures_) each = std::max<Real>(each, 0);
        copy(x_, start_);
        spread_columns(prices_, width_, room_, spread_prices_);
        spread_columns(curvatures_, width_, room_, spread_curvatures_);
        fill(spread_moved_, 0);
        for (Index i = 0; i < sweeps; ++i) sweep();
        gather_columns(spread_moved_, width_, room_, moved_);
        return search(value);
    }

  private:
    static constexpr Index kLinksPerSlot = 2;

    /// The price of a pair's whole share beyond link prices.
    Real extra_price(Index pair, SlotIndex slot) const {
        Real extra = routing_.share_prices.empty() ? 0 : mix_.weight * routing_.share_prices[slot];
        if (routing_.slack_price != 0 && paths_.slack(slot)) {
            for (const ColumnUse& use : mix_.uses) {
                extra +=
                    routing_.slack_price * use.weight * use.scale * mix_.columns[use.column].demand[pair];
            }
        }
        return extra;
    }

    /// Share that may go from one path of a pair to its cheapest, or back.
    struct Move {
        SlotIndex from, to;
        std::uint32_t pair;
        std::uint32_t left, joined;  // numbers of links on only one of the paths
        Real dearer;                 // beyond the prices of links
    };
    static constexpr std::uint32_t kNotListed = std::numeric_limits<std::uint32_t>::max();

    /// The moves of a chunk of trees, at most one for each of its slots. Their links are stored in one array;
    /// links that do not fit are found again.
    struct MoveList {
        std::span<Move> moves;
        std::span<LinkIndex> links;
        Index count = 0;
        Index links_used = 0;

        void add(Move move, const Fork& fork) {
            const Index size = fork.left().size() + fork.joined().size();
            if (links.size() - links_used < size) {
                move.left = kNotListed;
            } else {
                move.left = static_cast<std::uint32_t>(fork.left().size());
                move.joined = static_cast<std::uint32_t>(fork.joined().size());
                const auto to = links.begin() + static_cast<std::ptrdiff_t>(links_used);
                std::copy(fork.joined().begin(), fork.joined().end(),
                          std::copy(fork.left().begin(), fork.left().end(), to));
                links_used += size;
            }
            moves[count++] = move;
        }
    };

    /// Finds the moves of all trees in parallel, at the prices before the sweep. Then makes them one by one,
    /// at current prices.
    void sweep() {
        Scratch::Frame frame(scratch_);
        const std::span<const TreeChunk> chunks = cut_trees(paths_, width_, frame);
        const std::span<MoveList> lists = frame.take<MoveList>(chunks.size());
        scratch_.part(chunks.size() - 1);
        parallel_for(chunks.size(), [&](Index i) { lists[i] = find_moves(chunks[i], scratch_.part(i)); });
        for (const MoveList& list : lists) {
            std::span<const LinkIndex> links = list.links;
            for (const Move& move : list.moves.first(list.count)) {
                if (move.left == kNotListed) {
                    fork_.find(move.from, move.to);
                    shift(move, fork_.left(), fork_.joined());
                } else {
                    shift(move, links.first(move.left), links.subspan(move.left, move.joined));
                    links = links.subspan(Index{move.left} + move.joined);
                }
            }
        }
    }

    MoveList find_moves(TreeChunk chunk, Scratch& scratch) const {
        if (chunk.empty()) return {};
        const SlotIndex first = paths_.first_slot(chunk.front().first_pair);
        const Index slots = paths_.end_slot(chunk.back().end_pair - 1) - first;
        MoveList list{moves_.subspan(first, slots),
                      links_.subspan(kLinksPerSlot * first, kLinksPerSlot * slots)};
        Scratch::Frame frame(scratch);
        const TreeWalk walk(paths_, chunk, mix_.columns, frame);
        const View slot_prices = frame.take(slots);
        Fork fork(paths_, routing_.costs.links(), frame);
        for (const PathSet::Tree& tree : chunk) {
            price_tree(walk, tree, spread_prices_, slot_prices);
            const SlotIndex tree_first = paths_.first_slot(tree.first_pair);
            for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair)
                find_moves(pair, slot_prices, tree_first, fork, list);
        }
        return list;
    }

    /// Collects moves from every used path of the pair to its cheapest one.
    void find_moves(Index pair, ConstView prices, SlotIndex first, Fork& fork, MoveList& list) const {
        const std::span<const SlotIndex> slots = paths_.live_slots(pair);
        if (slots.size() < 2) return;
        SlotIndex best = slots[0];
        Real lowest = prices[best - first] + extra_price(pair, best);
        for (const SlotIndex slot : slots.subspan(1)) {
            const Real price = prices[slot - first] + extra_price(pair, slot);
            best = price < lowest ? slot : best;
            lowest = price < lowest ? price : lowest;
        }
        for (const SlotIndex slot : slots) {
            if (slot == best || x_[slot] == 0) continue;
            fork.find(slot, best);
            const Real dearer = extra_price(pair, slot) - extra_price(pair, best);
            list.add({slot, best, static_cast<std::uint32_t>(pair), 0, 0, dearer}, fork);
        }
    }

    /// Moves the share that minimises the model.
    void shift(const Move& move, std::span<const LinkIndex> left, std::span<const LinkIndex> joined) {
        gather_demand(mix_.columns, move.pair, demand_);
        const Slope slope = compare_links(demand_, left, joined, spread_prices_, spread_curvatures_);
        const Real dearer = move.dearer + slope.price;
        const Real have = x_[move.from];
        const Real there = x_[move.to];
        // Without curvature, the whole share goes to the cheaper path.
        Real share = slope.curvature > 0 ? dearer / slope.curvature
                     : dearer > 0        ? have
                     : dearer < 0        ? -there
                                         : 0;
        share = std::clamp(share, -there, have);
        if (share == 0) return;
        x_[move.from] -= share;
        x_[move.to] += share;
        move_links(demand_, -share, left, spread_curvatures_, spread_moved_, spread_prices_);
        move_links(demand_, share, joined, spread_curvatures_, spread_moved_, spread_prices_);
    }

    /// Value and slope of the sum at start + part (x - start), from the loads alone.
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
        for (Index pair = 0; pair < paths_.pairs(); ++pair) {
            for (const SlotIndex slot : paths_.live_slots(pair)) {
                if (x_[slot] != start_[slot])
                    extra_slope_ += (x_[slot] - start_[slot]) * extra_price(pair, slot);
            }
        }
    }

    /// Takes the whole move if the sum still decreases at its end. Otherwise finds the zero of the slope by
    /// bisection.
    Real search(Real before) {
        find_extra_slope();
        constexpr int kMost = 30;
        Real low = 0;
        Real high = 1;
        Along at = along(1);
        Real part = 1;
        for (int i = 0; at.slope > 0 && i < kMost; ++i) {
            // The next model starts from here, so a rough zero is enough.
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
    Index room_;
    View x_;
    Scratch& scratch_;
    Scratch::Frame frame_;
    View loads_;       // at the start of a model
    View moved_;       // the change of loads by its sweeps
    View trial_;       // loads along the way
    View prices_;      // of links, at the start of the model or along the way
    View curvatures_;  // of links, at the start of the model
    // Padded to whole registers per link: the current prices of the model, its curvatures, and the moved
    // loads.
    View spread_prices_, spread_curvatures_, spread_moved_;
    View start_;
    std::span<Move> moves_;       // by slot
    std::span<LinkIndex> links_;  // kLinksPerSlot of them
    View demand_;                 // of the current pair
    Fork fork_;
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
