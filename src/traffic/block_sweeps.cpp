#include "traffic/block_sweeps.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "fork.hpp"
#include "tree_walk.hpp"

#include <algorithm>
#include <limits>

namespace proxstream {
namespace {

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

    /// One Newton model: sweeps, then the search. Returns the fall.
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

    /// Share that may go from one path of a pair to its cheapest, or back.
    struct Move {
        SlotIndex from, to;
        std::uint32_t pair;
        std::uint32_t left, joined;  // how many links only one of the paths has
        Real dearer;                 // beyond the links' prices
    };
    static constexpr std::uint32_t kNotListed = std::numeric_limits<std::uint32_t>::max();

    /// The moves of a chunk of trees, their links one behind the other. Its part of the memory is that of its
    /// slots: more moves there cannot be, and where links need more room they are looked up again.
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

    /// What is to be moved is found at the prices of the beginning, for all trees at once; the moves are made
    /// one after the other, at prices as they have become.
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

    MoveList find_moves(const TreeChunk& chunk, Scratch& scratch) const {
        if (chunk.begin == chunk.end) return {};
        const SlotIndex first = paths_.first_slot(paths_.trees()[chunk.begin].first_pair);
        const Index slots = paths_.end_slot(paths_.trees()[chunk.end - 1].end_pair - 1) - first;
        MoveList list{moves_.subspan(first, slots),
                      links_.subspan(kLinksPerSlot * first, kLinksPerSlot * slots)};
        Scratch::Frame frame(scratch);
        const View price = frame.take(largest_tree(paths_, chunk) * room_);
        const View demand = frame.take(room_);
        const View slot_prices = frame.take(slots);
        Fork fork(paths_, routing_.costs.links(), frame);
        fill(demand, 0);
        for (Index t = chunk.begin; t < chunk.end; ++t) {
            const PathSet::Tree& tree = paths_.trees()[t];
            price_tree(paths_, tree, spread_prices_, room_, price);
            price_slots(paths_, tree, mix_.columns, price, room_, demand, slot_prices);
            const SlotIndex tree_first = paths_.first_slot(tree.first_pair);
            for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair)
                find_moves(tree, pair, slot_prices, tree_first, fork, list);
        }
        return list;
    }

    /// From every other path of the pair that is used to its cheapest.
    void find_moves(const PathSet::Tree& tree, Index pair, ConstView prices, SlotIndex first, Fork& fork,
                    MoveList& list) const {
        const std::span<const SlotIndex> slots = paths_.live_slots(pair);
        if (slots.size() < 2) return;
        SlotIndex best = slots[0];
        Real lowest = prices[best - first] + extra_price(pair, best, tree.begin);
        for (const SlotIndex slot : slots.subspan(1)) {
            const Real price = prices[slot - first] + extra_price(pair, slot, tree.begin);
            best = price < lowest ? slot : best;
            lowest = price < lowest ? price : lowest;
        }
        for (const SlotIndex slot : slots) {
            if (slot == best || x_[slot] == 0) continue;
            fork.find(slot, best);
            const Real dearer = extra_price(pair, slot, tree.begin) - extra_price(pair, best, tree.begin);
            list.add({slot, best, static_cast<std::uint32_t>(pair), 0, 0, dearer}, fork);
        }
    }

    /// As far as the model asks for.
    void shift(const Move& move, std::span<const LinkIndex> left, std::span<const LinkIndex> joined) {
        gather_demand(mix_.columns, move.pair, demand_);
        const Slope slope = compare_links(demand_, left, joined, spread_prices_, spread_curvatures_);
        const Real dearer = move.dearer + slope.price;
        const Real have = x_[move.from];
        const Real there = x_[move.to];
        // Without curvature everything goes to where it is cheaper.
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
    Index room_;
    View x_;
    Scratch& scratch_;
    Scratch::Frame frame_;
    View loads_;       // at the start of a model
    View moved_;       // what its sweeps change of them
    View trial_;       // loads along the way
    View prices_;      // of links, at the start of the model or along the way
    View curvatures_;  // of links, at the start of the model
    // With room for whole registers a link: the prices by the model as it stands, and what it is made of.
    View spread_prices_, spread_curvatures_, spread_moved_;
    View start_;
    std::span<Move> moves_;       // by slot
    std::span<LinkIndex> links_;  // kLinksPerSlot of them
    View demand_;                 // of the pair at hand
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
