#include "proxstream/traffic/block_sweeps.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "tree_walk.hpp"

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
          demand_(frame_.take(room_)),
          mark_(frame_.take<std::uint32_t>(routing.costs.links())),
          left_(frame_.take<LinkIndex>(routing.costs.links())),
          joined_(frame_.take<LinkIndex>(routing.costs.links())) {
        std::fill(mark_.begin(), mark_.end(), 0);
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
        Real dearer;  // beyond the links' prices
        std::uint32_t pair;
    };

    /// What is to be moved is found at the prices of the beginning, for all trees at once; the moves are made
    /// one after the other, at prices as they have become.
    void sweep() {
        Scratch::Frame frame(scratch_);
        const std::span<const TreeChunk> chunks = cut_trees(paths_, width_, frame);
        const std::span<Index> counts = frame.take<Index>(chunks.size());
        scratch_.part(chunks.size() - 1);
        parallel_for(chunks.size(), [&](Index i) { counts[i] = find_moves(chunks[i], scratch_.part(i)); });
        for (Index i = 0; i < chunks.size(); ++i) {
            const std::span<const Move> moves = moves_of(chunks[i]);
            for (Index k = 0; k < counts[i]; ++k) shift(moves[k]);
        }
    }

    /// A chunk has no more moves than slots: each has its own part of the list.
    std::span<Move> moves_of(const TreeChunk& chunk) const {
        if (chunk.begin == chunk.end) return {};
        const SlotIndex first = paths_.first_slot(paths_.trees()[chunk.begin].first_pair);
        return moves_.subspan(first, paths_.end_slot(paths_.trees()[chunk.end - 1].end_pair - 1) - first);
    }

    Index find_moves(const TreeChunk& chunk, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const View price = frame.take(largest_tree(paths_, chunk) * room_);
        const View demand = frame.take(room_);
        fill(demand, 0);
        const std::span<Move> moves = moves_of(chunk);
        const View slot_prices = frame.take(moves.size());
        Index count = 0;
        for (Index t = chunk.begin; t < chunk.end; ++t) {
            const PathSet::Tree& tree = paths_.trees()[t];
            price_tree(paths_, tree, spread_prices_, room_, price);
            price_slots(paths_, tree, mix_.columns, price, room_, demand, slot_prices);
            const Real* first_price = slot_prices.data() - paths_.first_slot(tree.first_pair);
            for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair)
                find_moves(tree, pair, first_price, moves, count);
        }
        return count;
    }

    /// From every other path of the pair that is used to its cheapest.
    void find_moves(const PathSet::Tree& tree, Index pair, const Real* prices, std::span<Move> moves,
                    Index& count) const {
        const SlotIndex begin = paths_.first_slot(pair);
        const SlotIndex end = paths_.end_slot(pair);
        if (end - begin < 2) return;
        SlotIndex best = end;
        Real lowest = kInfinity;
        for (SlotIndex slot = begin; slot < end; ++slot) {
            if (!paths_.live(slot)) continue;
            const Real price = prices[slot] + extra_price(pair, slot, tree.begin);
            if (best != end && !(price < lowest)) continue;
            best = slot;
            lowest = price;
        }
        for (SlotIndex slot = begin; slot < end; ++slot) {
            if (slot == best || x_[slot] == 0 || !paths_.live(slot)) continue;
            moves[count++] = {slot, best,
                              extra_price(pair, slot, tree.begin) - extra_price(pair, best, tree.begin),
                              static_cast<std::uint32_t>(pair)};
        }
    }

    /// As far as the model asks for.
    void shift(const Move& move) {
        branch(move.from, move.to);
        gather_demand(mix_.columns, move.pair, demand_);
        const ConstView demand = demand_;
        const Slope slope =
            compare_links(demand, {left_.data(), left_count_}, {joined_.data(), joined_count_},
                          spread_prices_, spread_curvatures_);
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
        move_links(demand, -share, {left_.data(), left_count_}, spread_curvatures_, spread_moved_,
                   spread_prices_);
        move_links(demand, share, {joined_.data(), joined_count_}, spread_curvatures_, spread_moved_,
                   spread_prices_);
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
    std::span<Move> moves_;  // by slot: more there cannot be
    View demand_;            // of the pair at hand
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
