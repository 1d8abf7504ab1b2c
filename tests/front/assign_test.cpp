/// ps::assign: known equilibria, the program's figures, and what it refuses.
#include "proxstream/assign.hpp"

#include "proxstream/core/error.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

/// Braess: t = 10 y on 1-3 and 4-2, 50 + y on 1-4 and 3-2, 10 + y on 3-4.
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

const Trips kSix{.pairs = {{0, 1}}, .demand = {6}};

TEST(Assign, BraessByHand) {
    const Network network = braess();
    const Assignment user = assign(network, kSix, {.objective = "user", .gap = 1e-8});
    EXPECT_TRUE(user.reached());
    EXPECT_LE(user.gap, 1e-8);
    EXPECT_NEAR(user.total_time, 552, 552e-8);
    EXPECT_NEAR(user.objective, 386, 386e-8);
    const std::vector<Real> equilibrium = {4, 2, 2, 2, 4};
    for (Index e = 0; e < 5; ++e) {
        EXPECT_NEAR(user.link_flows[e], equilibrium[e], 1e-4);
        EXPECT_EQ(user.link_utilisation[e], user.link_flows[e]);  // capacity 1
    }
    // Three paths with 2 on each, all of time 92.
    ASSERT_EQ(user.path_flows.size(), 3U);
    for (const PathFlow& path : user.path_flows) {
        EXPECT_NEAR(path.flow, 2, 1e-4);
        Real time = 0;
        for (const LinkIndex link : path.links) time += user.link_times[link];
        EXPECT_NEAR(time, 92, 1e-3);
    }
    const Assignment system = assign(network, kSix, {.gap = 1e-8});
    EXPECT_NEAR(system.total_time, 498, 498e-8);
    EXPECT_NEAR(total_time(network, system.link_flows), system.total_time, 1e-9);
}

/// 20 parallel links with times 1 + i/100 + y at demand 100: all are used, so that 8 slots do not do. At
/// equilibrium y_i = level - 1 - i/100.
TEST(Assign, SlotsGrowWithTheNumberOfPathsAPairNeeds) {
    constexpr Index kLinks = 20;
    Network network;
    network.node("a");
    network.node("b");
    Real fixed = 0;
    for (Index i = 0; i < kLinks; ++i) {
        const Real free = 1 + static_cast<Real>(i) / 100;
        fixed += free;
        network.add_link({.from = 0, .to = 1, .free_time = free, .b = 1 / free, .power = 1});
    }
    Index last = 0;
    const auto in_order = [&](const AssignmentRound& round) {
        EXPECT_EQ(round.round, last + 1);
        last = round.round;
        return true;
    };
    const Assignment found = assign(network, {.pairs = {{0, 1}}, .demand = {100}},
                                    {.objective = "user", .gap = 1e-10, .on_round = in_order});
    const Real level = (100 + fixed) / kLinks;
    EXPECT_EQ(found.path_flows.size(), kLinks);
    EXPECT_EQ(found.rounds, last);
    for (Index i = 0; i < kLinks; ++i)
        EXPECT_NEAR(found.link_flows[i], level - 1 - static_cast<Real>(i) / 100, 1e-6);
}

TEST(Assign, ANetworkMayBeAnArrayOfLinks) {
    const Network named = braess();
    const Network numbered = Network::from_links(named.all_links());
    EXPECT_EQ(numbered.nodes(), 4U);
    EXPECT_EQ(numbered.node_name(3), "3");
    EXPECT_EQ(assign(numbered, kSix, {.objective = "user"}).link_flows,
              assign(named, kSix, {.objective = "user"}).link_flows);
    EXPECT_EQ(Network::from_links({}).nodes(), 0U);
    Network network;
    network.node("a");
    EXPECT_THROW(network.add_link({.from = 0, .to = 1}), ConfigError);
    EXPECT_EQ(network.links(), 0U);
}

