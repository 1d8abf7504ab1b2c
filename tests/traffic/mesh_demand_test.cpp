#include "traffic/mesh_demand.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::vector<std::vector<Real>> all_demand(DemandStream& stream) {
    std::vector<std::vector<Real>> all;
    for (DemandPeriod period; stream.announce(period);) {
        EXPECT_TRUE(period.demand.empty() && period.events.empty());
        EXPECT_EQ(period.label, std::to_string(all.size() + 1));
        stream.reveal(period);
        all.push_back(period.demand);
    }
    return all;
}

TEST(MeshDemand, LinksEveryPodWithEveryOther) {
    const Network network = make_mesh({.pods = 5});
    EXPECT_EQ(network.nodes(), 5U);
    EXPECT_EQ(network.links(), 20U);
    std::set<std::pair<NodeIndex, NodeIndex>> ends;
    std::set<Real> times;
    for (const Link& link : network.all_links()) {
        EXPECT_TRUE(ends.insert({link.from, link.to}).second);
        EXPECT_TRUE(times.insert(link.free_time).second) << "ties lead all detours through one pod";
    }
}

TEST(MeshDemand, IsBurstyAndHardlyCorrelated) {
    const MeshOptions options{.periods = 1500, .burst = 0.45, .memory = 0.3};
    const Network network = make_mesh(options);
    const auto demand = all_demand(*mesh_demand(network, options));
    ASSERT_EQ(demand.size(), 1500U);
    ASSERT_EQ(demand.front().size(), 56U);
    Real deviation = 0, lag = 0, count = 0;
    for (Index i = 0; i < 56; ++i) {
        std::vector<Real> sorted;
        for (const auto& period : demand) sorted.push_back(period[i]);
        std::vector<Real> series = sorted;
        std::sort(sorted.begin(), sorted.end());
        const Real median = sorted[sorted.size() / 2];
        deviation += std::log(sorted[sorted.size() * 3 / 4] / sorted[sorted.size() / 4]) / 1.349 / 56;
        for (Index t = 0; t + 1 < series.size(); ++t) {
            const auto logs = [&](Index at) { return std::log(series[at] / median); };
            lag += logs(t) * logs(t + 1);
            count += logs(t) * logs(t);
        }
    }
    EXPECT_NEAR(deviation, 0.45, 0.02);
    EXPECT_NEAR(lag / count, 0.3, 0.05);
}

TEST(MeshDemand, DependsOnTheSeedAndNotOnTheLength) {
    MeshOptions options{.periods = 40, .seed = 3};
    const Network network = make_mesh(options);
    const auto first = all_demand(*mesh_demand(network, options));
    options.periods = 20;
    const auto shorter = all_demand(*mesh_demand(network, options));
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), first.begin()));
    options.seed = 4;
    EXPECT_NE(all_demand(*mesh_demand(network, options)).front(), first.front());
}

TEST(MeshDemand, ScalesWithItsPeak) {
    MeshOptions options{.periods = 3, .peak = 0.5};
    const Network network = make_mesh(options);
    const auto half = all_demand(*mesh_demand(network, options));
    options.peak = 1;
    const auto full = all_demand(*mesh_demand(network, options));
    for (Index i = 0; i < half[2].size(); ++i) EXPECT_NEAR(full[2][i], 2 * half[2][i], 1e-9 * full[2][i]);
    const Real total = std::accumulate(full[0].begin(), full[0].end(), Real{0});
    EXPECT_GT(total, 0.3 * 56 * 100);
    EXPECT_LT(total, 0.9 * 56 * 100);
}

TEST(MeshDemand, RefusesOptionsAllAtOnce) {
    try {
        make_mesh({.pods = 2, .periods = 0, .peak = 0, .burst = 4, .memory = 1});
        FAIL() << "nothing was refused";
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 5U);
        EXPECT_EQ(error.violations()[0], "mesh: pods = 2: from 3 to 32 are possible");
    }
    EXPECT_THROW(mesh_demand(make_mesh({.pods = 4}), {.pods = 5}), ConfigError);
}

}  // namespace
}  // namespace proxstream
