#include "traffic/routing.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "tree_walk.hpp"

namespace proxstream {
namespace {

void load_trees(const PathSet& paths, std::span<const DemandColumn> columns, ConstView x,
                const TreeChunk& chunk, Index room, View loads, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View flow = frame.take(largest_tree(paths, chunk) * room);
    const View demand = frame.take(room);
    fill(demand, 0);
    fill(loads, 0);
    for (Index t = chunk.begin; t < chunk.end; ++t)
        load_tree(paths, paths.trees()[t], columns, x, room, demand, flow, loads);
}

void price_trees(const PathSet& paths, std::span<const DemandColumn> columns, ConstView prices,
                 const TreeChunk& chunk, Index room, View gradient, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View price = frame.take(largest_tree(paths, chunk) * room);
    const View demand = frame.take(room);
    fill(demand, 0);
    for (Index t = chunk.begin; t < chunk.end; ++t) {
        const PathSet::Tree& tree = paths.trees()[t];
        const SlotIndex first = paths.first_slot(tree.first_pair);
        const View own = gradient.subspan(first, paths.end_slot(tree.end_pair - 1) - first);
        fill(own, 0);
        price_tree(paths, tree, prices, room, price);
        price_slots(paths, tree, columns, price, room, demand, own);
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
    const std::span<const TreeChunk> chunks = cut_trees(paths, columns.size(), frame);
    const Index room = room_for(columns.size());
    const Index size = columns.empty() ? 0 : loads.size() / columns.size() * room;
    const View parts = frame.take(chunks.size() * size);
    scratch.part(chunks.size() - 1);
    parallel_for(chunks.size(), [&](Index i) {
        load_trees(paths, columns, x, chunks[i], room, parts.subspan(i * size, size), scratch.part(i));
    });
    const View all = parts.first(size);
    constexpr Index kLeastSum = Index{1} << 14;
    for_ranges(size, chunks.size() * size / kLeastSum, [&](Index begin, Index end) {
        for (Index i = 1; i < chunks.size(); ++i)
            axpy(1, parts.subspan(i * size + begin, end - begin), all.subspan(begin, end - begin));
    });
    gather_columns(all, columns.size(), room, loads);
}

void price_paths(const PathSet& paths, std::span<const DemandColumn> columns, ConstView prices, View gradient,
                 Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const std::span<const TreeChunk> chunks = cut_trees(paths, columns.size(), frame);
    const Index room = room_for(columns.size());
    const View spread = frame.take(columns.empty() ? 0 : prices.size() / columns.size() * room);
    spread_columns(prices, columns.size(), room, spread);
    scratch.part(chunks.size() - 1);
    parallel_for(chunks.size(), [&](Index i) {
        price_trees(paths, columns, spread, chunks[i], room, gradient, scratch.part(i));
    });
}

}  // namespace proxstream