TEST(Assign, PairsMayComeInAnyOrder) {
    const Network network = braess();
    const Assignment found = assign(network, {.pairs = {{2, 1}, {0, 3}, {0, 1}}, .demand = {1, 0, 6}},
                                    {.objective = "user", .gap = 1e-8});
    EXPECT_TRUE(found.reached());
    Real of_first = 0;
    Real of_last = 0;
    for (const PathFlow& path : found.path_flows) {
        EXPECT_NE(path.pair, 1U) << "it has no demand";
        (path.pair == 0 ? of_first : of_last) += path.flow;
        EXPECT_EQ(network.link(path.links.front()).from, path.pair == 0 ? 2U : 0U);
    }
    EXPECT_NEAR(of_first, 1, 1e-12);
    EXPECT_NEAR(of_last, 6, 1e-12);
}

TEST(Assign, StopsOnRequestOfTheCallback) {
    const Assignment found = assign(
        braess(), kSix, {.gap = 0, .on_round = [](const AssignmentRound& round) { return round.round < 2; }});
    EXPECT_EQ(found.status, AssignmentStatus::stopped);
    EXPECT_EQ(found.rounds, 2U);
    EXPECT_FALSE(found.reached());
    EXPECT_THROW(assign(braess(), kSix, {.on_round = [](const AssignmentRound&) -> bool {
                            throw std::runtime_error("mine");
                        }}),
                 std::runtime_error);
}

std::string refusal(const Network& network, const Trips& demand, const AssignOptions& options = {}) {
    try {
        assign(network, demand, options);
    } catch (const ConfigError& error) {
        return error.what();
    } catch (const DataError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Assign, ErrorsNameTheValueAndTheAllowedRange) {
    const Network network = braess();
    const auto has = [](const std::string& text, const char* part) {
        EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
    };
    has(refusal(network, {{{0, 1}}, {-6}}), "1->2): demand is -6");
    has(refusal(network, {{{0, 1}}, {std::nan("")}}), "demand is nan");
    has(refusal(network, {{{0, 1}}, {1, 2}}), "2 numbers; expected one for each of 1 pairs");
    has(refusal(network, {{{0, 9}}, {1}}), "there is no node 9; expected node numbers below 4");
    has(refusal(network, {{{1, 1}}, {1}}), "starts and ends at the same node");
    has(refusal(network, {{{0, 1}, {0, 1}}, {1, 2}}), "listed twice");
    has(refusal(network, {{{1, 0}}, {3}}, {.demand_source = "trips.tntp"}),
        "trips.tntp (demand): no path leads from 2 to 1, which have demand 3");
    const std::string all =
        refusal(network, kSix, {.objective = "unweighted", .gap = 2, .max_rounds = 0, .max_seconds = -1});
    for (const char* part :
         {"gap = 2: must be in [0, 1)", "max_rounds = 0", "max_seconds = -1", "unweighted"})
        has(all, part);
    has(refusal(network, kSix, {.objective = "usre"}), "usre");
    has(refusal(network, kSix, {.objective = "delay", .cost = "davidson"}), "delay is made of queues");
    Network broken = network;
    broken.add_link({.from = 0, .to = 1, .capacity = 0, .free_time = -1});
    has(refusal(broken, kSix), "capacity = 0: must be a finite number above 0");
    has(refusal(broken, kSix), "free_time = -1");
    has(refusal(Network{}, kSix), "it has no links");
    EXPECT_THROW(total_time(network, std::vector<Real>{1}), DataError);
}

TEST(Assign, NoDemandAtAllGivesZeroFlows) {
    const Assignment found = assign(braess(), {.pairs = {{0, 1}}, .demand = {0}});
    EXPECT_TRUE(found.reached());
    EXPECT_TRUE(found.path_flows.empty());
    for (const Real flow : found.link_flows) EXPECT_EQ(flow, 0);
}

}  // namespace
}  // namespace proxstream::test
