#include "traffic/first_splits.hpp"

#include "proxstream/core/linalg.hpp"

#include "traffic/assignment.hpp"
#include "traffic/reference_step.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>

namespace proxstream {

bool has_demand(ConstView demand) {
    return std::any_of(demand.begin(), demand.end(), [](Real each) { return each > 0; });
}

std::vector<Real> gravity_demand(const Network& network, const Routing& routing) {
    constexpr Real kBusiest = 0.5;
    const PathSet& paths = routing.paths;
    std::vector<Real> leaves(network.nodes(), 0);
    std::vector<Real> enters(network.nodes(), 0);
    // Relative to the largest one, so that products of large capacities stay finite.
    Real largest = 0;
    for (LinkIndex link = 0; link < network.links(); ++link)
        largest = std::max(largest, routing.costs.capacity(link));
    std::vector<Real> demand(paths.pairs(), 0);
    if (!(largest > 0 && largest < kInfinity)) return demand;
    for (LinkIndex link = 0; link < network.links(); ++link) {
        const Real share = routing.costs.capacity(link) / largest;
        leaves[network.link(link).from] += share;
        enters[network.link(link).to] += share;
    }
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        if (paths.live_slots(pair).empty()) continue;
        const Pair& ends = paths.pair(pair);
        demand[pair] = leaves[ends.origin] * enters[ends.destination];
    }
    Scratch scratch;
    const DemandColumn column{demand};
    std::vector<Real> loads(network.links());
    find_loads(paths, {&column, 1}, even_splits(paths), loads, scratch);
    Real busiest = 0;
    for (LinkIndex link = 0; link < loads.size(); ++link)
        busiest = std::max(busiest, loads[link] / routing.costs.capacity(link));
    scaled(busiest > 0 ? kBusiest / busiest : 0, demand, demand);
    return demand;
}

std::vector<Real> best_splits(const Network& network, Routing& routing, ConstView demand) {
    std::vector<Real> splits = even_splits(routing.paths);
    if (!has_demand(demand) || routing.costs.objective().kind == ObjectiveKind::unweighted) return splits;
    ColumnPricer pricer(network);
    Scratch scratch;
    const DemandColumn column{demand};
    const ColumnUse use{};
    const AssignmentOptions options{.gap = 1e-4, .max_rounds = 100, .generate = false};
    std::vector<Real> found = splits;
    // Losses of the order of 1, whatever capacities are measured in.
    const Real unit = routing.unit;
    set_unit(routing, demand, splits, scratch);
    solve_assignment(routing, pricer, {{&column, 1}, {&use, 1}, 1}, found, options, scratch);
    routing.unit = unit;
    return all_finite(found) ? found : splits;
}

std::vector<Real> first_splits(const Network& network, Routing& routing) {
    return best_splits(network, routing, gravity_demand(network, routing));
}

}  // namespace proxstream
