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

/// An empty slot, else that of the dearest unused path, else the end.
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
    std::vector<Part> work(searches_.begin(), searches_.begin() + static_cast<std::ptrdiff_t>(parts));
    parallel_for(parts, [&](Index i) {
        for (Index t = i * trees.size() / parts; t < (i + 1) * trees.size() / parts; ++t) {
            price_origin(routing, mix, x, trees[t], margin, work[i]);
        }
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

void ColumnPricer::price_origin(const Routing& routing, const DemandMix& mix, ConstView x,
                                const PathSet::Tree& tree, Real margin, Part& part) const {
    const PathSet& paths = routing.paths;
    const Index width = mix.columns.size();
    part.search.run(paths.pair(tree.first_pair).origin, mean_prices_);
    for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
        Real slack = 0;  // the price of not serving the pair
        Real demand = 0;
        for (const ColumnUse& use : mix.uses) {
            const Real share = use.weight * use.scale * mix.columns[use.column].demand[pair];
            demand += share;
            slack += routing.slack_price * share;
        }
        if (!(demand > 0)) continue;
        Real lowest = kInfinity;
        for (const SlotIndex slot : paths.live_slots(pair)) {
            const Real own = slot_prices_[slot] + (paths.slack(slot) ? slack : 0) +
                             (routing.share_prices.empty() ? 0 : mix.weight * routing.share_prices[slot]);
            part.found.total += x[slot] * own;
            lowest = std::min(lowest, own);
        }
        const NodeIndex destination = paths.pair(pair).destination;
        if (part.search.reaches(destination) &&
            part.search.distance(destination) < (1 - margin) * lowest_price(paths, pair, slot_mean_prices_)) {
            part.search.path(destination, part.path);
            Real price = 0;
            for (const LinkIndex link : part.path) {
                price += mix.weight * routing.path_price * free_times_[link];
                for (Index k = 0; k < width; ++k)
                    price += mix.columns[k].demand[pair] * link_prices_[link * width + k];
            }
            if (price < (1 - margin) * lowest) {
                lowest = price;
                const SlotIndex slot = slot_for(paths, pair, x, slot_prices_);
                if (slot < paths.end_slot(pair)) {
                    part.found.changes.push_back({slot, true, part.path});
                } else {
                    ++part.found.full;
                }
            }
        }
        if (lowest < kInfinity) part.found.lowest += lowest;  // else nothing leads there
    }
}

}  // namespace proxstream
