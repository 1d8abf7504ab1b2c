// What docs/theory.md says of routing, on the losses of the program: which sums are convex, why the L1 norm
// does nothing, and the effect of missing paths on a gap.

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"

#include "support/route_learner.hpp"
#include "traffic/column_pricer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::Routed;
using Vector = std::vector<Real>;

/// The gradient of one demand's loss at splits x, as the product finds it.
Vector gradient_of(const std::shared_ptr<Routing>& routing, const Vector& demand, const Vector& x) {
    DemandBatch batch(routing, 1);
    batch.push(test::record_of(demand));
    Scratch scratch;
    Vector gradient(x.size());
    batch.value_and_gradient(0, x, gradient, scratch);
    return gradient;
}

/// Two pairs that may share one road of time a + b y^4, or go a way of their own that does not fill up.
std::shared_ptr<Routing> shared_road(Real a, Real b, const std::string& objective) {
    Network network;
    for (const char* name : {"o1", "o2", "m", "d"}) network.node(name);
    network.add_link({.from = 0, .to = 2, .free_time = 0.1});
    network.add_link({.from = 1, .to = 2, .free_time = 0.2});
    network.add_link({.from = 2, .to = 3, .free_time = a, .b = b / a, .power = 4});
    network.add_link({.from = 0, .to = 3, .free_time = 2});
    network.add_link({.from = 1, .to = 3, .free_time = 3});
    const std::vector<Index> slots = {2, 2};
    PathSet paths(network, {{0, 3}, {1, 3}}, slots);
    paths.change(
        std::vector<PathChange>{{0, true, {0, 2}}, {1, true, {3}}, {2, true, {1, 2}}, {3, true, {4}}});
    return std::make_shared<Routing>(
        Routing{std::move(paths), LinkCosts(network, "bpr", Objective::parse(objective), {})});
}

/// The Hessian in the shares x_1, x_2 on the shared road, by differences of gradients.
struct Hessian {
    Real h11, h12, h22;
    Real determinant() const { return h11 * h22 - h12 * h12; }
};
Hessian hessian(const std::shared_ptr<Routing>& routing, const Vector& demand, Real x1, Real x2) {
    const auto slope = [&](Real a, Real b) {
        const Vector g = gradient_of(routing, demand, {a, 1 - a, b, 1 - b});
        return std::pair{g[0] - g[1], g[2] - g[3]};
    };
    constexpr Real kStep = 1e-4;
    const auto right = slope(x1 + kStep, x2);
    const auto left = slope(x1 - kStep, x2);
    const auto up = slope(x1, x2 + kStep);
    const auto down = slope(x1, x2 - kStep);
    return {(right.first - left.first) / (2 * kStep), (up.first - down.first) / (2 * kStep),
            (up.second - down.second) / (2 * kStep)};
}

TEST(RoutingTheory, TheUnweightedSumIsNotConvexWhereDemandsDiffer) {
    constexpr Real kA = 1.3;
    constexpr Real kB = 0.7;
    const auto unweighted = shared_road(kA, kB, "unweighted");
    const auto weighted = shared_road(kA, kB, "system");
    for (const auto& [d1, d2] : {std::pair{1.0, 2.0}, {0.5, 3.0}, {2.0, 0.1}}) {
        for (const auto& [x1, x2] : {std::pair{0.5, 0.5}, {0.2, 0.9}, {0.9, 0.3}}) {
            const Real y = d1 * x1 + d2 * x2;
            const Real wanted = -16 * kB * kB * std::pow(y, 6) * (d1 - d2) * (d1 - d2);
            EXPECT_NEAR(hessian(unweighted, {d1, d2}, x1, x2).determinant(), wanted, 1e-5 * std::abs(wanted));
            const Hessian convex = hessian(weighted, {d1, d2}, x1, x2);
            EXPECT_GT(convex.h11, 0);
            EXPECT_GE(convex.determinant(), -1e-6 * convex.h11 * convex.h22);
        }
    }
    // Equal demands: it is the weighted sum, divided.
    EXPECT_GE(hessian(unweighted, {2, 2}, 0.4, 0.7).determinant(), -1e-5);
}

