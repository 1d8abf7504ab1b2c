/// Windows of demands against sums path by path and record by record; threads and checkpoints bit for bit.
#include "traffic/demand_batch.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/core/state_archive.hpp"

#include "support/routing_twin.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::naive_loss;
using test::naive_window;
using test::NaiveLoss;
using test::RandomRouting;
using test::record_of;
using test::relative_error;
using test::Routed;

constexpr const char* kBatchObjectives[] = {"system", "user", "utilisation:power=5", "unweighted", "delay"};
constexpr const char* kBatchForms[] = {"bpr", "polynomial:1,0.5,0.25", "queue:0.8", "davidson", "s-shape"};

RandomRouting draw_kind(Chance& chance) {
    RandomRouting wanted;
    wanted.holes = !chance.one_in(3);
    wanted.slack = chance.one_in(2);
    wanted.slack_price = wanted.slack ? chance.real(0.5, 4) : 0;
    wanted.path_price = chance.one_in(2) ? chance.real(0.1, 1) : 0;
    wanted.form = kBatchForms[chance.below(5)];
    wanted.objective = kBatchObjectives[chance.below(5)];
    return wanted;
}

/// Demands of a window: fresh ones, multiples of the one before, and now and then nothing at all.
std::vector<std::vector<Real>> draw_demands(Index pairs, Index count, Chance& chance) {
    std::vector<std::vector<Real>> demands;
    while (demands.size() < count) {
        const bool multiple = !demands.empty() && chance.one_in(2);
        std::vector<Real> next = multiple ? demands.back() : test::random_demand(pairs, chance);
        const Real scale = multiple ? chance.real(0.3, 3) : chance.one_in(12) ? 0 : 1;
        for (Real& each : next) each *= scale;
        demands.push_back(std::move(next));
    }
    return demands;
}

TEST(DemandBatch, IsTheSumOverPathsAndRecords) {
    Real worst = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        Chance chance(seed);
        const RandomRouting wanted = draw_kind(chance);
        SCOPED_TRACE(wanted.form + ", " + wanted.objective + ", seed " + std::to_string(seed));
        const Routed routed = test::random_routing(wanted, chance);
        Routing& routing = *routed.routing;
        routing.unit = chance.one_in(2) ? 1 : chance.real(0.01, 100);
        routing.closed.assign(routed.network->links(), 0);
        routing.closed[0] = 1;  // of no concern to the paths there are
        const Index kept = 1 + chance.below(6);
        const auto demands = draw_demands(routing.paths.pairs(), 9, chance);
        DemandBatch batch(routed.routing, kept);
        for (const auto& demand : demands) batch.push(record_of(demand));
        ASSERT_EQ(batch.size(), kept);
        const std::vector<Real> x = test::random_splits(routing.paths, chance);
        std::vector<Real> weights(kept), gradient(x.size());
        for (Real& weight : weights) weight = chance.one_in(4) ? 0 : chance.real(0.1, 1);
        Scratch scratch;
        const auto expect = [&](Real value, const NaiveLoss& wanted_loss) {
            const Real scale = std::max(std::abs(wanted_loss.value), 1e-12);
            worst = std::max({worst, std::abs(value - wanted_loss.value) / scale,
                              relative_error(gradient, wanted_loss.gradient)});
            ASSERT_NEAR(value, wanted_loss.value, 1e-12 * scale);
            ASSERT_LE(relative_error(gradient, wanted_loss.gradient), 1e-12);
        };
        const Real sum = batch.weighted_value_and_gradient(weights, x, gradient, scratch);
        expect(sum, naive_window(routing, demands, weights, x));
        ASSERT_EQ(batch.weighted_value(weights, x, scratch), sum);
        for (Index age = 0; age < kept; ++age) {
            const Real one = batch.value_and_gradient(age, x, gradient, scratch);
            expect(one, naive_loss(routing, demands[demands.size() - 1 - age], x));
            ASSERT_EQ(batch.value(age, x, scratch), one);
        }
        for (SlotIndex slot = 0; slot < x.size(); ++slot) {
            ASSERT_TRUE(routing.paths.live(slot) || gradient[slot] == 0) << "an empty slot has a price";
        }
    }
    RecordProperty("worst", std::to_string(worst * 1e16) + "e-16");
}

