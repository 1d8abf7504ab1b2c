/// Walks over the trees of a path set: loads are summed towards the root, prices away from it. Several
/// columns are processed side by side in registers. Their number is rounded up to `room`, so that the numbers
/// of a node fill whole registers; the padding is 0.
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

using TreeChunk = std::span<const PathSet::Tree>;

/// Chunks for several threads. They depend only on the work, so sums have the same bits on every machine.
std::span<const TreeChunk> cut_trees(const PathSet& paths, Index columns, Scratch::Frame& frame);

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

/// Data shared by the walks over the trees of a chunk. The memory belongs to the frame.
struct TreeWalk {
    TreeWalk(const PathSet& of, TreeChunk chunk, std::span<const DemandColumn> demands,
             Scratch::Frame& frame);

    const PathSet& paths;
    std::span<const DemandColumn> columns;
    View nodes;   // for the numbers of all nodes of a tree
    View demand;  // of a pair in every column; its size is the room
};

/// Adds the loads of a tree to loads[link * room + k].
void load_tree(const TreeWalk& walk, const PathSet::Tree& tree, ConstView x, View loads);

/// slot_prices[slot - first slot of the tree]: the sum of prices[link * room + k] along the path times the
/// demand of the pair, over all columns. Empty slots are not written.
void price_tree(const TreeWalk& walk, const PathSet::Tree& tree, ConstView prices, View slot_prices);

/// The cost of a path minus that of another path, per share of a pair's demand, and its derivative as a share
/// moves. `left` and `joined` are the links on only one of them; demand.size() is the room.
struct Slope {
    Real price = 0;
    Real curvature = 0;
};
Slope compare_links(ConstView demand, std::span<const LinkIndex> left, std::span<const LinkIndex> joined,
                    ConstView prices, ConstView curvatures);

/// Moves a share of a pair's demand onto links and updates their prices.
void move_links(ConstView demand, Real share, std::span<const LinkIndex> links, ConstView curvatures,
                View moved, View prices);

}  // namespace proxstream
