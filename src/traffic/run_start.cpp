#include "traffic/run_start.hpp"

#include "proxstream/core/linalg.hpp"

#include "traffic/assignment.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {

bool has_demand(ConstView demand) {
    return std::any_of(demand.begin(), demand.end(), [](Real each) { return each > 0; });
}

std::vector<Real> gravity_demand(const Network& network, const Routing& routing) {
    constexpr Real kBusiest = 0.5;
    const PathSet& paths = routing.paths;
    std::vector<Real> leaves(network.nodes(), 0);
    std::vector<Real> enters(network.nodes(), 0);
    // Relative to the largest capacity, so that products stay finite.
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
    std::vector<Real> loads(network.links());
    find_loads(paths, demand, even_splits(paths), loads, scratch);
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
    const AssignmentOptions options{.gap = 1e-4, .max_rounds = 100, .generate = false};
    std::vector<Real> found = splits;
    // Losses of the order of 1, in any unit of capacity.
    const Real unit = routing.unit;
    set_unit(routing, demand, splits, scratch);
    solve_assignment(routing, pricer, SingleDemand(demand), found, options, scratch);
    routing.unit = unit;
    return all_finite(found) ? found : splits;
}

std::vector<Real> first_splits(const Network& network, Routing& routing) {
    return best_splits(network, routing, gravity_demand(network, routing));
}

void set_unit(Routing& routing, ConstView demand, ConstView x, Scratch& scratch) {
    const Real cost = evaluate(routing, SingleDemand(demand), x, {}, scratch);
    if (cost > 0) routing.unit = cost;
}

Real reference_step(const std::shared_ptr<const Routing>& routing, ConstView demand, ConstView x) {
    const LinkCosts& costs = routing->costs;
    const PathSet& paths = routing->paths;
    const bool unweighted = costs.objective().kind == ObjectiveKind::unweighted;
    constexpr int kIterations = 40;
    constexpr Real kBusy = 0.9;
    const Index links = costs.links();
    Scratch scratch;
    const DemandColumn column{demand};
    std::vector<Real> loads(links);
    find_loads(paths, demand, x, loads, scratch);
    Real busiest = 0;
    for (LinkIndex link = 0; link < links; ++link)
        busiest = std::max(busiest, loads[link] / costs.capacity(link));
    const Real scale = busiest > 0 ? std::max<Real>(1, kBusy / busiest) : 1;
    std::vector<Real> curvature(links);
    for (LinkIndex link = 0; link < links; ++link) {
        const Real load = scale * loads[link];
        // The unweighted sum has no such terms, but those of the weighted sum have the same order.
        const LinkTime time = costs.time(link, load);
        curvature[link] = unweighted ? 2 * time.slope + load * time.bend : costs.term(link, load).curvature;
        curvature[link] = std::abs(curvature[link]) * scale * scale / routing->unit;
    }
    // Power iteration on v -> price(curvature * load(v)), within the simplices.
    const SplitSet splits(routing);
    std::vector<Real> v(x.size());
    for (Index i = 0; i < v.size(); ++i) v[i] = i % 2 == 0 ? 1 : -1;
    std::vector<Real> image(v.size());
    Real largest = 0;
    for (int i = 0; i < kIterations; ++i) {
        splits.project_direction(v);
        const Real length = norm(v);
        if (!(length > 0)) break;
        scaled(1 / length, v, v);
        find_loads(paths, demand, v, loads, scratch);
        for (Index link = 0; link < links; ++link) loads[link] *= curvature[link];
        price_paths(paths, {&column, 1}, loads, image, scratch);
        splits.project_direction(image);
        largest = norm(image);
        std::swap(v, image);
    }
    return largest > 0 ? 1 / largest : 1;
}

}  // namespace proxstream
