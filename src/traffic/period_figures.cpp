#include "traffic/period_figures.hpp"

#include "proxstream/core/linalg.hpp"

#include "traffic/demand_batch.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

void note_utilisation(const Routing& routing, LinkFigures& links, PeriodFigures& figures) {
    std::vector<Real> sorted;
    sorted.reserve(links.load.size());
    for (LinkIndex link = 0; link < links.load.size(); ++link) {
        const bool open = routing.closed.empty() || routing.closed[link] == 0;
        const Real capacity = routing.costs.capacity(link);
        links.time[link] = routing.costs.time(link, links.load[link]).time;
        links.utilisation[link] = open ? links.load[link] / capacity : 0;
        figures.time += links.load[link] * links.time[link];
        if (!open) continue;
        sorted.push_back(links.utilisation[link]);
        if (links.load[link] > capacity) {
            ++figures.overloaded;
            figures.overload += links.load[link] - capacity;
        }
    }
    if (sorted.empty()) return;
    std::sort(sorted.begin(), sorted.end());
    const auto quantile = [&](Real share) {
        return sorted[static_cast<Index>(std::ceil(share * static_cast<Real>(sorted.size()))) - 1];
    };
    figures.utilisation_max = sorted.back();
    figures.utilisation_p95 = quantile(0.95);
    figures.utilisation_median = quantile(0.5);
    figures.utilisation_mean = sum(sorted) / static_cast<Real>(sorted.size());
}

void note_paths(const PathSet& paths, ConstView demand, ConstView splits, ConstView before,
                PeriodFigures& figures) {
    Real moved = 0;
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Real served = 0;
        Real change = 0;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            const bool slack = paths.slack(slot);
            if (!slack) served += splits[slot];
            if (splits[slot] > 0 && !slack) ++figures.paths_used;
            if (before.empty()) continue;
            change += std::abs(splits[slot] - before[slot]);
            if ((splits[slot] > 0) != (before[slot] > 0)) ++figures.paths_changed;
        }
        figures.unserved += demand[pair] * std::max<Real>(0, 1 - served);
        moved += demand[pair] * change / 2;
    }
    if (figures.demand > 0) figures.churn = moved / figures.demand;
}

}  // namespace

PeriodFigures measure_period(const Routing& routing, ConstView demand, ConstView splits, ConstView before,
                             LinkFigures& links, Scratch& scratch) {
    PeriodFigures figures;
    const Index count = routing.costs.links();
    links.load.resize(count);
    links.time.resize(count);
    links.utilisation.resize(count);
    find_loads(routing.paths, demand, splits, links.load, scratch);
    figures.demand = sum(demand);
    figures.cost = evaluate(routing, SingleDemand(demand), splits, {}, scratch) * routing.unit;
    figures.prices = price_slots(routing, SingleDemand(demand), splits);
    note_utilisation(routing, links, figures);
    note_paths(routing.paths, demand, splits, before, figures);
    // Splits sum to 1 up to rounding only.
    if (figures.unserved < 1e-9 * figures.demand) figures.unserved = 0;
    const Real served = figures.demand - figures.unserved;
    figures.mean_time = served > 0 ? figures.time / served : 0;
    return figures;
}

}  // namespace proxstream
