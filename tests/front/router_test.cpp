/// ps::Router: known equilibria, the program's figures, links that close and open, and what it refuses.
#include "proxstream/router.hpp"

#include "proxstream/traffic/open_network.hpp"

#include "front/split_learner.hpp"
#include "route/small_roads.hpp"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

/// The roads of tests/route, and their pairs in the order of the file of demand.
struct Roads {
    Roads() : network(open_network(TemporaryFolder().file("net.csv", kNetwork)).network) {
        for (const std::string& text : kPairs)
            pairs.push_back({*network.find_node(text.substr(0, 1)), *network.find_node(text.substr(3, 1))});
    }
    Network network;
    std::vector<Pair> pairs;
};

void expect_whole(const Router& router) {
    std::map<Index, Real> sums;
    for (const PathShare& path : router.splits()) {
        EXPECT_GE(path.share, 0);
        sums[path.pair] += path.share;
        const Pair& pair = router.pairs()[path.pair];
        EXPECT_EQ(router.network().link(path.links.front()).from, pair.origin);
        EXPECT_EQ(router.network().link(path.links.back()).to, pair.destination);
    }
    for (const auto& [pair, sum] : sums) EXPECT_NEAR(sum, 1, 1e-9) << pair;
}

TEST(Router, MatchesTheProgram) {
    const auto demands = drawn_demands();
    for (const char* window : {"4", "auto"}) {
        Small small(json_of(demands, {{7, kClosure}, {15, R"({"link":"B-C","open":true})"}}));
        small.settings.window = window;
        small.settings.compare = false;
        const RouteOutcome expected = small.run();
        const Roads roads;
        Router router(roads.network, roads.pairs, {.paths = 3, .window = window});
        for (Index t = 0; t < demands.size(); ++t) {
            if (t == 7) router.close_link("B-C");
            if (t == 15) router.open_link("B-C");
            const RoutedPeriod period = router.observe(demands[t]);
            EXPECT_EQ(period.number, t + 1);
            EXPECT_EQ(period.cost, small.rows[t].figures.cost) << window << " " << t;
            EXPECT_EQ(period.stationarity_gap, small.rows[t].entry_gap);
            EXPECT_EQ(period.largest_utilisation, small.rows[t].figures.utilisation_max);
            expect_whole(router);
        }
        const RouterReport report = router.certificate();
        EXPECT_TRUE(report.sound()) << report.text;
        ASSERT_EQ(report.epochs.size(), 3U);
        ASSERT_EQ(report.epochs.size(), expected.certificates.size());
        for (Index i = 0; i < 3; ++i)
            EXPECT_EQ(report.epochs[i].summary.regret, expected.certificates[i].summary.regret);
        EXPECT_EQ(router.periods(), demands.size());
    }
}

/// Braess: t = 10 y on 1-3 and 4-2, 50 + y on 1-4 and 3-2, 10 + y on 3-4; 6 from 1 to 2.
TEST(Router, ConstantDemandLeadsToTheKnownEquilibria) {
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
    for (const auto& [objective, time] : {std::pair{"user", 552.0}, {"system", 498.0}}) {
        Router router(network, {{0, 1}}, {.objective = objective, .window = "1", .tolerance = "1e-7"});
        RoutedPeriod last;
        for (int t = 0; t < 30; ++t) last = router.observe(std::vector<Real>{6});
        EXPECT_NEAR(last.total_time, time, 1e-3) << objective;
        const std::vector<Real> flows = router.link_flows(std::vector<Real>{6});
        EXPECT_NEAR(flows[3], objective == std::string("user") ? 2 : 0, 1e-4);
        EXPECT_TRUE(router.certificate().sound());
    }
}

TEST(Router, PeriodsWithoutDemandAtTheStartChangeNothing) {
    const Roads roads;
    Router waiting(roads.network, roads.pairs);
    Router plain(roads.network, roads.pairs);
    for (Round t = 1; t <= 2; ++t) {
        const RoutedPeriod period = waiting.observe(Vector(kPairs.size(), 0));
        EXPECT_EQ(period.number, t);
        EXPECT_FALSE(period.learned);
        EXPECT_EQ(period.cost, 0);
    }
    EXPECT_EQ(waiting.periods(), 2U);
    EXPECT_TRUE(waiting.certificate().epochs.empty());
    for (const Vector& demand : drawn_demands()) {
        const RoutedPeriod period = waiting.observe(demand);
        EXPECT_TRUE(period.learned);
        EXPECT_EQ(period.cost, plain.observe(demand).cost);
        EXPECT_EQ(waiting.splits().front().share, plain.splits().front().share);
    }
    ASSERT_EQ(waiting.certificate().epochs.size(), 1U);
    EXPECT_EQ(waiting.certificate().epochs.front().summary.regret,
              plain.certificate().epochs.front().summary.regret);
}

