#include "traffic/column_pricer.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {
namespace {

constexpr Index kParts = 16;

/// The price of the pair's cheapest path, slack excluded; kInfinity if it has none.
Real lowest_price(const PathSet& paths, Index pair, ConstView prices) {
    Real lowest = kInfinity;
    for (const SlotIndex slot : paths.live_slots(pair)) {
        if (!paths.slack(slot)) lowest = std::min(lowest, prices[slot]);
    }
    return lowest;
}

/// An empty slot, or that of the most expensive unused path, or the end.
SlotIndex slot_for(const PathSet& paths, Index pair, ConstView x, ConstView prices) {
    const SlotIndex end = paths.end_slot(pair);
    SlotIndex unused = end;
    for (SlotIndex slot = paths.first_slot(pair); slot < end; ++slot) {
        if (!paths.live(slot)) return slot;
        if (x[slot] != 0 || paths.slack(slot)) continue;
        if (unused == end || prices[slot] > prices[unused]) unused = slot;
    }
    return unused;
}

}  // namespace

struct ColumnPricer::Task {
    const Routing& routing;
    const DemandMix& mix;
    ConstView x;
    Real margin;
};

struct ColumnPricer::Part {
    Part(ShortestPaths& with) : search(with) {}
    ShortestPaths& search;
    Pricing found;
    std::vector<LinkIndex> path;
};

ColumnPricer::ColumnPricer(const Network& network) : searches_(kParts, ShortestPaths(network)) {
    for (const Link& link : network.all_links()) free_times_.push_back(link.free_time);
}

Pricing ColumnPricer::price(const Routing& routing, const DemandMix& mix, ConstView x, Real margin,
                            Scratch& scratch) {
    const Index width = mix.columns.size();
    const Index links = routing.costs.links();
    link_prices_.resize(links * width);
    mean_prices_.assign(links, 0);
    slot_prices_.resize(x.size());
    slot_mean_prices_.resize(x.size());
    {
        Scratch::Frame frame(scratch);
        const View loads = frame.take(links * width);
        find_loads(routing.paths, mix.columns, x, loads, scratch);
        price_links(routing, mix, loads, link_prices_, {}, scratch);
    }
    for (Index k = 0; k < width; ++k) {
        const Real size = width == 1 ? 1 : sum(mix.columns[k].demand);
        for (Index link = 0; link < links; ++link)
            mean_prices_[link] += size * link_prices_[link * width + k];
    }
    for (Index link = 0; link < routing.closed.size(); ++link) {
        if (routing.closed[link] != 0) mean_prices_[link] = kInfinity;
    }
    price_paths(routing.paths, mix.columns, link_prices_, slot_prices_, scratch);
    const DemandColumn ones{};
    price_paths(routing.paths, {&ones, 1}, mean_prices_, slot_mean_prices_, scratch);

    const auto trees = routing.paths.trees();
    const Index parts = std::min(kParts, trees.size());
    const Task task{routing, mix, x, margin};
    std::vector<Part> work(searches_.begin(), searches_.begin() + static_cast<std::ptrdiff_t>(parts));
    parallel_for(parts, [&](Index i) {
        for (Index t = i * trees.size() / parts; t < (i + 1) * trees.size() / parts; ++t)
            price_origin(task, trees[t], work[i]);
    });
    Pricing all;
    for (Part& part : work) {
        all.total += part.found.total;
        all.lowest += part.found.lowest;
        all.full += part.found.full;
        std::move(part.found.changes.begin(), part.found.changes.end(), std::back_inserter(all.changes));
    }
    return all;
}

void ColumnPricer::price_origin(const Task& task, const PathSet::Tree& tree, Part& part) const {
    const PathSet& paths = task.routing.paths;
    part.search.run(paths.pair(tree.first_pair).origin, mean_prices_);
    for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
        Real demand = 0;
        for (const ColumnUse& use : task.mix.uses)
            demand += use.weight * use.scale * task.mix.columns[use.column].demand[pair];
        if (!(demand > 0)) continue;
        const Real present = price_present(task, pair, part);
        const Real lowest = price_missing(task, pair, present, part);
        if (lowest < kInfinity) part.found.lowest += lowest;  // otherwise the destination is unreachable
    }
}

/// Adds up the prices of the pair's paths. Returns the lowest one; kInfinity if there are none.
Real ColumnPricer::price_present(const Task& task, Index pair, Part& part) const {
    const Routing& routing = task.routing;
    const PathSet& paths = routing.paths;
    Real slack = 0;  // the price of not serving the pair
    for (const ColumnUse& use : task.mix.uses)
        slack += routing.slack_price * (use.weight * use.scale * task.mix.columns[use.column].demand[pair]);
    Real lowest = kInfinity;
    for (const SlotIndex slot : paths.live_slots(pair)) {
        const Real own = slot_prices_[slot] + (paths.slack(slot) ? slack : 0) +
                         (routing.share_prices.empty() ? 0 : task.mix.weight * routing.share_prices[slot]);
        part.found.total += task.x[slot] * own;
        lowest = std::min(lowest, own);
    }
    return lowest;
}

/// Adds the path from the search if it is cheaper than all paths of the pair. Returns the lowest price after
/// that.
Real ColumnPricer::price_missing(const Task& task, Index pair, Real lowest, Part& part) const {
    const PathSet& paths = task.routing.paths;
    const Real factor = 1 - task.margin;
    const NodeIndex destination = paths.pair(pair).destination;
    if (!part.search.reaches(destination) ||
        !(part.search.distance(destination) < factor * lowest_price(paths, pair, slot_mean_prices_)))
        return lowest;
    part.search.path(destination, part.path);
    const Index width = task.mix.columns.size();
    Real price = 0;
    for (const LinkIndex link : part.path) {
        price += task.mix.weight * task.routing.path_price * free_times_[link];
        for (Index k = 0; k < width; ++k)
            price += task.mix.columns[k].demand[pair] * link_prices_[link * width + k];
    }
    if (!(price < factor * lowest)) return lowest;
    const SlotIndex slot = slot_for(paths, pair, task.x, slot_prices_);
    if (slot < paths.end_slot(pair)) {
        part.found.changes.push_back({slot, true, part.path});
    } else {
        ++part.found.full;
    }
    return price;
}

}  // namespace proxstream
