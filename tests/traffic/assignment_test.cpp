/// One demand assigned: by hand, against every loop-free path of small networks, and with too few slots.
#include "traffic/assignment.hpp"

#include "traffic/every_path.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

Network braess() {
    Network network;
    for (const char* name : {"1", "2", "3", "4"}) network.node(name);
    const auto add = [&](NodeIndex from, NodeIndex to, Real fixed, Real slope) {
        network.add_link(
            {.from = from - 1, .to = to - 1, .free_time = fixed, .b = slope / fixed, .power = 1});
    };
    add(1, 3, 1e-8, 10);
    add(1, 4, 50, 1);
    add(3, 2, 50, 1);
    add(3, 4, 10, 1);
    add(4, 2, 1e-8, 10);
    return network;
}

struct Solved {
    AssignmentResult result;
    std::vector<Real> loads;
    Real time = 0;
    Real beckmann = 0;
};

/// From the shortest path of each pair on, as many slots as it takes.
Solved solve(const Network& network, const std::vector<Pair>& pairs, const std::vector<Real>& demand,
             const char* objective, Real gap) {
    const LinkCosts costs(network, "bpr", Objective::parse(objective), {});
    std::vector<Real> times;
    for (LinkIndex link = 0; link < network.links(); ++link) times.push_back(costs.time(link, 0).time);
    Routing routing{make_paths(network, pairs, {.k = 1}, times).paths, costs};
    ColumnPricer pricer(network);
    Scratch scratch;
    Single single(demand);
    std::vector<Real> x = even_splits(routing.paths);
    Solved solved;
    for (Index slots = 2;; slots *= 2) {
        widen(routing, network, slots, x);
        solved.result =
            solve_assignment(routing, pricer, single.mix(), x, {.gap = gap, .max_rounds = 200}, scratch);
        if (solved.result.full == 0 || solved.result.status == AssignmentStatus::reached) break;
    }
    solved.loads.resize(network.links());
    const DemandColumn column{demand};
    find_loads(routing.paths, {&column, 1}, x, solved.loads, scratch);
    for (LinkIndex link = 0; link < network.links(); ++link) {
        const LinkTime at = costs.time(link, solved.loads[link]);
        solved.time += solved.loads[link] * at.time;
        solved.beckmann += at.integral;
    }
    return solved;
}

TEST(Assignment, BraessByHand) {
    const Network network = braess();
    const std::vector<Pair> pairs = {{0, 1}};
    const Solved user = solve(network, pairs, {6}, "user", 1e-8);
    EXPECT_EQ(user.result.status, AssignmentStatus::reached);
    EXPECT_NEAR(user.time, 552, 552e-8);  // 92 on each of three paths
    EXPECT_NEAR(user.beckmann, 386, 386e-8);
    const std::vector<Real> equilibrium = {4, 2, 2, 2, 4};
    for (Index e = 0; e < 5; ++e) EXPECT_NEAR(user.loads[e], equilibrium[e], 1e-4);
    const Solved system = solve(network, pairs, {6}, "system", 1e-8);
    EXPECT_NEAR(system.time, 498, 498e-8);  // no flow takes the short cut
    const std::vector<Real> optimum = {3, 3, 3, 0, 3};
    for (Index e = 0; e < 5; ++e) EXPECT_NEAR(system.loads[e], optimum[e], 1e-4);
    EXPECT_NEAR(system.result.last.objective, 498, 498e-8);
}