TEST(Router, TheDefaultIsTheEnsembleOfNetworks) {
    EXPECT_EQ(split_window("64"), "64");
    EXPECT_EQ(split_window("auto:steps=9"), "auto:steps=9") << "a text of one's own is kept";
    const std::string ensemble = split_window("auto");
    for (const char* part : {"windows=4/32/256", "(time-smoothed:tolerance=auto:0.03)",
                             "(time-smoothed:window=4096,tolerance=auto:50)", "steps=50", "effort=128"})
        EXPECT_NE(ensemble.find(part), std::string::npos) << part;
    const Roads roads;
    Router usual(roads.network, roads.pairs);
    Router named(roads.network, roads.pairs, {.window = ensemble});
    Router other(roads.network, roads.pairs, {.window = "auto:steps=50"});
    bool differs = false;
    for (const Vector& demand : drawn_demands()) {
        const Real cost = usual.observe(demand).cost;
        EXPECT_EQ(cost, named.observe(demand).cost);
        differs = differs || cost != other.observe(demand).cost;
    }
    EXPECT_TRUE(differs);
}

TEST(Router, AMatrixIsTheSameAsAVector) {
    const Roads roads;
    Router by_vector(roads.network, roads.pairs);
    Router by_matrix(roads.network, roads.pairs);
    const Index nodes = roads.network.nodes();
    for (const Vector& demand : drawn_demands()) {
        std::vector<Real> matrix(nodes * nodes, 0);
        for (Index i = 0; i < roads.pairs.size(); ++i)
            matrix[roads.pairs[i].origin * nodes + roads.pairs[i].destination] = demand[i];
        EXPECT_EQ(by_vector.observe(demand).cost, by_matrix.observe_matrix(matrix).cost);
    }
    std::vector<Real> other(nodes * nodes, 0);
    other[nodes * 1 + 0] = 2;  // B->A is no pair
    EXPECT_THROW(by_matrix.observe_matrix(other), DataError);
    EXPECT_THROW(by_matrix.observe_matrix(std::vector<Real>(3)), DataError);
}

TEST(Router, APairThatAClosureCutsOffWaits) {
    const Roads roads;
    Router router(roads.network, roads.pairs, {.window = "3"});
    const Vector demand = drawn_demands().front();
    router.observe(demand);
    router.close_link("E-A");  // the only way out of E
    EXPECT_EQ(router.unreachable(), std::vector<Index>{4});
    for (const PathShare& path : router.splits()) EXPECT_NE(path.pair, 4U);
    EXPECT_THROW(router.observe(demand), DataError);
    Vector without = demand;
    without[4] = 0;
    router.observe(without);
    router.close_link("E-A");  // closed already
    router.open_link("E-A");
    EXPECT_TRUE(router.unreachable().empty());
    router.observe(demand);
    expect_whole(router);
    EXPECT_EQ(router.certificate().epochs.size(), 3U);
    EXPECT_TRUE(router.certificate().sound());
}

TEST(Router, LinksMayCloseBeforeTheFirstPeriod) {
    const Roads roads;
    Router router(roads.network, roads.pairs);
    router.close_link(2);  // B-C
    for (const PathShare& path : router.splits())
        EXPECT_EQ(std::count(path.links.begin(), path.links.end(), 2U), 0);
    router.observe(drawn_demands().front());
    EXPECT_EQ(router.certificate().epochs.size(), 1U);
}

TEST(Router, RefusedDemandChangesNothing) {
    const Roads roads;
    Router disturbed(roads.network, roads.pairs);
    Router calm(roads.network, roads.pairs);
    for (const Vector& demand : drawn_demands()) {
        for (const Real bad : {-1.0, std::nan(""), kInfinity, 1e200}) {
            Vector wrong = demand;
            wrong[2] = bad;
            EXPECT_THROW(disturbed.observe(wrong), DataError) << bad;
        }
        EXPECT_THROW(disturbed.observe(Vector{1, 2}), DataError);
        EXPECT_THROW(disturbed.close_link("B-Z"), ConfigError);
        EXPECT_THROW(disturbed.close_link(LinkIndex{99}), ConfigError);
        EXPECT_EQ(disturbed.observe(demand).cost, calm.observe(demand).cost);
    }
    EXPECT_EQ(disturbed.certificate().epochs.front().summary.regret,
              calm.certificate().epochs.front().summary.regret);
}

TEST(Router, ErrorsNameTheValueAndTheAllowedRange) {
    const Roads roads;
    const auto refusal = [&](const std::vector<Pair>& pairs, const RouterOptions& options) -> std::string {
        try {
            const Router router(roads.network, pairs, options);
        } catch (const ConfigError& error) {
            return error.what();
        } catch (const DataError& error) {
            return error.what();
        }
        return "accepted";
    };
    const auto has = [](const std::string& text, const char* part) {
        EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
    };
    has(refusal({}, {}), "pairs: there are none");
    has(refusal({{0, 4}}, {}), "A->E): no path connects the two nodes");
    has(refusal({{0, 99}}, {}), "there is no node 99");
    const std::string all = refusal(roads.pairs, {.paths = 0,
                                                  .objective = "fast",
                                                  .window = "-3",
                                                  .tolerance = "much",
                                                  .switching = -1,
                                                  .step = -0.1,
                                                  .max_steps = 0});
    for (const char* part : {"paths = 0", "fast", "window", "much", "switching = -1",
                             "step = -0.1: must be positive", "max_steps = 0"})
        has(all, part);
    has(refusal(roads.pairs, {.learner = "oracle-of-delphi"}), "oracle-of-delphi");
    const Router router(roads.network, roads.pairs);
    EXPECT_NE(router.certificate().text.find("nothing to certify"), std::string::npos);
}

}  // namespace
}  // namespace proxstream::test