TEST(DemandBatch, GradientsAreThoseOfTheValues) {
    for (std::uint64_t seed = 200; seed < 240; ++seed) {
        Chance chance(seed);
        const RandomRouting wanted = draw_kind(chance);
        SCOPED_TRACE(wanted.form + ", " + wanted.objective + ", seed " + std::to_string(seed));
        const Routed routed = test::random_routing(wanted, chance);
        DemandBatch batch(routed.routing, 3);
        for (const auto& demand : draw_demands(routed.routing->paths.pairs(), 3, chance))
            batch.push(record_of(demand));
        const std::vector<Real> weights = {0.5, 0.2, 0.3};
        const std::vector<Real> x = test::random_splits(routed.routing->paths, chance, true);
        const std::vector<Real> to = test::random_splits(routed.routing->paths, chance, true);
        std::vector<Real> direction(x.size()), gradient(x.size()), moved(x.size());
        subtract(to, x, direction);
        Scratch scratch;
        const Real value = batch.weighted_value_and_gradient(weights, x, gradient, scratch);
        const auto at = [&](Real part) {
            step_along(x, part, direction, moved);
            return batch.weighted_value(weights, moved, scratch);
        };
        constexpr Real kStep = 1e-4;
        // Richardson: the error of the plain difference is taken out.
        const Real wide = (at(2 * kStep) - at(-2 * kStep)) / (4 * kStep);
        const Real narrow = (at(kStep) - at(-kStep)) / (2 * kStep);
        const Real slope = narrow + (narrow - wide) / 3;
        EXPECT_NEAR(dot(gradient, direction), slope, 1e-8 * (std::abs(value) + std::abs(slope)) + 1e-11);
    }
}

/// Columns a window is walked with.
Index columns_of(const DemandBatch& batch) {
    Scratch scratch;
    Scratch::Frame frame(scratch);
    const std::vector<Real> weights(batch.size(), 1);
    return batch.mix(weights, frame).columns.size();
}

TEST(DemandBatch, MultiplesOfOneMatrixAreOneColumn) {
    Chance chance(7);
    const Routed routed = test::random_routing({}, chance);
    const std::vector<Real> base = test::random_demand(9, chance);
    const std::vector<Real> other = test::random_demand(9, chance);
    DemandBatch batch(routed.routing, 64);
    std::vector<std::vector<Real>> demands;
    const auto push = [&](const std::vector<Real>& demand, Real scale) {
        demands.push_back(demand);
        for (Real& each : demands.back()) each *= scale;
        batch.push(record_of(demands.back()));
    };
    for (Index t = 0; t < 40; ++t) push(base, 1 + 0.5 * std::sin(static_cast<Real>(t)));
    EXPECT_EQ(columns_of(batch), 1U);
    const std::vector<Real> x = test::random_splits(routed.routing->paths, chance);
    Scratch scratch;
    std::vector<Real> gradient(x.size());
    const auto expect_sum = [&] {
        std::vector<Real> weights(batch.size());
        for (Index age = 0; age < weights.size(); ++age) weights[age] = 1 / static_cast<Real>(2 + age);
        const NaiveLoss wanted = naive_window(*routed.routing, demands, weights, x);
        const Real value = batch.weighted_value_and_gradient(weights, x, gradient, scratch);
        EXPECT_NEAR(value, wanted.value, 1e-12 * wanted.value);
        EXPECT_LE(relative_error(gradient, wanted.gradient), 1e-12);
    };
    expect_sum();
    push(other, 1);
    push(other, 1);  // equal is a multiple too
    push(other, 0);  // nothing is a multiple of nothing
    push(base, 2);
    push(base, 1e-3);
    std::vector<Real> nearly = demands.back();
    nearly[0] *= 1 + 1e-12;
    push(nearly, 1);
    EXPECT_EQ(columns_of(batch), 5U);
    expect_sum();
    // A record that is rolled back leaves the columns as they were.
    batch.drop_newest();
    demands.pop_back();
    EXPECT_EQ(columns_of(batch), 4U);
    push(base, 3);
    EXPECT_EQ(columns_of(batch), 4U);
    expect_sum();
}

