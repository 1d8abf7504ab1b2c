#include "traffic/routing.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "tree_walk.hpp"

namespace proxstream {

void Routing::serialise(StateArchive& archive) {
    archive.fields(Field{"paths", paths}, Field{"capacities", costs});
    archive.fixed("share prices", share_prices);
    std::vector<std::uint32_t> shut(closed.begin(), closed.end());
    archive.list("closed", shut);
    archive.require(shut.size() == closed.size(), "a word for every link");
    closed.assign(shut.begin(), shut.end());
    archive.field("unit", unit);
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
        Scratch::Frame own(scratch.part(i));
        const TreeWalk walk(paths, chunks[i], columns, own);
        const View part = parts.subspan(i * size, size);
        fill(part, 0);
        for (const PathSet::Tree& tree : chunks[i]) load_tree(walk, tree, x, part);
    });
    const View all = parts.first(size);
    constexpr Index kLeastSum = Index{1} << 14;
    for_ranges(size, chunks.size() * size / kLeastSum, [&](Index begin, Index end) {
        for (Index i = 1; i < chunks.size(); ++i)
            axpy(1, parts.subspan(i * size + begin, end - begin), all.subspan(begin, end - begin));
    });
    gather_columns(all, columns.size(), room, loads);
}

void find_loads(const PathSet& paths, ConstView demand, ConstView x, View loads, Scratch& scratch) {
    const DemandColumn column{demand};
    find_loads(paths, {&column, 1}, x, loads, scratch);
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
        Scratch::Frame own(scratch.part(i));
        const TreeWalk walk(paths, chunks[i], columns, own);
        for (const PathSet::Tree& tree : chunks[i]) {
            const SlotIndex first = paths.first_slot(tree.first_pair);
            const View prices_of_tree = gradient.subspan(first, paths.end_slot(tree.end_pair - 1) - first);
            fill(prices_of_tree, 0);
            price_tree(walk, tree, spread, prices_of_tree);
        }
    });
}

}  // namespace proxstream
