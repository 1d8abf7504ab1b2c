/// Sweeps never raise what they sweep, stay within the splits, and where the sum is convex arrive.
#include "proxstream/traffic/block_sweeps.hpp"

#include "proxstream/core/linalg.hpp"

#include "support/route_optimum.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::RandomRouting;
using test::Routed;

constexpr const char* kSweptForms[] = {"bpr", "polynomial:1,0.5,0.25", "queue:0.8", "davidson",
                                       "s-shape:b=3"};
constexpr const char* kSweptObjectives[] = {"system", "user", "utilisation:power=4"};

struct Drawn {
    Routed routed;
    std::vector<std::vector<Real>> demands;
    std::vector<Real> weights;  // by age
};

Drawn draw(Chance& chance, bool convex) {
    RandomRouting wanted;
    wanted.k = 1 + chance.below(5);
    wanted.holes = chance.one_in(3);
    wanted.slack = chance.one_in(3);
    wanted.slack_price = wanted.slack ? chance.real(0.5, 4) : 0;
    wanted.path_price = chance.one_in(3) ? chance.real(0.05, 1) : 0;
    wanted.form = kSweptForms[chance.below(convex ? 4 : 5)];
    wanted.objective = kSweptObjectives[chance.below(3)];
    Drawn drawn{test::random_routing(wanted, chance), {}, {}};
    drawn.routed.routing->unit = chance.real(0.5, 20);
    const Index window = 1 + chance.below(4);
    for (Index i = 0; i < window; ++i) {
        const bool again = i > 0 && chance.one_in(2);
        drawn.demands.push_back(again ? drawn.demands.back() : test::random_demand(9, chance));
        if (again)
            for (Real& each : drawn.demands.back()) each *= 1.25;
        drawn.weights.push_back(chance.real(0.1, 1));
    }
    return drawn;
}

DemandBatch batch_of(const Drawn& drawn) {
    DemandBatch batch(drawn.routed.routing, drawn.demands.size());
    for (const auto& demand : drawn.demands) batch.push(test::record_of(demand));
    return batch;
}

TEST(BlockSweeps, NeverRaiseTheSumAndStayWithinTheSplits) {
    Index fell = 0;
    constexpr std::uint64_t kRuns = 200;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
        Chance chance(seed);
        const Drawn drawn = draw(chance, false);
        const Routing& routing = *drawn.routed.routing;
        const DemandBatch batch = batch_of(drawn);
        const SplitSet splits(drawn.routed.routing);
        Scratch scratch;
        std::vector<Real> x = test::random_splits(routing.paths, chance);
        Real value = test::naive_window(routing, drawn.demands, drawn.weights, x).value;
        for (int call = 0; call < 4; ++call) {
            Scratch::Frame frame(scratch);
            const Real fall =
                sweep_blocks(routing, batch.mix(drawn.weights, frame), x,
                             {.models = 1 + chance.below(3), .sweeps = 1 + chance.below(4)}, scratch);
            const Real now = test::naive_window(routing, drawn.demands, drawn.weights, x).value;
            ASSERT_LE(now, value + 1e-13 * std::abs(value)) << "seed " << seed;
            ASSERT_GE(fall, 0);
            ASSERT_NEAR(fall, value - now, 1e-12 * std::abs(value)) << "seed " << seed;
            ASSERT_EQ(splits.value(x, scratch), 0) << "seed " << seed;
            for (const Real share : x) ASSERT_GE(share, 0);
            fell += fall > 0 ? 1 : 0;
            value = now;
        }
    }
    EXPECT_GT(fell, 2 * kRuns);
}

TEST(BlockSweeps, ArriveAtTheOptimumOfConvexSums) {
    for (std::uint64_t seed = 300; seed < 312; ++seed) {
        Chance chance(seed);
        const Drawn drawn = draw(chance, true);
        const Routing& routing = *drawn.routed.routing;
        ASSERT_TRUE(routing.costs.convex());
        const DemandBatch batch = batch_of(drawn);
        Scratch scratch;
        Scratch::Frame frame(scratch);
        const DemandMix mix = batch.mix(drawn.weights, frame);
        std::vector<Real> x = even_splits(routing.paths);
        for (int call = 0; call < 150; ++call) sweep_blocks(routing, mix, x, {}, scratch);
        const test::NaiveLoss found = test::naive_window(routing, drawn.demands, drawn.weights, x);
        // Proof enough for a convex sum: the linear model promises nothing more.
        EXPECT_LE(test::linear_fall(routing.paths, x, found.gradient), 2e-6 * found.value) << "seed " << seed;
        // And by another way altogether.
        const test::Optimum slow =
            test::slow_optimum(drawn.routed.routing, drawn.demands, drawn.weights, 1500);
        EXPECT_LE(found.value, slow.value + 1e-7 * slow.value) << "seed " << seed;
        EXPECT_GE(found.value, slow.value - slow.left - 1e-12 * slow.value) << "seed " << seed;
    }
}

TEST(BlockSweeps, LeaveTheUnweightedSumAlone) {
    Chance chance(5);
    const Routed routed = test::random_routing({.objective = "unweighted"}, chance);
    DemandBatch batch(routed.routing, 1);
    batch.push(test::record_of(test::random_demand(9, chance)));
    std::vector<Real> x = test::random_splits(routed.routing->paths, chance);
    const std::vector<Real> before = x;
    Scratch scratch;
    const std::vector<Real> weights = {1};
    EXPECT_EQ(batch.improve(weights, x, scratch), 0U);
    EXPECT_EQ(x, before);
}

TEST(BlockSweeps, SayWhatTheyCost) {
    Chance chance(6);
    const Routed routed = test::random_routing({}, chance);
    DemandBatch batch(routed.routing, 1);
    batch.push(test::record_of(test::random_demand(9, chance)));
    std::vector<Real> x = even_splits(routed.routing->paths);
    Scratch scratch;
    const std::vector<Real> weights = {1};
    const Real before = batch.weighted_value(weights, x, scratch);
    EXPECT_EQ(batch.improve(weights, x, scratch), 1U + SweepOptions{}.models * SweepOptions{}.sweeps);
    EXPECT_LT(batch.weighted_value(weights, x, scratch), before);
    const std::vector<Real> nothing = {0};
    const std::vector<Real> there = x;
    batch.improve(nothing, x, scratch);
    EXPECT_EQ(x, there);
}

}  // namespace
}  // namespace proxstream