/// A window of multiples against the same window with every record a column of its own.
TEST(DemandBatch, MomentsAreThePlainWindow) {
    for (const char* form : {"bpr:power=4", "bpr:power=2.5", "bpr:power=0", "bpr", "queue:0.8"}) {
        for (const char* objective : {"system", "user", "utilisation:power=5", "unweighted"}) {
            SCOPED_TRACE(std::string(form) + ", " + objective);
            Chance chance(23);
            const Routed routed =
                test::random_routing({.holes = true, .form = form, .objective = objective}, chance);
            const Routing& routing = *routed.routing;
            const std::vector<Real> bases[] = {test::random_demand(9, chance),
                                               test::random_demand(9, chance)};
            const DemandColumn shared[] = {{bases[0]}, {bases[1]}};
            std::vector<ColumnUse> uses, own_uses;
            std::vector<std::vector<Real>> demands;
            std::vector<DemandColumn> own;
            Real weight = 0;
            for (Index i = 0; i < 30; ++i) {
                const ColumnUse use{i % 2, chance.real(0.01, 3), chance.real(0.1, 1)};
                uses.push_back(use);
                demands.push_back(bases[i % 2]);
                for (Real& each : demands.back()) each *= use.scale;
                own_uses.push_back({i, 1, use.weight});
                weight += use.weight;
            }
            for (const auto& demand : demands) own.push_back({demand});
            const DemandMix few{shared, uses, weight};
            const DemandMix many{own, own_uses, weight};
            const std::vector<Real> x = test::random_splits(routing.paths, chance);
            std::vector<Real> gradient(x.size()), plain(x.size());
            Scratch scratch;
            const Real value = evaluate(routing, few, x, gradient, scratch);
            const Real wanted = evaluate(routing, many, x, plain, scratch);
            EXPECT_NEAR(value, wanted, 1e-13 * wanted);
            EXPECT_LE(relative_error(gradient, plain), 1e-13);
            if (routing.costs.objective().kind == ObjectiveKind::unweighted) continue;
            // Curvatures, which sweeps use.
            const Index links = routing.costs.links();
            std::vector<Real> loads(2 * links), prices(2 * links), bends(2 * links), twin(2 * links);
            find_loads(routing.paths, shared, x, loads, scratch);
            price_links(routing, few, loads, prices, bends, scratch);
            for (const ColumnUse& use : uses) {
                for (LinkIndex link = 0; link < links; ++link) {
                    const Index at = Index{2} * link + use.column;
                    twin[at] += use.weight * use.scale * use.scale *
                                routing.costs.term(link, use.scale * loads[at]).curvature;
                }
            }
            EXPECT_LE(relative_error(bends, twin), 1e-13);
        }
    }
}

/// As many pairs as a city has: the ratio of sums, with the rounding of all their additions, would not do.
TEST(DemandBatch, MultiplesOfALargeMatrixAreOneColumn) {
    Chance chance(17);
    const Routed routed =
        test::random_routing({.nodes = 60, .chords = 300, .pairs = 3400, .k = 1, .spare = 0}, chance);
    std::vector<Real> base = test::random_demand(routed.routing->paths.pairs(), chance, 0.05);
    for (Real& each : base) each *= std::exp(3 * chance.gauss());
    DemandBatch batch(routed.routing, 400);
    for (Index t = 0; t < 400; ++t) {
        std::vector<Real> demand = base;
        for (Real& each : demand) each *= std::pow(1.02, static_cast<Real>(t % 37));
        batch.push(record_of(demand));
    }
    EXPECT_EQ(columns_of(batch), 1U);
}

TEST(DemandBatch, ARemovedRecordLeavesNoTrace) {
    Chance chance(8);
    const Routed routed = test::random_routing({}, chance);
    const auto demands = draw_demands(9, 30, chance);
    DemandBatch plain(routed.routing, 4), restless(routed.routing, 5);
    const std::vector<Real> x = test::random_splits(routed.routing->paths, chance);
    const std::vector<Real> weights(4, 0.25);
    Scratch scratch;
    std::vector<Real> one(x.size()), two(x.size());
    for (Index t = 0; t < demands.size(); ++t) {
        plain.push(record_of(demands[t]));
        restless.push(record_of(demands[(7 * t) % demands.size()]));
        restless.drop_newest();
        restless.push(record_of(demands[t]));
        if (t < 4) continue;
        const Real a = plain.weighted_value_and_gradient(weights, x, one, scratch);
        const Real b = restless.weighted_value_and_gradient(weights, x, two, scratch);
        EXPECT_EQ(a, b);
        EXPECT_EQ(one, two);
    }
}

