/// Who chooses splits before a period: each against what it is said to do, solved another way.
#include "route/strategy.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "support/route_optimum.hpp"
#include "traffic/run_start.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::Routed;
using Vector = std::vector<Real>;

/// A network, its settings and a few demands.
struct Ground {
    explicit Ground(std::uint64_t seed, const char* objective = "system") : chance(seed) {
        routed = test::random_routing({.k = 3, .spare = 1, .objective = objective}, chance);
        for (int t = 0; t < 6; ++t) demands.push_back(test::random_demand(9, chance));
        settings.network = "builtin:ring";
        settings.objective = objective;
        settings.rival_gap = 1e-7;
        settings.window = "3";
    }
    StrategyParts parts() const {
        StrategyParts made{.settings = &settings,
                           .network = routed.network.get(),
                           .routing = routed.routing,
                           .start = even_splits(routed.routing->paths),
                           .step = 0.2};
        made.mean_demand.assign(9, 0);
        for (const Vector& demand : demands)
            axpy(1 / static_cast<Real>(demands.size()), demand, made.mean_demand);
        return made;
    }
    Real value(const Vector& demand, ConstView x) const {
        return test::naive_loss(*routed.routing, demand, x).value;
    }
    /// What the best splits cost for a demand.
    test::Optimum best(const Vector& demand) const {
        const Vector one = {1};
        return test::slow_optimum(routed.routing, {demand}, one, 600);
    }
    Chance chance;
    Routed routed;
    RouteSettings settings;
    std::vector<Vector> demands;
};

TEST(Strategies, ReSolvingFindsTheOptimumOfTheLastDemandsAndNoOther) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Ground ground(seed);
        const auto last = make_strategy("re-solve-last", ground.parts());
        const auto mean = make_strategy("re-solve-mean:window=2", ground.parts());
        EXPECT_EQ(Vector(last->decide().begin(), last->decide().end()), ground.parts().start);
        Vector before;
        for (const Vector& demand : ground.demands) {
            last->observe(test::record_of(demand));
            mean->observe(test::record_of(demand));
            Vector both = demand;
            if (!before.empty())
                for (Index i = 0; i < both.size(); ++i) both[i] = (both[i] + before[i]) / 2;
            for (const auto& [strategy, wanted] : {std::pair{last.get(), demand}, {mean.get(), both}}) {
                const test::Optimum best = ground.best(wanted);
                const Real found = ground.value(wanted, strategy->decide());
                EXPECT_LE(found, best.value * (1 + 2e-6));
                EXPECT_GE(found, (best.value - best.left) * (1 - 1e-12));
            }
            before = demand;
        }
        EXPECT_GT(last->record_gradients(), 0U);
    }
}

TEST(Strategies, StaticIsTheOptimumOfTheMeanAndStays) {
    const Ground ground(4);
    const auto fixed = make_strategy("static", ground.parts());
    const Vector mean = ground.parts().mean_demand;
    const test::Optimum best = ground.best(mean);
    EXPECT_LE(ground.value(mean, fixed->decide()), best.value * (1 + 2e-6));
    const Vector before(fixed->decide().begin(), fixed->decide().end());
    for (const Vector& demand : ground.demands) fixed->observe(test::record_of(demand));
    EXPECT_EQ(Vector(fixed->decide().begin(), fixed->decide().end()), before);
    StrategyParts blind = ground.parts();
    blind.mean_demand.clear();
    EXPECT_THROW(make_strategy("static", blind), ConfigError);
}

TEST(Strategies, ShortestPutsEverythingOnTheShortestPath) {
    const Ground ground(5);
    const PathSet& paths = ground.routed.routing->paths;
    const auto shortest = make_strategy("shortest", ground.parts());
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Real least = kInfinity;
        Real used = 0;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!paths.live(slot)) continue;
            Real time = 0;
            for (const LinkIndex link : paths.links(slot))
                time += ground.routed.routing->costs.time(link, 0).time;
            least = std::min(least, time);
            used += time * shortest->decide()[slot];
        }
        EXPECT_NEAR(used, least, 1e-12);
    }
}

TEST(Strategies, AnyLearnerIsOne) {
    const Ground ground(6);
    for (const char* text :
         {"time-smoothed:window=3", "adagrad:step=1,replay=4", "ensemble:windows=1/4", "adam"}) {
        const auto strategy = make_strategy(text, ground.parts());
        const auto learner = make_route_learner(text, ground.parts());
        for (const Vector& demand : ground.demands) {
            strategy->observe(test::record_of(demand));
            learner->observe(test::record_of(demand));
            EXPECT_TRUE(
                std::equal(strategy->decide().begin(), strategy->decide().end(), learner->decide().begin()))
                << text;
        }
        EXPECT_GT(strategy->record_gradients(), 0U);
    }
}