/// The least <grad F(x) - grad F(y), x - y> / |x - y|^2 over random points: negative proves not convex.
Real least_monotony(const Routed& routed, const Vector& demand, Chance& chance) {
    Real least = kInfinity;
    for (int i = 0; i < 60; ++i) {
        const Vector x = test::random_splits(routed.routing->paths, chance);
        const Vector y = test::random_splits(routed.routing->paths, chance);
        const Vector at_x = gradient_of(routed.routing, demand, x);
        const Vector at_y = gradient_of(routed.routing, demand, y);
        Vector change(x.size()), move(x.size());
        subtract(at_x, at_y, change);
        subtract(x, y, move);
        const Real size = squared_norm(move);
        if (size > 0) least = std::min(least, dot(change, move) / size);
    }
    return least;
}

TEST(RoutingTheory, SumsAreConvexWhereTheProductSaysSo) {
    Index not_convex = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Chance chance(seed);
        for (const auto& [form, objective] : {std::pair{"bpr", "system"},
                                              {"queue:0.8", "system"},
                                              {"davidson", "user"},
                                              {"s-shape", "user"}}) {
            Chance same(seed);
            const Routed routed = test::random_routing({.form = form, .objective = objective}, same);
            EXPECT_TRUE(routed.routing->costs.convex());
            const Vector demand = test::random_demand(9, same, 3);
            EXPECT_GE(least_monotony(routed, demand, chance), -1e-10) << form << ", " << objective;
        }
        // The unweighted sum with one demand for all is convex, with different ones it is not.
        Chance same(seed);
        const Routed routed = test::random_routing({.objective = "unweighted"}, same);
        EXPECT_GE(least_monotony(routed, Vector(9, 2), chance), -1e-10);
        if (least_monotony(routed, test::random_demand(9, same, 6), chance) < -1e-6) ++not_convex;
    }
    EXPECT_GT(not_convex, 0U);
}

TEST(RoutingTheory, TheL1NormChangesNoDecision) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        for (const char* inner : {"blocks", "backtracking"}) {
            Chance chance(seed);
            const Routed routed = test::random_routing({}, chance);
            const auto stream = test::demand_stream(9, 30, chance);
            test::set_unit(*routed.routing, stream.front());
            const auto played = [&](Real mu) {
                LearnerConfig parts = test::route_parts(routed.routing, mu);
                parts.inner = inner;
                return make_learner("time-smoothed", std::move(parts));
            };
            const auto plain = played(0);
            const auto weighted = played(5);
            for (const Vector& demand : stream) {
                const RoundReport one = plain->observe(test::record_of(demand));
                const RoundReport other = weighted->observe(test::record_of(demand));
                ASSERT_TRUE(
                    std::equal(plain->decide().begin(), plain->decide().end(), weighted->decide().begin()))
                    << "seed " << seed << ", round " << one.round;
                ASSERT_EQ(one.entry_gap, other.entry_gap);
                ASSERT_EQ(one.exit_gap, other.exit_gap);
                ASSERT_EQ(one.steps, other.steps);
                ASSERT_EQ(one.variation, other.variation);
                ASSERT_EQ(other.regulariser, one.regulariser + 5 * 9);
            }
        }
    }
}

// ---- missing paths

/// Every loop-free path of small random networks, of which a few are live.
struct Missing {
    std::shared_ptr<Routing> all;  // every slot has its path
    std::shared_ptr<Routing> few;  // the same slots, some of them empty
};

Missing draw_missing(Chance& chance) {
    // k far above what there are: all of them.
    const Routed routed =
        test::random_routing({.nodes = 5, .chords = 4, .pairs = 4, .k = 100, .spare = 0}, chance);
    Missing made{routed.routing, std::make_shared<Routing>(*routed.routing)};
    PathSet& paths = made.few->paths;
    std::vector<PathChange> gone;
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        for (SlotIndex slot = paths.first_slot(pair) + 1; slot < paths.end_slot(pair); ++slot)
            if (!chance.one_in(3)) gone.push_back({slot, false, {}});
    }
    paths.change(gone);
    return made;
}