TEST(DemandBatch, ContinuesBitForBitAfterRestoring) {
    for (const Index before : {3U, 11U}) {
        Chance chance(9);
        const Routed routed = test::random_routing({.objective = "user"}, chance);
        const auto demands = draw_demands(9, 24, chance);
        DemandBatch whole(routed.routing, 8);
        for (Index t = 0; t < before; ++t) whole.push(record_of(demands[t]));
        StateArchive saved;
        saved.section("batch", whole);
        DemandBatch resumed(routed.routing, 8);
        for (Index t = 0; t < 5; ++t) resumed.push(record_of(demands[20]));  // replaced by loading
        const std::string sealed = saved.seal();
        StateArchive loaded(sealed, "state");
        loaded.section("batch", resumed);
        loaded.finish();
        const std::vector<Real> x = test::random_splits(routed.routing->paths, chance);
        Scratch scratch;
        std::vector<Real> one(x.size()), two(x.size());
        for (Index t = before; t < demands.size(); ++t) {
            std::vector<Real> weights(std::min<Index>(whole.size(), 7), 0.1);
            weights[0] = 0.4;
            ASSERT_EQ(whole.size(), resumed.size());
            EXPECT_EQ(whole.weighted_value_and_gradient(weights, x, one, scratch),
                      resumed.weighted_value_and_gradient(weights, x, two, scratch));
            EXPECT_EQ(one, two);
            whole.push(record_of(demands[t]));
            resumed.push(record_of(demands[t]));
        }
    }
}

TEST(DemandBatch, ThreadsChangeNoBit) {
    Chance chance(10);
    const Routed routed =
        test::random_routing({.nodes = 60, .chords = 700, .pairs = 3400, .k = 5, .holes = true}, chance);
    constexpr Index kWindow = 48;
    // Several chunks of work, both along the trees and along the links.
    ASSERT_GT(routed.routing->paths.tree_nodes() * kWindow, Index{4} << 16);
    DemandBatch batch(routed.routing, kWindow);
    for (Index t = 0; t < kWindow; ++t)
        batch.push(record_of(test::random_demand(routed.routing->paths.pairs(), chance, 0.05)));
    ASSERT_GT(routed.network->links() * kWindow, Index{2} << 14);
    ASSERT_EQ(columns_of(batch), kWindow);
    const std::vector<Real> weights(kWindow, 1.0 / kWindow);
    const std::vector<Real> x = test::random_splits(routed.routing->paths, chance);
    struct Result {
        Real value;
        std::vector<Real> gradient, improved;
    };
    const auto evaluated = [&](Index count) {
        set_threads(count);
        Result result{0, std::vector<Real>(x.size()), x};
        Scratch scratch;
        result.value = batch.weighted_value_and_gradient(weights, x, result.gradient, scratch);
        batch.improve(weights, result.improved, scratch);
        set_threads(1);
        return result;
    };
    const Result alone = evaluated(1);
    EXPECT_NE(alone.improved, x);
    for (const Index count : {2U, 4U}) {
        const Result shared = evaluated(count);
        EXPECT_EQ(shared.value, alone.value);
        EXPECT_EQ(shared.gradient, alone.gradient);
        EXPECT_EQ(shared.improved, alone.improved);
    }
}

TEST(DemandBatch, AUnitDividesEverything) {
    Chance chance(11);
    const Routed routed = test::random_routing({.slack = true, .slack_price = 3, .path_price = 0.5}, chance);
    DemandBatch batch(routed.routing, 2);
    batch.push(record_of(test::random_demand(9, chance)));
    batch.push(record_of(test::random_demand(9, chance)));
    const std::vector<Real> x = test::random_splits(routed.routing->paths, chance);
    const std::vector<Real> weights = {0.5, 0.5};
    Scratch scratch;
    std::vector<Real> one(x.size()), other(x.size());
    const Real value = batch.weighted_value_and_gradient(weights, x, one, scratch);
    routed.routing->unit = 0x1p7;
    EXPECT_EQ(batch.weighted_value_and_gradient(weights, x, other, scratch), value / 0x1p7);
    for (Index i = 0; i < x.size(); ++i) EXPECT_EQ(other[i], one[i] / 0x1p7);
}

}  // namespace
}  // namespace proxstream
