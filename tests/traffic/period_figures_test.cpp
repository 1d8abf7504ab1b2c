/// Figures of a period against their definitions, pair by pair and link by link.
#include "traffic/period_figures.hpp"

#include "support/routing_twin.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::Routed;
using Vector = std::vector<Real>;

/// Of n sorted values the one that at least `share` of them do not exceed.
Real quantile(Vector values, Real share) {
    std::sort(values.begin(), values.end());
    for (const Real value : values) {
        const auto below =
            std::count_if(values.begin(), values.end(), [&](Real each) { return each <= value; });
        if (static_cast<Real>(below) >= share * static_cast<Real>(values.size()) * (1 - 1e-12)) return value;
    }
    return values.back();
}

TEST(PeriodFigures, MatchTheirDefinitions) {
    LinkFigures links;
    Scratch scratch;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Chance chance(seed);
        const Routed routed = test::random_routing({.pairs = 8,
                                                    .holes = seed % 2 == 0,
                                                    .slack = seed % 3 == 0,
                                                    .slack_price = 2,
                                                    .path_price = seed % 4 == 0 ? 0.3 : 0,
                                                    .objective = seed % 5 == 0 ? "user" : "system"},
                                                   chance);
        Routing& routing = *routed.routing;
        const PathSet& paths = routing.paths;
        routing.unit = 7;
        if (seed % 2 == 1) {
            routing.closed.assign(routed.network->links(), 0);
            routing.closed[2] = 1;
        }
        const Vector demand = test::random_demand(8, chance, 4);
        const Vector x = test::random_splits(paths, chance);
        const Vector before = seed % 6 == 0 ? Vector{} : test::random_splits(paths, chance);
        const PeriodFigures found = measure_period(routing, demand, x, before, links, scratch);

        const test::NaiveLoss loss = test::naive_loss(routing, demand, x);
        EXPECT_NEAR(found.cost, 7 * loss.value, 1e-12 * found.cost);
        Vector utilisation;
        Real time = 0;
        Real overload = 0;
        Index overloaded = 0;
        for (LinkIndex link = 0; link < loss.loads.size(); ++link) {
            const Real used = loss.loads[link] / routing.costs.capacity(link);
            const bool open = routing.closed.empty() || routing.closed[link] == 0;
            EXPECT_NEAR(links.load[link], loss.loads[link], 1e-12);
            EXPECT_NEAR(links.time[link], routing.costs.time(link, loss.loads[link]).time, 1e-10);
            EXPECT_NEAR(links.utilisation[link], open ? used : 0, 1e-12);
            time += links.load[link] * links.time[link];
            if (!open) continue;
            utilisation.push_back(links.utilisation[link]);
            overloaded += used > 1 ? 1 : 0;
            overload += std::max<Real>(0, loss.loads[link] - routing.costs.capacity(link));
        }
        EXPECT_NEAR(found.time, time, 1e-11 * time);
        EXPECT_EQ(found.utilisation_max, *std::max_element(utilisation.begin(), utilisation.end()));
        EXPECT_EQ(found.utilisation_p95, quantile(utilisation, 0.95));
        EXPECT_EQ(found.utilisation_median, quantile(utilisation, 0.5));
        EXPECT_EQ(found.overloaded, overloaded);
        EXPECT_NEAR(found.overload, overload, 1e-11);

        Real all = 0;
        Real unserved = 0;
        Real moved = 0;
        Index used = 0;
        Index changed = 0;
        for (Index pair = 0; pair < paths.pairs(); ++pair) {
            Real served = 0;
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
                if (!paths.live(slot)) continue;
                const bool slack = paths.links(slot).empty();
                if (!slack) {
                    served += x[slot];
                    used += x[slot] > 0 ? 1 : 0;
                }
                if (before.empty()) continue;
                moved += demand[pair] * std::abs(x[slot] - before[slot]) / 2;
                changed += (x[slot] > 0) != (before[slot] > 0) ? 1 : 0;
            }
            all += demand[pair];
            unserved += demand[pair] * (1 - served);
        }
        EXPECT_NEAR(found.demand, all, 1e-12 * all);
        EXPECT_NEAR(found.unserved, unserved, 1e-9 * all);
        EXPECT_NEAR(found.churn, moved / all, 1e-12);
        EXPECT_EQ(found.paths_used, used);
        EXPECT_EQ(found.paths_changed, changed);
        EXPECT_NEAR(found.mean_time, time / (all - unserved), 1e-9 * found.mean_time);
    }
}

TEST(PeriodFigures, OfNoDemandAreZero) {
    Chance chance(1);
    const Routed routed = test::random_routing({}, chance);
    LinkFigures links;
    Scratch scratch;
    const Vector x = test::random_splits(routed.routing->paths, chance);
    const PeriodFigures found = measure_period(*routed.routing, Vector(9, 0), x, x, links, scratch);
    EXPECT_EQ(found.demand, 0);
    EXPECT_EQ(found.cost, 0);
    EXPECT_EQ(found.unserved, 0);
    EXPECT_EQ(found.churn, 0);
    EXPECT_EQ(found.mean_time, 0);
    EXPECT_EQ(found.utilisation_max, 0);
}

}  // namespace
}  // namespace proxstream