TEST(Assignment, FindsTheOptimumOverEveryPath) {
    constexpr const char* kForms[] = {"bpr", "queue:0.8", "davidson", "polynomial:1,0.5,0.25"};
    constexpr const char* kObjectives[] = {"system", "user"};
    for (std::uint64_t seed = 1; seed <= 14; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Chance chance(seed);
        const Routed routed = test::random_routing({.nodes = 5,
                                                    .chords = 5,
                                                    .pairs = 5,
                                                    .k = 1,
                                                    .spare = 12,
                                                    .form = kForms[seed % 4],
                                                    .objective = kObjectives[seed % 2]},
                                                   chance);
        Routing& routing = *routed.routing;
        if (seed % 3 == 0) {
            // A link that no path of the start uses is closed: nothing may be found there.
            std::vector<char> used(routed.network->links(), 0);
            for (SlotIndex slot = 0; slot < routing.paths.slots(); ++slot)
                if (routing.paths.live(slot))
                    for (const LinkIndex link : routing.paths.links(slot)) used[link] = 1;
            routing.closed.assign(used.size(), 0);
            for (LinkIndex link = 0; link < used.size(); link += 2)
                if (used[link] == 0) routing.closed[link] = 1;
        }
        Single single(test::random_demand(5, chance));
        const auto all = with_all_paths(*routed.network, routing);
        const std::vector<Real> one = {1};
        const test::Optimum slow = test::slow_optimum(all, {single.demand()}, one, 1500);
        ASSERT_LE(slow.left, 1e-6 * slow.value) << "the twin did not arrive";
        ColumnPricer pricer(*routed.network);
        Scratch scratch;
        std::vector<Real> x = even_splits(routing.paths);
        Real before = kInfinity;
        const AssignmentResult result =
            solve_assignment(routing, pricer, single.mix(), x,
                             {.gap = 1e-9,
                              .max_rounds = 300,
                              .on_round =
                                  [&](const AssignmentRound& round) {
                                      EXPECT_LE(round.objective, before * (1 + 1e-13)) << "it rose";
                                      before = round.objective;
                                      return true;
                                  }},
                             scratch);
        EXPECT_TRUE(result.status == AssignmentStatus::reached || result.status == AssignmentStatus::stalled);
        EXPECT_EQ(result.full, 0U);
        EXPECT_LE(result.last.objective, slow.value + 1e-8 * slow.value);
        EXPECT_GE(result.last.objective, slow.value - slow.left - 1e-12 * slow.value);
        for (SlotIndex slot = 0; slot < routing.paths.slots(); ++slot) {
            if (!routing.paths.live(slot) || routing.closed.empty()) continue;
            for (const LinkIndex link : routing.paths.links(slot)) EXPECT_EQ(routing.closed[link], 0);
        }
    }
}

TEST(Widen, KeepsPathsSharesAndPrices) {
    Chance chance(12);
    const Routed routed =
        test::random_routing({.k = 3, .spare = 1, .holes = true, .path_price = 0.3}, chance);
    Routing& routing = *routed.routing;
    std::vector<Real> x = test::random_splits(routing.paths, chance);
    const std::vector<Real> demand = test::random_demand(routing.paths.pairs(), chance);
    const test::NaiveLoss before = test::naive_loss(routing, demand, x);
    const Index live = routing.paths.live_slots();
    widen(routing, *routed.network, 9, x);
    EXPECT_EQ(routing.paths.slots(), 9 * routing.paths.pairs());
    EXPECT_EQ(x.size(), routing.paths.slots());
    EXPECT_EQ(routing.paths.live_slots(), live);
    const test::NaiveLoss after = test::naive_loss(routing, demand, x);
    EXPECT_NEAR(after.value, before.value, 1e-14 * before.value);
    EXPECT_EQ(after.loads, before.loads);
    Single single(demand);
    Scratch scratch;
    EXPECT_NEAR(evaluate(routing, single.mix(), x, {}, scratch), before.value, 1e-13 * before.value);
}