TEST(Strategies, FollowANetworkThatChanges) {
    for (const char* text : {"re-solve-last", "re-solve-mean:window=2", "static", "shortest",
                             "time-smoothed:window=3", "adagrad:step=1,replay=4"}) {
        Ground ground(7);
        Routing& routing = *ground.routed.routing;
        const auto strategy = make_strategy(text, ground.parts());
        for (int t = 0; t < 3; ++t) strategy->observe(test::record_of(ground.demands[static_cast<Index>(t)]));
        const SlotIndex gone = routing.paths.first_slot(1);
        routing.paths.change(std::vector<PathChange>{{gone, false, {}}});
        routing.costs.scale_capacity(routing.paths.links(routing.paths.first_slot(3)).front(), 0.3);
        strategy->revise([&](View x) { repair_splits(routing.paths, x); });
        Scratch scratch;
        EXPECT_EQ(SplitSet(ground.routed.routing).value(strategy->decide(), scratch), 0) << text;
        if (std::string(text) == "re-solve-last") {
            const Real found = ground.value(ground.demands[2], strategy->decide());
            EXPECT_LE(found, ground.best(ground.demands[2]).value * (1 + 2e-6)) << "solved anew at once";
        }
    }
}

TEST(Strategies, TheUnweightedSumIsSolvedToAStationaryPoint) {
    Ground ground(8, "unweighted");
    test::Chance chance(1);
    ground.routed.routing->unit = ground.value(ground.demands[0], ground.parts().start);
    const auto last = make_strategy("re-solve-last", ground.parts());
    last->observe(test::record_of(ground.demands[0]));
    const Vector x(last->decide().begin(), last->decide().end());
    const test::NaiveLoss loss = test::naive_loss(*ground.routed.routing, ground.demands[0], x);
    EXPECT_LT(loss.value, 1);
    EXPECT_LE(test::linear_fall(ground.routed.routing->paths, x, loss.gradient), 1e-4);
}

TEST(Strategies, WrongTextsAreRefused) {
    const Ground ground(9);
    for (const char* text : {"re-solve-last:3", "re-solve-mean:window=0", "statics", "shortest:k=2",
                             "time-smoothed:oracle=gaussian", "adam:step=-1"}) {
        EXPECT_THROW(check_strategy(text, ground.settings), ConfigError) << text;
    }
    for (const StrategyRow& row : strategies()) {
        EXPECT_NO_THROW(check_strategy(row.name, ground.settings)) << row.name;
        EXPECT_NE(strategy_label(row.name, ground.settings), row.help);
    }
    EXPECT_EQ(strategy_label("re-solve-mean:window=7", ground.settings), "re-solve mean of last 7");
    EXPECT_EQ(strategy_label("time-smoothed", ground.settings), "window of 3");
    RouteSettings alone = ground.settings;
    alone.compare = false;
    EXPECT_TRUE(rival_texts(alone).empty());
    alone.compare = true;
    alone.rivals = "static; ensemble:windows=1/4 ;shortest;";
    EXPECT_EQ(rival_texts(alone).size(), 3U);
    for (const std::string& text : rival_texts(ground.settings))
        EXPECT_NO_THROW(check_strategy(text, ground.settings)) << text;
}

TEST(ReferenceStep, IsOneOverTheLargestCurvature) {
    for (std::uint64_t seed = 10; seed < 14; ++seed) {
        const Ground ground(seed, seed % 2 == 0 ? "system" : "user");
        const Routing& routing = *ground.routed.routing;
        const Vector x = even_splits(routing.paths);
        // Busy enough for the demand to be taken as it is.
        Vector demand = ground.demands[0];
        const test::NaiveLoss at = test::naive_loss(routing, demand, x);
        Real busiest = 0;
        for (LinkIndex link = 0; link < at.loads.size(); ++link)
            busiest = std::max(busiest, at.loads[link] / routing.costs.capacity(link));
        for (Real& each : demand) each *= 1.2 / busiest;
        // Power iteration on differences of gradients, within the simplices.
        const SplitSet splits(ground.routed.routing);
        Vector v(x.size());
        Chance chance(seed);
        for (Real& each : v) each = chance.gauss();
        Real largest = 0;
        for (int i = 0; i < 60; ++i) {
            splits.project_direction(v);
            scaled(1 / norm(v), v, v);
            Vector up(x.size()), down(x.size());
            step_along(x, 1e-5, v, up);
            step_along(x, -1e-5, v, down);
            const Vector a = test::naive_loss(routing, demand, up).gradient;
            const Vector b = test::naive_loss(routing, demand, down).gradient;
            for (Index j = 0; j < v.size(); ++j) v[j] = (a[j] - b[j]) / 2e-5;
            splits.project_direction(v);
            largest = norm(v);
        }
        EXPECT_NEAR(reference_step(std::make_shared<const Routing>(routing), demand, x) * largest, 1, 0.05);
    }
}

}  // namespace
}  // namespace proxstream
