/// Walks over the trees of a path set, several columns side by side in registers. Loads climb a tree, prices
/// come down. What columns a walk has room for is their number rounded up, so that a node's numbers are whole
/// registers; the room left over holds zeros.
#pragma once

#include "proxstream/core/parallel.hpp"
#include "proxstream/core/scratch.hpp"

#include "traffic/routing.hpp"

#include <algorithm>
#include <span>

namespace proxstream {

/// body(begin, end) over at most 16 ranges of [0, size), as many as `wanted`, on several threads.
template <class Body>
void for_ranges(Index size, Index wanted, const Body& body) {
    constexpr Index kMost = 16;
    const Index ranges = std::clamp<Index>(wanted, 1, kMost);
    parallel_for(ranges, [&](Index i) { body(i * size / ranges, (i + 1) * size / ranges); });
}

/// Trees [begin, end).
struct TreeChunk {
    Index begin = 0;
    Index end = 0;
};

/// Cut by work alone, so that neither threads nor machine show in the sums.
std::span<const TreeChunk> cut_trees(const PathSet& paths, Index columns, Scratch::Frame& frame);

/// The most nodes that a tree of the chunk has.
Index largest_tree(const PathSet& paths, const TreeChunk& chunk);

/// Numbers a node: 1, 2, 4 or a multiple of 8.
inline Index room_for(Index columns) {
    if (columns <= 2) return std::max<Index>(columns, 1);
    return columns <= 4 ? 4 : (columns + 7) / 8 * 8;
}

/// by_link[link * columns + k] to to[link * room + k].
void spread_columns(ConstView by_link, Index columns, Index room, View to);
void gather_columns(ConstView spread, Index columns, Index room, View by_link);

/// The demand of a pair in every column, side by side.
inline void gather_demand(std::span<const DemandColumn> columns, Index pair, View demand) {
    for (Index k = 0; k < columns.size(); ++k) {
        demand[k] = columns[k].demand.empty() ? 1 : columns[k].demand[pair];
    }
}

/// Adds what a tree puts on its links to loads[link * room + k]. `flow` has room for its nodes, `demand` for
/// `room` numbers, of which those beyond the columns are 0.
void load_tree(const PathSet& paths, const PathSet::Tree& tree, std::span<const DemandColumn> columns,
               ConstView x, Index room, View demand, View flow, View loads);

/// price[(node - tree.begin) * room + k]: the sum of prices[link * room + k] from the origin to the node.
void price_tree(const PathSet& paths, const PathSet::Tree& tree, ConstView prices, Index room, View price);

/// slot_prices[slot - first slot of the tree]: what price_tree found at the end of its path, times the demand
/// of its pair, over all columns. Empty slots are left alone.
void price_slots(const PathSet& paths, const PathSet::Tree& tree, std::span<const DemandColumn> columns,
                 ConstView price, Index room, View demand, View slot_prices);

/// What it costs more, per share of a pair's demand, to go along `left` than along `joined`, and what moving
/// a share changes of that. demand.size() is the room.
struct Slope {
    Real price = 0;
    Real curvature = 0;
};
Slope compare_links(ConstView demand, std::span<const LinkIndex> left, std::span<const LinkIndex> joined,
                    ConstView prices, ConstView curvatures);

/// A share of a pair's demand onto links, whose prices follow.
void move_links(ConstView demand, Real share, std::span<const LinkIndex> links, ConstView curvatures,
                View moved, View prices);

}  // namespace proxstream