TEST(RoutingTheory, TheGapSeesAMissingPathExactlyBelowTheThreshold) {
    // T = prox(x - eta grad) of a pair is max(x - eta grad - tau, 0): a path that is not there, and has no
    // share, stays without one iff its price is at least -tau/eta. Then, and only then, the gap over all
    // paths is that over the live ones.
    Index seen = 0;
    Index unseen = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Chance chance(seed);
        const Missing made = draw_missing(chance);
        const PathSet& paths = made.few->paths;
        const Vector demand = test::random_demand(4, chance, 2);
        const Vector x = test::random_splits(paths, chance);
        const Real eta = std::exp(chance.real(-5, 1));
        const Vector prices = gradient_of(made.all, demand, x);
        const Index n = x.size();
        Vector with(n), without(n), forward(n);
        Scratch scratch;
        prox_gradient_step(SplitSet(made.all), x, prices, eta, {forward, with}, scratch);
        prox_gradient_step(SplitSet(made.few), x, gradient_of(made.few, demand, x), eta, {forward, without},
                           scratch);
        for (Index pair = 0; pair < paths.pairs(); ++pair) {
            Real threshold = kInfinity;  // -tau/eta: what a live path with a share after the step tells
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot)
                if (paths.live(slot) && forward[slot] > 0)
                    threshold = prices[slot] + (forward[slot] - x[slot]) / eta;
            bool below = false;
            bool close = false;
            Real difference = 0;
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
                difference = std::max(difference, std::abs(with[slot] - without[slot]));
                if (paths.live(slot)) continue;
                below = below || prices[slot] < threshold;
                close = close || std::abs(prices[slot] - threshold) < 1e-9 * (1 + std::abs(threshold));
            }
            if (close) continue;
            EXPECT_EQ(difference > 1e-12 * (1 + 1 / eta), below) << "seed " << seed << ", pair " << pair;
            ++(below ? seen : unseen);
        }
    }
    EXPECT_GT(seen, 20U);
    EXPECT_GT(unseen, 20U);
}

TEST(RoutingTheory, WithoutACheaperPathTheGapOverAllPathsIsBounded) {
    // No missing path cheaper than the cheapest of its pair: the linear model falls by no more over all paths
    // than over the live ones, and |P|^2 <= fall / eta over all of them. At a stationary point both vanish.
    Index priced = 0;
    for (std::uint64_t seed = 100; seed < 140; ++seed) {
        Chance chance(seed);
        Missing made = draw_missing(chance);
        const Vector demand = test::random_demand(4, chance, 2);
        const Vector x = test::random_splits(made.few->paths, chance);
        const Vector prices = gradient_of(made.all, demand, x);
        const PathSet& paths = made.few->paths;
        // Whatever prices out comes in: the cheapest path of every pair is live then.
        std::vector<PathChange> found;
        for (Index pair = 0; pair < paths.pairs(); ++pair) {
            SlotIndex best = paths.first_slot(pair);
            for (SlotIndex slot = best; slot < paths.end_slot(pair); ++slot)
                if (prices[slot] < prices[best]) best = slot;
            if (!paths.live(best)) found.push_back({best, true, made.all->paths.links(best)});
        }
        priced += found.size();
        made.few->paths.change(found);
        const auto fall = [&](const PathSet& over) {
            Real total = 0;
            for (Index pair = 0; pair < over.pairs(); ++pair) {
                Real lowest = kInfinity;
                for (SlotIndex slot = over.first_slot(pair); slot < over.end_slot(pair); ++slot) {
                    if (!over.live(slot)) continue;
                    total += x[slot] * prices[slot];
                    lowest = std::min(lowest, prices[slot]);
                }
                total -= lowest;
            }
            return total;
        };
        EXPECT_NEAR(fall(made.few->paths), fall(made.all->paths), 1e-13);
        const Real eta = std::exp(chance.real(-4, 1));
        Vector forward(x.size()), gap(x.size());
        Scratch scratch;
        const Real norm_of_all =
            prox_gradient_step(SplitSet(made.all), x, prices, eta, {forward, gap}, scratch).norm;
        EXPECT_LE(norm_of_all * norm_of_all, fall(made.few->paths) / eta * (1 + 1e-12) + 1e-12);
    }
    EXPECT_GT(priced, 10U);
}

}  // namespace
}  // namespace proxstream
