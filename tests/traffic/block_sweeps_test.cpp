/// Sweeps never raise what they sweep, stay within the splits, and where the sum is convex arrive.
#include "traffic/block_sweeps.hpp"

#include "proxstream/core/linalg.hpp"

#include "support/route_optimum.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
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

/// A sweep by definition: record by record, path by path, links as sets. Where it ends, before any search.
/// One only: it leaves paths of a pair equally dear, and which of them the next one takes is a matter of
/// rounding.
class NaiveSweep {
  public:
    NaiveSweep(const Drawn& drawn, std::vector<Real> x)
        : drawn_(drawn),
          routing_(*drawn.routed.routing),
          paths_(routing_.paths),
          x_(std::move(x)),
          price_(drawn.demands.size(), std::vector<Real>(routing_.costs.links())),
          bend_(price_) {
        for (Index age = 0; age < price_.size(); ++age) price_links(age);
    }

    std::vector<Real> end() {
        std::vector<SlotIndex> best(paths_.pairs());
        for (Index pair = 0; pair < paths_.pairs(); ++pair) best[pair] = cheapest_slot(pair);
        for (Index pair = 0; pair < paths_.pairs(); ++pair) {
            for (SlotIndex slot = paths_.first_slot(pair); slot < paths_.end_slot(pair); ++slot)
                if (paths_.live(slot) && slot != best[pair] && x_[slot] != 0) move(pair, slot, best[pair]);
        }
        return x_;
    }

  private:
    Real demand(Index age, Index pair) const { return drawn_.demands[price_.size() - 1 - age][pair]; }
    std::set<LinkIndex> links_of(SlotIndex slot) const {
        const std::vector<LinkIndex> along = paths_.links(slot);
        return {along.begin(), along.end()};
    }

    void price_links(Index age) {
        std::vector<Real> load(routing_.costs.links());
        for (SlotIndex slot = 0; slot < paths_.slots(); ++slot) {
            if (!paths_.live(slot)) continue;
            for (const LinkIndex link : links_of(slot))
                load[link] += x_[slot] * demand(age, paths_.pair_of(slot));
        }
        for (LinkIndex link = 0; link < load.size(); ++link) {
            const LinkTerm term = routing_.costs.term(link, load[link]);
            price_[age][link] = drawn_.weights[age] * term.marginal;
            bend_[age][link] = drawn_.weights[age] * term.curvature;
        }
    }

    Real price_of(Index pair, SlotIndex slot) const {
        Real total = routing_.share_prices.empty() ? 0 : sum(drawn_.weights) * routing_.share_prices[slot];
        for (Index age = 0; age < price_.size(); ++age) {
            for (const LinkIndex link : links_of(slot)) total += demand(age, pair) * price_[age][link];
            if (paths_.links(slot).empty())
                total += routing_.slack_price * drawn_.weights[age] * demand(age, pair);
        }
        return total;
    }

    SlotIndex cheapest_slot(Index pair) const {
        SlotIndex best = 0;
        Real lowest = kInfinity;
        for (SlotIndex slot = paths_.first_slot(pair); slot < paths_.end_slot(pair); ++slot) {
            if (!paths_.live(slot) || !(price_of(pair, slot) < lowest)) continue;
            lowest = price_of(pair, slot);
            best = slot;
        }
        return best;
    }

    /// Links that a share loses (-1) or gains (1) on its way from one slot to another.
    std::vector<std::pair<LinkIndex, Real>> changed_links(SlotIndex from, SlotIndex to) const {
        const std::set<LinkIndex> left = links_of(from);
        const std::set<LinkIndex> joined = links_of(to);
        std::vector<std::pair<LinkIndex, Real>> changed;
        for (const LinkIndex link : left)
            if (joined.count(link) == 0) changed.emplace_back(link, -1);
        for (const LinkIndex link : joined)
            if (left.count(link) == 0) changed.emplace_back(link, 1);
        return changed;
    }

    /// Moves the share by which both slots become equally dear, as far as there is one.
    void move(Index pair, SlotIndex from, SlotIndex to) {
        const Real dearer = price_of(pair, from) - price_of(pair, to);
        const auto changed = changed_links(from, to);
        Real curvature = 0;
        for (Index age = 0; age < price_.size(); ++age) {
            for (const auto& [link, sign] : changed)
                curvature += demand(age, pair) * demand(age, pair) * bend_[age][link];
        }
        const Real wanted = curvature > 0 ? dearer / curvature
                            : dearer > 0  ? x_[from]
                            : dearer < 0  ? -x_[to]
                                          : 0;
        const Real share = std::clamp(wanted, -x_[to], x_[from]);
        x_[from] -= share;
        x_[to] += share;
        for (Index age = 0; age < price_.size(); ++age) {
            for (const auto& [link, sign] : changed)
                price_[age][link] += sign * share * demand(age, pair) * bend_[age][link];
        }
    }

    const Drawn& drawn_;
    const Routing& routing_;
    const PathSet& paths_;
    std::vector<Real> x_;
    std::vector<std::vector<Real>> price_, bend_;  // of links, by age
};

TEST(BlockSweeps, MatchTheirDefinition) {
    Index whole = 0;
    constexpr std::uint64_t kRuns = 60;
    for (std::uint64_t seed = 400; seed < 400 + kRuns; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Chance chance(seed);
        const Drawn drawn = draw(chance, true);
        const DemandBatch batch = batch_of(drawn);
        const std::vector<Real> start = test::random_splits(drawn.routed.routing->paths, chance, true);
        const std::vector<Real> wanted = NaiveSweep(drawn, start).end();
        std::vector<Real> found = start;
        Scratch scratch;
        Scratch::Frame frame(scratch);
        sweep_blocks(*drawn.routed.routing, batch.mix(drawn.weights, frame), found,
                     {.models = 1, .sweeps = 1}, scratch);
        std::vector<Real> way(start.size()), gone(start.size());
        subtract(wanted, start, way);
        subtract(found, start, gone);
        const Real part = dot(way, way) > 0 ? dot(way, gone) / dot(way, way) : 0;
        ASSERT_GE(part, 0);
        ASSERT_LE(part, 1 + 1e-9);
        for (Index i = 0; i < start.size(); ++i) ASSERT_NEAR(gone[i], part * way[i], 1e-9) << "slot " << i;
        whole += part > 0.999 ? 1 : 0;
    }
    EXPECT_GT(whole, kRuns / 4);
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

TEST(BlockSweeps, DoNotApplyToTheUnweightedSum) {
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

TEST(BlockSweeps, ReportTheirCost) {
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
