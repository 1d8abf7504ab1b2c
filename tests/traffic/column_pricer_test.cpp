/// Which paths are missing: against all there are, without room, and with prices that belong to no link.
#include "traffic/column_pricer.hpp"

#include "traffic/every_path.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

TEST(ColumnPricer, TheGapBoundsTheRemainingGain) {
    for (std::uint64_t seed = 40; seed < 50; ++seed) {
        Chance chance(seed);
        const Routed routed =
            test::random_routing({.nodes = 5, .chords = 5, .pairs = 5, .k = 2, .spare = 1}, chance);
        Routing& routing = *routed.routing;
        Single single(test::random_demand(5, chance));
        const std::vector<Real> one = {1};
        const auto all = with_all_paths(*routed.network, routing);
        const test::Optimum slow = test::slow_optimum(all, {single.demand()}, one, 600);
        ColumnPricer pricer(*routed.network);
        Scratch scratch;
        for (int point = 0; point < 5; ++point) {
            const std::vector<Real> x = test::random_splits(routing.paths, chance);
            const Real value = test::naive_loss(routing, single.demand(), x).value;
            const Pricing pricing = pricer.price(routing, single.mix(), x, 0, scratch);
            EXPECT_GE(pricing.total - pricing.lowest, value - slow.value - 1e-12 * value);
            EXPECT_NEAR(pricing.gap(), (pricing.total - pricing.lowest) / pricing.lowest, 1e-15);
            // The cheapest path of each pair, walked: those that are wanted are it, and no pair misses out.
            const test::NaiveLoss loss = test::naive_loss(routing, single.demand(), x);
            Real lowest = 0;
            std::vector<Index> wanted;
            for (Index pair = 0; pair < routing.paths.pairs(); ++pair) {
                if (single.demand()[pair] == 0) continue;
                const auto price = [&](const Path& path) {
                    Real sum = 0;
                    for (const LinkIndex link : path)
                        sum += routing.costs.term(link, loss.loads[link]).marginal;
                    return single.demand()[pair] * sum;
                };
                Real cheapest = kInfinity;
                Real own = kInfinity;
                for (const Path& path : all_paths(*routed.network, routing.paths.pair(pair), {}))
                    cheapest = std::min(cheapest, price(path));
                for (SlotIndex slot = routing.paths.first_slot(pair); slot < routing.paths.end_slot(pair);
                     ++slot)
                    if (routing.paths.live(slot)) own = std::min(own, loss.gradient[slot]);
                lowest += cheapest;
                if (cheapest < own * (1 - 1e-9)) wanted.push_back(pair);
            }
            EXPECT_NEAR(pricing.lowest, lowest, 1e-12 * lowest);
            std::vector<Index> found;
            for (const PathChange& change : pricing.changes)
                found.push_back(routing.paths.pair_of(change.slot));
            EXPECT_EQ(found, wanted);
            for (const PathChange& change : pricing.changes)
                EXPECT_FALSE(routing.paths.live(change.slot)) << "there was room";
        }
    }
}

TEST(ColumnPricer, WithoutRoomAnUnusedPathGivesWayAndAUsedOneDoesNot) {
    // Three parallel links: the third is cheapest, and the pair has two slots.
    Network network;
    network.node("a");
    network.node("b");
    for (const Real time : {3.0, 2.0, 1.0}) network.add_link({.from = 0, .to = 1, .free_time = time});
    const std::vector<Index> slots = {2};
    PathSet paths(network, {{0, 1}}, slots);
    paths.change(std::vector<PathChange>{{0, true, {0}}, {1, true, {1}}});
    Routing routing{std::move(paths), LinkCosts(network, "bpr", {}, {})};
    Single single({4});
    ColumnPricer pricer(network);
    Scratch scratch;
    const auto priced = [&](const std::vector<Real>& x) {
        return pricer.price(routing, single.mix(), x, 0, scratch);
    };
    Pricing pricing = priced({0.5, 0.5});
    EXPECT_EQ(pricing.full, 1U);
    EXPECT_TRUE(pricing.changes.empty());
    EXPECT_DOUBLE_EQ(pricing.total, 4 * 2.5);
    EXPECT_DOUBLE_EQ(pricing.lowest, 4 * 1);
    for (const SlotIndex unused : {0U, 1U}) {
        pricing = priced(unused == 0 ? std::vector<Real>{0, 1} : std::vector<Real>{1, 0});
        EXPECT_EQ(pricing.full, 0U);
        ASSERT_EQ(pricing.changes.size(), 1U);
        EXPECT_EQ(pricing.changes[0].slot, unused);
        EXPECT_EQ(pricing.changes[0].links, Path{2});
    }
    // Margins: 1 is cheaper than 2 by one half.
    EXPECT_TRUE(pricer.price(routing, single.mix(), std::vector<Real>{0, 1}, 0.51, scratch).changes.empty());
    EXPECT_FALSE(pricer.price(routing, single.mix(), std::vector<Real>{0, 1}, 0.49, scratch).changes.empty());
    // A pair without demand gets nothing.
    Single nothing({0});
    EXPECT_TRUE(pricer.price(routing, nothing.mix(), std::vector<Real>{0, 1}, 0, scratch).changes.empty());
}

TEST(ColumnPricer, CountsSlackAndPathPrices) {
    Network network;
    network.node("a");
    network.node("b");
    for (const Real time : {5.0, 2.0}) network.add_link({.from = 0, .to = 1, .free_time = time});
    const std::vector<Index> slots = {3};
    PathSet paths(network, {{0, 1}}, slots);
    paths.change(std::vector<PathChange>{{0, true, {0}}, {2, true, {}}});
    Routing routing{std::move(paths), LinkCosts(network, "bpr", {}, {})};
    Single single({4});
    ColumnPricer pricer(network);
    Scratch scratch;
    const std::vector<Real> x = {1, 0, 0};
    // Not serving costs 3 a unit: the path of time 2 is better than both.
    routing.slack_price = 3;
    Pricing pricing = pricer.price(routing, single.mix(), x, 0, scratch);
    ASSERT_EQ(pricing.changes.size(), 1U);
    EXPECT_EQ(pricing.changes[0].links, Path{1});
    EXPECT_DOUBLE_EQ(pricing.total, 20);
    EXPECT_DOUBLE_EQ(pricing.lowest, 8);
    // At 1 a unit nothing beats leaving it.
    routing.slack_price = 1;
    pricing = pricer.price(routing, single.mix(), x, 0, scratch);
    EXPECT_TRUE(pricing.changes.empty());
    EXPECT_DOUBLE_EQ(pricing.lowest, 4);
    // A price on shares: 0.5 a unit of free-flow time, so 1 for the new path and 2.5 for the old.
    routing.slack_price = 100;
    routing.path_price = 0.5;
    routing.share_prices = {2.5, 0, 0};
    pricing = pricer.price(routing, single.mix(), x, 0, scratch);
    ASSERT_EQ(pricing.changes.size(), 1U);
    EXPECT_DOUBLE_EQ(pricing.total, 22.5);
    EXPECT_DOUBLE_EQ(pricing.lowest, 9);
}

}  // namespace
}  // namespace proxstream::test
