// Routing on a network made in code. Two towns send traffic to a city, over a bridge, through a tunnel or
// around the lake; demand comes in bursts, and how it is split has to be said before it is known. Links queue
// as they fill up, so a burst on the wrong road costs far more than a calm period saves: the mean cost of
// many periods is the thing to look at, and a window of them is what is kept stationary.
#include "proxstream/core/draw.hpp"

#include "front/header_of.hpp"
#include "online/learner_table.hpp"
#include "regret/tally.hpp"
#include "route/reference_step.hpp"
#include "traffic/demand_batch.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/split_set.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace proxstream;

namespace {

constexpr Round kPeriods = 400;

Network make_network() {
    Network network;
    const auto road = [&](const char* from, const char* to, Real capacity, Real minutes) {
        Link link;
        link.from = network.node(from);  // made when it is named first
        link.to = network.node(to);
        link.capacity = capacity;
        link.free_time = minutes;
        network.add_link(link);
    };
    road("north", "bridge", 60, 4);
    road("north", "lake", 50, 9);
    road("south", "bridge", 50, 5);
    road("south", "tunnel", 50, 6);
    road("bridge", "city", 70, 3);
    road("tunnel", "city", 60, 5);
    road("lake", "city", 50, 9);
    road("bridge", "tunnel", 30, 2);
    return network;
}

/// The demand of a period, by pair: a level with bursts, which the next period has forgotten.
std::vector<Real> demand_of(Round t) {
    const auto burst = [&](Index pair) { return std::exp(0.3 * normal({.round = t, .sample = pair})); };
    return {25 * burst(0), 20 * burst(1)};
}

struct Run {
    Real mean_cost = 0;
    std::vector<Real> splits;
    Certificate certificate;
};

/// Plays all periods with a window of that many.
Run play(const std::shared_ptr<const Routing>& routing, Real step, const char* window) {
    const auto store = [routing](Index capacity) { return AnyBatch(DemandBatch(routing, capacity)); };
    LearnerParts parts{.g = AnyRegulariser(SplitSet(routing)),  // shares of each pair sum to 1
                       .make_batch = store,
                       .start = even_splits(routing->paths),
                       .window = window,
                       .step = step,
                       .smoothness = 1 / step,
                       .tolerance = Tolerance::fixed(0.05),
                       .budget = {.max_steps = 200},
                       .inner = "blocks"};  // sweeps over the pairs, each confirmed by an exact pass
    const auto learner = make_learner("time-smoothed", std::move(parts));

    Tally tally(header_of(learner->facts(), routing->dimension()));
    Run run;
    RowBlock record;
    for (Round t = 1; t <= kPeriods; ++t) {
        // learner->decide() are the splits of period t; its demand is seen only now.
        record.clear();
        record.add_dense(demand_of(t), 0);
        const RoundReport report = learner->observe(record);
        tally.add(report);
        run.mean_cost += report.loss * routing->unit / kPeriods;
    }
    run.splits.assign(learner->decide().begin(), learner->decide().end());
    run.certificate =
        tally.certificate(tally.footer(learner->close(), RunEnding::finished, learner->seconds()));
    return run;
}

/// Prints the share of every path; returns whether those of each pair sum to 1.
bool print_splits(const Network& network, const PathSet& paths, ConstView splits) {
    bool whole = true;
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Real sum = 0;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!paths.live(slot)) continue;
            std::string route = network.node_name(paths.pair(pair).origin);
            for (const LinkIndex link : paths.links(slot))
                route += " - " + network.node_name(network.link(link).to);
            std::printf("  %5.1f %%  %s\n", 100 * splits[slot], route.c_str());
            sum += splits[slot];
        }
        whole = whole && std::abs(sum - 1) < 1e-9;
    }
    return whole;
}

}  // namespace

int main() {
    const Network network = make_network();
    std::vector<Real> free_times;
    for (const Link& link : network.all_links()) free_times.push_back(link.free_time);
    const NodeIndex city = *network.find_node("city");
    const std::vector<Pair> pairs{{*network.find_node("north"), city}, {*network.find_node("south"), city}};
    MadePaths made = make_paths(network, pairs, {.k = 3}, free_times);

    // Everybody's time together, with queues on top of the free time.
    LinkCosts costs(network, "davidson:j=0.5,cap=0.95", Objective{}, {});
    const auto routing = std::make_shared<Routing>(Routing{std::move(made.paths), std::move(costs)});
    routing->unit = 1000;  // losses of the order of 1
    const Real step = reference_step(routing, demand_of(1), even_splits(routing->paths));

    const Run single = play(routing, step, "1");
    const Run window = play(routing, step, "32");
    std::printf("splits for the next period:\n");
    const bool whole = print_splits(network, routing->paths, window.splits);
    std::printf("mean cost of a period: %.1f with a window of 1, %.1f with a window of 32\n\n%s\n",
                single.mean_cost, window.mean_cost, conclusion(window.certificate).c_str());
    return whole && single.certificate.sound() && window.certificate.sound() &&
                   window.mean_cost < single.mean_cost
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
