#include "proxstream/assign.hpp"

#include "front/check_network.hpp"
#include "traffic/assignment.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kFirstSlots = 8;
constexpr Index kMostSlots = 8192;

void check(const Network& network, const AssignOptions& options) {
    Violations violations;
    check_links(network, violations);
    violations.require_value(options.gap >= 0 && options.gap < 1, "gap", options.gap, "in [0, 1)");
    violations.at_least_one("max_rounds", options.max_rounds);
    violations.above_zero("max_seconds", options.max_seconds);
    violations.at_least_zero("toll_factor", options.toll_factor);
    violations.at_least_zero("distance_factor", options.distance_factor);
    violations.collect("objective", [&] {
        if (Objective::parse(options.objective).kind == ObjectiveKind::unweighted)
            throw ConfigError("unweighted is not convex; assign has no gap for it");
    });
    violations.conclude();
}

/// Pairs with demand in ascending order, as paths need them, with their indices in the caller's list.
struct Work {
    std::vector<Pair> pairs;
    std::vector<Real> demand;
    std::vector<Index> given;
};

Work sorted_work(const Trips& trips) {
    Work work{.pairs = {}, .demand = {}, .given = ascending_order(trips.pairs)};
    std::erase_if(work.given, [&](Index i) { return trips.demand[i] == 0; });
    for (const Index i : work.given) {
        work.pairs.push_back(trips.pairs[i]);
        work.demand.push_back(trips.demand[i]);
    }
    return work;
}

PathSet shortest_paths(const Network& network, const Work& work, ConstView times, const std::string& source) {
    MadePaths made = make_paths(network, work.pairs, {.k = 1}, times);
    if (made.unreachable.empty()) return std::move(made.paths);
    const Index lost = made.unreachable.front();
    refuse_data(
        source, "demand",
        fmt::format("no path leads from {} to {}, which have demand {:g}",
                    network.node_name(work.pairs[lost].origin),
                    network.node_name(work.pairs[lost].destination), work.demand[lost]),
        fmt::format("demand between nodes that are connected; {} pairs are not", made.unreachable.size()));
}

/// Solves with few path slots for each pair, and doubles them while a pair lacks some. Slots cost memory and
/// time in every pass, and most networks need few.
AssignmentResult solve_widening(const Network& network, Routing& routing, const DemandMix& mix,
                                std::vector<Real>& x, const AssignOptions& options) {
    ColumnPricer pricer(network);
    Scratch scratch;
    AssignmentResult result;
    for (Index slots = kFirstSlots;; slots *= 2) {
        widen(routing, network, slots, x);
        const AssignmentRound before = result.last;
        const auto sum = [&](AssignmentRound round) {
            round.round += before.round;
            round.seconds += before.seconds;
            return round;
        };
        AssignmentOptions rest{.gap = options.gap,
                               .max_rounds = options.max_rounds - before.round,
                               .max_seconds = options.max_seconds - before.seconds};
        if (options.on_round)
            rest.on_round = [&](const AssignmentRound& round) { return options.on_round(sum(round)); };
        result = solve_assignment(routing, pricer, mix, x, rest, scratch);
        result.last = sum(result.last);
        const bool lacks_slots = result.full > 0 && result.status == AssignmentStatus::stalled;
        if (!lacks_slots || slots >= kMostSlots) return result;
    }
}

void add_path_flows(const PathSet& paths, const Work& work, ConstView x, Assignment& found) {
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        for (const SlotIndex slot : paths.live_slots(pair)) {
            const Real flow = x[slot] * work.demand[pair];
            if (flow > 0)
                found.path_flows.push_back(
                    {.pair = work.given[pair], .links = paths.links(slot), .flow = flow});
        }
    }
    std::stable_sort(found.path_flows.begin(), found.path_flows.end(),
                     [](const PathFlow& a, const PathFlow& b) { return a.pair < b.pair; });
}

void add_link_figures(const LinkCosts& costs, Assignment& found) {
    for (LinkIndex link = 0; link < costs.links(); ++link) {
        const Real flow = found.link_flows[link];
        const Real time = costs.time(link, flow).time;
        found.link_times.push_back(time);
        found.link_utilisation.push_back(flow / costs.capacity(link));
        found.total_time += flow * time;
    }
}

}  // namespace

Assignment assign(const Network& network, const Trips& demand, const AssignOptions& options) {
    check(network, options);
    check_pairs(network, demand.pairs, options.demand_source);
    check_demand(network, demand.pairs, demand.demand, options.demand_source);
    const Work work = sorted_work(demand);
    Assignment found;
    LinkCosts costs = make_costs(network, options);
    const std::vector<Real> times = costs.search_times(found.notes);
    if (!costs.convex())
        found.notes.emplace_back("this objective is not convex; the gap is about its linear model");
    Routing routing{shortest_paths(network, work, times, options.demand_source), std::move(costs)};

    std::vector<Real> x = even_splits(routing.paths);
    const AssignmentResult result = solve_widening(network, routing, SingleDemand(work.demand), x, options);

    found.status = result.status;
    found.gap = result.last.gap;
    found.objective = result.last.objective;
    found.rounds = result.last.round;
    found.paths = result.last.paths;
    found.seconds = result.last.seconds;
    found.link_flows.resize(network.links());
    Scratch scratch;
    find_loads(routing.paths, work.demand, x, found.link_flows, scratch);
    add_link_figures(routing.costs, found);
    add_path_flows(routing.paths, work, x, found);
    return found;
}

Real total_time(const Network& network, ConstView link_flows, const AssignOptions& options) {
    check(network, options);
    if (link_flows.size() != network.links())
        refuse_data("link flows", "", fmt::format("there are {} numbers", link_flows.size()),
                    fmt::format("one for each of {} links", network.links()));
    const LinkCosts costs = make_costs(network, options);
    Real total = 0;
    for (LinkIndex link = 0; link < costs.links(); ++link)
        total += link_flows[link] * costs.time(link, link_flows[link]).time;
    return total;
}

}  // namespace proxstream
