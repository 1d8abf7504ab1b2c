#include "proxstream/traffic/routing.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include <algorithm>

namespace proxstream {
namespace {

/// Trees [begin, end).
struct Chunk {
    Index begin = 0;
    Index end = 0;
};

/// Cut by work alone, so that neither threads nor machine show in the sums.
std::span<const Chunk> cut(const PathSet& paths, Index columns, Scratch::Frame& frame) {
    constexpr Index kLeastWork = Index{1} << 16;
    constexpr Index kMostChunks = 16;
    const Index work = paths.tree_nodes() * columns;
    const Index count = std::clamp<Index>(work / kLeastWork, 1, kMostChunks);
    const std::span<Chunk> chunks = frame.take<Chunk>(count);
    const auto trees = paths.trees();
    Index begin = 0;
    for (Index i = 0; i < count; ++i) {
        const Index target = (i + 1) * paths.tree_nodes() / count;
        Index end = begin;
        while (end < trees.size() && (i + 1 == count || trees[end].end <= target)) ++end;
        chunks[i] = {begin, end};
        begin = end;
    }
    return chunks;
}

Index largest_tree(const PathSet& paths, const Chunk& chunk) {
    Index most = 0;
    for (Index t = chunk.begin; t < chunk.end; ++t) {
        most = std::max<Index>(most, paths.trees()[t].end - paths.trees()[t].begin);
    }
    return most;
}

/// The demand of a pair in every column, side by side.
void gather(std::span<const DemandColumn> columns, Index pair, View demand) {
    for (Index k = 0; k < columns.size(); ++k) {
        demand[k] = columns[k].demand.empty() ? 1 : columns[k].demand[pair];
    }
}

void load_trees(const PathSet& paths, std::span<const DemandColumn> columns, ConstView x, const Chunk& chunk,
                View loads, Scratch& scratch) {
    const Index width = columns.size();
    fill(loads, 0);
    Scratch::Frame frame(scratch);
    const View flow = frame.take(largest_tree(paths, chunk) * width);
    const View demand = frame.take(width);
    for (Index t = chunk.begin; t < chunk.end; ++t) {
        const PathSet::Tree& tree = paths.trees()[t];
        const Index size = tree.end - tree.begin;
        fill(flow.first(size * width), 0);
        for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
            gather(columns, pair, demand);
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
                if (x[slot] == 0 || !paths.live(slot)) continue;
                Real* at = &flow[(paths.leaf(slot) - tree.begin) * width];
                for (Index k = 0; k < width; ++k) at[k] += x[slot] * demand[k];
            }
        }
        // Children come after their parents: from the back, everything below a node has reached it.
        for (TreeNode node = tree.end - 1; node > tree.begin; --node) {
            const Real* at = &flow[(node - tree.begin) * width];
            Real* above = &flow[(paths.parent(node) - tree.begin) * width];
            Real* load = &loads[paths.link(node) * width];
            for (Index k = 0; k < width; ++k) {
                above[k] += at[k];
                load[k] += at[k];
            }
        }
    }
}

void price_trees(const PathSet& paths, std::span<const DemandColumn> columns, ConstView prices,
                 const Chunk& chunk, View gradient, Scratch& scratch) {
    const Index width = columns.size();
    Scratch::Frame frame(scratch);
    const View price = frame.take(largest_tree(paths, chunk) * width);
    const View demand = frame.take(width);
    for (Index t = chunk.begin; t < chunk.end; ++t) {
        const PathSet::Tree& tree = paths.trees()[t];
        fill(price.first(width), 0);
        for (TreeNode node = tree.begin + 1; node < tree.end; ++node) {
            const Real* above = &price[(paths.parent(node) - tree.begin) * width];
            const Real* link = &prices[paths.link(node) * width];
            Real* at = &price[(node - tree.begin) * width];
            for (Index k = 0; k < width; ++k) at[k] = above[k] + link[k];
        }
        for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
            gather(columns, pair, demand);
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
                if (!paths.live(slot)) {
                    gradient[slot] = 0;
                    continue;
                }
                const Real* at = &price[(paths.leaf(slot) - tree.begin) * width];
                Real total = 0;
                for (Index k = 0; k < width; ++k) total += demand[k] * at[k];
                gradient[slot] = total;
            }
        }
    }
}

}  // namespace

void Routing::exchange(Checkpoint& checkpoint) {
    checkpoint.part("paths", paths);
    checkpoint.part("capacities", costs);
    checkpoint.fixed("share prices", share_prices);
    std::vector<std::uint32_t> shut(closed.begin(), closed.end());
    checkpoint.list("closed", shut);
    checkpoint.require(shut.size() == closed.size(), "a word for every link");
    closed.assign(shut.begin(), shut.end());
    checkpoint.exchange("unit", unit);
}

void find_loads(const PathSet& paths, std::span<const DemandColumn> columns, ConstView x, View loads,
                Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const std::span<const Chunk> chunks = cut(paths, columns.size(), frame);
    if (chunks.size() == 1) {
        load_trees(paths, columns, x, chunks[0], loads, scratch);
        return;
    }
    const View parts = frame.take(chunks.size() * loads.size());
    scratch.part(chunks.size() - 1);
    parallel_for(chunks.size(), [&](Index i) {
        load_trees(paths, columns, x, chunks[i], parts.subspan(i * loads.size(), loads.size()),
                   scratch.part(i));
    });
    copy(parts.first(loads.size()), loads);
    for (Index i = 1; i < chunks.size(); ++i) {
        axpy(1, parts.subspan(i * loads.size(), loads.size()), loads);
    }
}

void price_paths(const PathSet& paths, std::span<const DemandColumn> columns, ConstView prices, View gradient,
                 Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const std::span<const Chunk> chunks = cut(paths, columns.size(), frame);
    scratch.part(chunks.size() - 1);
    parallel_for(chunks.size(),
                 [&](Index i) { price_trees(paths, columns, prices, chunks[i], gradient, scratch.part(i)); });
}

}  // namespace proxstream
