/// Splits before any demand is known: the demand that is guessed, and the best splits for it, solved another
/// way.
#include "support/route_optimum.hpp"
#include "traffic/run_start.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::Routed;
using Vector = std::vector<Real>;

TEST(FirstSplits, TheGuessIsGravityAtHalfLoad) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Chance chance(seed);
        const Routed routed = test::random_routing({.holes = seed > 2, .slack = seed == 4}, chance);
        const Network& network = *routed.network;
        const Routing& routing = *routed.routing;
        const Vector demand = gravity_demand(network, routing);
        ASSERT_EQ(demand.size(), routing.paths.pairs());
        Real ratio = 0;
        for (Index pair = 0; pair < demand.size(); ++pair) {
            Real leaves = 0, enters = 0;
            for (LinkIndex link = 0; link < network.links(); ++link) {
                if (network.link(link).from == routing.paths.pair(pair).origin)
                    leaves += routing.costs.capacity(link);
                if (network.link(link).to == routing.paths.pair(pair).destination)
                    enters += routing.costs.capacity(link);
            }
            if (routing.paths.live_slots(pair).empty()) {
                EXPECT_EQ(demand[pair], 0);
                continue;
            }
            EXPECT_GT(demand[pair], 0);
            if (ratio == 0) ratio = demand[pair] / (leaves * enters);
            EXPECT_NEAR(demand[pair] / (leaves * enters), ratio, 1e-12 * ratio);
        }
        const test::NaiveLoss even = test::naive_loss(routing, demand, even_splits(routing.paths));
        Real busiest = 0;
        for (LinkIndex link = 0; link < even.loads.size(); ++link)
            busiest = std::max(busiest, even.loads[link] / routing.costs.capacity(link));
        EXPECT_NEAR(busiest, 0.5, 1e-12);
    }
}

TEST(FirstSplits, AreTheBestForTheGuess) {
    for (const char* objective : {"system", "user", "utilisation"}) {
        Chance chance(7);
        const Routed routed = test::random_routing({.objective = objective}, chance);
        const Vector demand = gravity_demand(*routed.network, *routed.routing);
        const Vector found = first_splits(*routed.network, *routed.routing);
        Scratch scratch;
        EXPECT_EQ(SplitSet(routed.routing).value(found, scratch), 0);
        const Vector one = {1};
        const test::Optimum best = test::slow_optimum(routed.routing, {demand}, one, 2000);
        const Real even = test::naive_loss(*routed.routing, demand, even_splits(routed.routing->paths)).value;
        const Real value = test::naive_loss(*routed.routing, demand, found).value;
        EXPECT_LE(value, best.value * (1 + 1e-3)) << objective;
        EXPECT_LT(value, even) << objective;
    }
}

TEST(FirstSplits, AreEvenWhereThereIsNothingToSolve) {
    Chance chance(8);
    const Routed unweighted = test::random_routing({.objective = "unweighted"}, chance);
    EXPECT_EQ(first_splits(*unweighted.network, *unweighted.routing), even_splits(unweighted.routing->paths));
    const Routed routed = test::random_routing({}, chance);
    EXPECT_EQ(best_splits(*routed.network, *routed.routing, Vector(routed.routing->paths.pairs(), 0)),
              even_splits(routed.routing->paths));
    EXPECT_TRUE(has_demand(Vector{0, 1e-300}));
    EXPECT_FALSE(has_demand(Vector{0, 0}));
    EXPECT_FALSE(has_demand({}));
}

TEST(FirstSplits, DoNotDependOnTheUnitOfCapacities) {
    Chance one(9), other(9);
    const Routed small = test::random_routing({}, one);
    const Routed large = test::random_routing({}, other);
    large.routing->costs.scale_all(1e60);
    const Vector x = first_splits(*small.network, *small.routing);
    const Vector y = first_splits(*large.network, *large.routing);
    for (Index i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-6);
    EXPECT_EQ(large.routing->unit, 1) << "the unit is left to the first demand";
}

}  // namespace
}  // namespace proxstream