TEST(Assignment, APairThatNeedsMorePathsThanItHasSlotsIsWidened) {
    // Six parallel roads of equal times: the optimum is on all of them.
    Network network;
    network.node("a");
    network.node("b");
    for (int i = 0; i < 6; ++i)
        network.add_link({.from = 0, .to = 1, .free_time = 1, .b = 0.1 + 0.1 * i, .power = 2});
    const Solved solved = solve(network, {{0, 1}}, {3}, "system", 1e-8);
    EXPECT_EQ(solved.result.status, AssignmentStatus::reached);
    EXPECT_EQ(solved.result.full, 0U);
    // Marginal costs 1 + 3 b y^2 agree, so y is as 1/sqrt(b).
    Real all = 0;
    for (int i = 0; i < 6; ++i) all += 1 / std::sqrt(0.1 + 0.1 * i);
    for (int i = 0; i < 6; ++i)
        EXPECT_NEAR(solved.loads[static_cast<Index>(i)], 3 / std::sqrt(0.1 + 0.1 * i) / all, 1e-4);
    // In two slots it says that it wants more.
    const LinkCosts costs(network, "bpr", {}, {});
    Routing routing{make_paths(network, {{0, 1}}, {.k = 2}, std::vector<Real>(6, 1)).paths, costs};
    std::vector<Real> x = even_splits(routing.paths);
    ColumnPricer pricer(network);
    Scratch scratch;
    Single single({3});
    const AssignmentResult narrow =
        solve_assignment(routing, pricer, single.mix(), x, {.gap = 1e-10, .max_rounds = 50}, scratch);
    EXPECT_NE(narrow.status, AssignmentStatus::reached);
    EXPECT_EQ(narrow.full, 1U);
}

TEST(Assignment, FreePathsDoNotEndTheSearch) {
    // All on one of two equal roads: the other's marginal utilisation is 0, and everything is left to gain.
    Network network;
    network.node("a");
    network.node("b");
    network.node("island");
    for (int i = 0; i < 2; ++i) network.add_link({.from = 0, .to = 1, .capacity = 4});
    for (const bool generate : {false, true}) {
        const LinkCosts costs(network, "bpr", Objective::parse("utilisation"), {});
        const std::vector<Index> slots = {2, 1};
        PathSet paths(network, {{0, 1}, {0, 2}}, slots);
        paths.change(std::vector<PathChange>{{0, true, {0}}, {1, true, {1}}});
        Routing routing{std::move(paths), costs};
        std::vector<Real> x = {1, 0, 0};
        ColumnPricer pricer(network);
        Scratch scratch;
        Single single({3, 1});  // nothing leads to the island: it does not count
        const AssignmentResult result =
            solve_assignment(routing, pricer, single.mix(), x, {.gap = 1e-7, .generate = generate}, scratch);
        EXPECT_EQ(result.status, AssignmentStatus::reached);
        EXPECT_NEAR(x[0], 0.5, 1e-4) << generate;
        EXPECT_NEAR(result.last.objective, 2 * std::pow(3.0 / 8, 8), 1e-8);
    }
}

TEST(Assignment, StopsAtTheGivenLimits) {
    Chance chance(13);
    const Routed routed = test::random_routing({.k = 4}, chance);
    Routing& routing = *routed.routing;
    Single single(test::random_demand(9, chance));
    ColumnPricer pricer(*routed.network);
    Scratch scratch;
    const auto ended = [&](AssignmentOptions options) {
        std::vector<Real> x = even_splits(routing.paths);
        options.gap = 0;
        options.generate = false;
        return solve_assignment(routing, pricer, single.mix(), x, options, scratch);
    };
    EXPECT_EQ(ended({.max_rounds = 2}).status, AssignmentStatus::out_of_rounds);
    EXPECT_EQ(ended({.max_rounds = 2}).last.round, 2U);
    EXPECT_EQ(ended({.max_seconds = 0}).status, AssignmentStatus::out_of_time);
    const auto stop = [](const AssignmentRound&) { return false; };
    EXPECT_EQ(ended({.on_round = stop}).status, AssignmentStatus::stopped);
    EXPECT_EQ(ended({}).status, AssignmentStatus::stalled) << "a gap of 0 is beyond rounding";
}

}  // namespace
}  // namespace proxstream::test
