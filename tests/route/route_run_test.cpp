/// Whole runs on a small network, from files to totals: every method against a twin that plays by itself,
/// threads, pipes, and what settings ask for.
#include "proxstream/core/parallel.hpp"

#include "route/small_roads.hpp"
#include "traffic/run_start.hpp"
#include "traffic/split_set.hpp"

#include <thread>

#include <sys/stat.h>

namespace proxstream::test {
namespace {

/// Plays a strategy by itself, with no code of the run's: decide, pay, observe.
Real twin_total(const RouteSettings& settings, const std::string& text) {
    Scenario scenario = open_scenario(settings, nullptr);
    Routing& routing = *scenario.routing;
    PathKeeper keeper(*scenario.network, scenario.routing, scenario.unreachable);
    StrategyParts parts{.settings = &settings,
                        .network = scenario.network.get(),
                        .routing = scenario.routing,
                        .start = scenario.start,
                        .mean_demand = scenario.mean_demand};
    std::unique_ptr<Strategy> strategy;
    DemandPeriod period;
    Real total = 0;
    while (scenario.stream->announce(period)) {
        if (!period.events.empty()) {
            keeper.apply(period.events);
            if (strategy) strategy->revise([&](View x) { keeper.repair(x); });
        }
        scenario.stream->reveal(period);
        if (period.demand.empty()) continue;
        if (!strategy) {
            routing.unit = test::naive_loss(routing, period.demand, parts.start).value;
            parts.step = reference_step(scenario.routing, period.demand, parts.start);
            strategy = make_strategy(text, parts);
        }
        total += test::naive_loss(routing, period.demand, strategy->decide()).value * routing.unit;
        strategy->observe(test::record_of(period.demand));
    }
    return total;
}

TEST(RouteRun, CostsOfEveryMethodMatchTheNaiveTwin) {
    for (const bool events : {false, true}) {
        std::map<Index, std::string> happened;
        if (events) happened = {{7, kClosure}, {15, kOpening}};
        Small small(json_of(drawn_demands(), happened));
        const RouteOutcome outcome = small.run();
        expect_sound(outcome);
        EXPECT_EQ(outcome.periods, kPeriods);
        EXPECT_EQ(outcome.certificates.size(), events ? 3U : 1U);
        EXPECT_EQ(outcome.events, events ? 3U : 0U);
        ASSERT_EQ(outcome.methods.size(), 8U);
        EXPECT_TRUE(outcome.methods.front().primary);
        EXPECT_TRUE(outcome.methods.back().lower_bound);
        const Real lower_bound = outcome.methods.back().total_cost;
        for (const MethodRow& row : outcome.methods) {
            EXPECT_GE(row.total_cost, lower_bound * (1 - 1e-5)) << row.name;
            EXPECT_NEAR(row.ratio, row.total_cost / lower_bound, 1e-15);
            if (row.lower_bound) continue;
            const Real twin = twin_total(small.settings, row.name);
            EXPECT_NEAR(row.total_cost, twin, 1e-11 * twin) << row.name << (events ? ", events" : "");
        }
        Real sum = 0;
        for (const PeriodRow& row : small.rows) sum += row.figures.cost;
        EXPECT_NEAR(outcome.methods.front().total_cost, sum, 1e-12 * sum);
    }
}

/// What the decisions say, paid for on the network read anew. No events.
Vector costs_of_decisions(const Small& small, const std::vector<Vector>& demands) {
    const Scenario scenario = open_scenario(small.settings, nullptr);
    const Network& network = *scenario.network;
    std::map<std::string, LinkIndex> links;
    for (LinkIndex link = 0; link < network.links(); ++link) links[network.link_name(link)] = link;
    Vector costs;
    const auto decisions = small.decisions();
    EXPECT_EQ(decisions.size(), demands.size() + 1) << "the last is for the period to come";
    for (Index t = 0; t < demands.size(); ++t) {
        EXPECT_EQ(decisions[t]["period"], t + 1);
        EXPECT_EQ(decisions[t].contains("after"), t > 0) << "nothing is known before the first";
        if (t > 0) {
            EXPECT_EQ(decisions[t]["after"], "t" + std::to_string(t));
        }
        Vector loads(network.links(), 0);
        for (Index i = 0; i < kPairs.size(); ++i) {
            Real shares = 0;
            for (const auto& path : decisions[t]["splits"][kPairs[i]]) {
                const Real share = path["share"];
                shares += share;
                for (const auto& name : path["path"]) loads[links.at(name)] += share * demands[t][i];
            }
            EXPECT_NEAR(shares, 1, 1e-12);
        }
        Real cost = 0;
        for (LinkIndex link = 0; link < loads.size(); ++link)
            cost += loads[link] * scenario.routing->costs.time(link, loads[link]).time;
        costs.push_back(cost);
    }
    return costs;
}

TEST(RouteRun, CostsAreThoseOfTheLoggedDecisions) {
    const auto demands = drawn_demands();
    Small small(csv_of(demands));
    const RouteOutcome outcome = small.run();
    expect_sound(outcome);
    const Vector costs = costs_of_decisions(small, demands);
    ASSERT_EQ(costs.size(), kPeriods);
    ASSERT_EQ(small.rows.size(), kPeriods);
    for (Index t = 0; t < kPeriods; ++t) {
        EXPECT_EQ(small.rows[t].number, t + 1);
        EXPECT_NEAR(small.rows[t].figures.cost, costs[t], 1e-9 * costs[t]) << t;
    }
}

TEST(RouteRun, DecisionsDoNotDependOnFutureDemand) {
    // The last demand is another one: every decision for its period is the same, and so is what each method
    // paid until then.
    const auto demands = drawn_demands();
    std::vector<Vector> other = demands;
    for (Index i = 0; i < kPairs.size(); ++i) other.back()[i] = i == 2 ? 9 : 0.1;
    const std::vector<Vector> shorter(demands.begin(), demands.end() - 1);
    const auto played = [&](const std::vector<Vector>& stream, std::string& decisions) {
        Small small(csv_of(stream));
        // 'static' knows the mean of the whole stream, by its very name; the lower bound knows everything.
        small.settings.rivals =
            "re-solve-last; re-solve-mean:window=3; shortest; time-smoothed:window=2; ensemble:windows=1/8; "
            "adam";
        RouteOutcome outcome = small.run();
        decisions = text_of(small.settings.decisions);
        return outcome;
    };
    std::string one, two, until;
    const RouteOutcome a = played(demands, one);
    const RouteOutcome b = played(other, two);
    const RouteOutcome before = played(shorter, until);
    EXPECT_TRUE(one.starts_with(until) && two.starts_with(until));
    EXPECT_TRUE(one != two) << "what comes after it does know it";
    // What the last period cost is that of splits chosen without it: the same ones for either demand.
    for (const MethodRow& row : before.methods) {
        if (row.lower_bound) continue;
        const Real cost = method(a, row.name).total_cost - row.total_cost;
        const Real changed = method(b, row.name).total_cost - row.total_cost;
        EXPECT_NE(cost, changed);
        EXPECT_GE(cost, (method(a, "clairvoyant").total_cost - method(before, "clairvoyant").total_cost) *
                            (1 - 1e-4))
            << row.name;
        EXPECT_GE(changed, (method(b, "clairvoyant").total_cost - method(before, "clairvoyant").total_cost) *
                               (1 - 1e-4))
            << row.name;
    }
}

TEST(RouteRun, ThreadsAndPipesChangeNoDecision) {
    const std::string text = csv_of(drawn_demands());
    Small file(text);
    const RouteOutcome one = file.run();
    Small threads(text);
    set_threads(2);
    const RouteOutcome two = threads.run();
    set_threads(1);
    EXPECT_TRUE(text_of(file.settings.decisions) == text_of(threads.settings.decisions));
    // A pipe can be read once: no rival gets its mean, and every decision is the same.
    Small pipe(text);
    pipe.settings.demand = pipe.folder.path("pipe");
    ASSERT_EQ(::mkfifo(pipe.settings.demand.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe.settings.demand, std::ios::binary) << text; });
    const RouteOutcome three = pipe.run();
    writer.join();
    EXPECT_TRUE(text_of(file.settings.decisions) == text_of(pipe.settings.decisions));
    EXPECT_EQ(three.methods.size(), one.methods.size() - 1) << "all but static";
    for (const MethodRow& row : three.methods) {
        EXPECT_EQ(method(one, row.name).total_cost, row.total_cost) << row.name;
        EXPECT_EQ(method(two, row.name).total_cost, row.total_cost) << row.name;
    }
    // Capacities cannot be scaled to a demand that is not known.
    pipe.settings.peak = 0.9;
    std::thread again([&] { std::ofstream(pipe.settings.demand, std::ios::binary) << text; });
    EXPECT_THROW(pipe.run(), ConfigError);
    again.join();
}

TEST(RouteRun, MissingPathsAreFoundOnTheWay) {
    auto demands = drawn_demands();
    for (Vector& demand : demands)
        for (Real& each : demand) each *= 1.5;
    Small narrow(csv_of(demands));
    narrow.settings.paths = 1;
    Small growing(csv_of(demands));
    growing.settings.paths = 1;
    growing.settings.generate = 3;
    const RouteOutcome before = narrow.run();
    const RouteOutcome after = growing.run();
    expect_sound(after);
    EXPECT_EQ(before.paths_added, 0U);
    EXPECT_GT(after.paths_added, 2U);
    EXPECT_GT(after.certificates.size(), 1U);
    EXPECT_LT(after.methods.front().total_cost, 0.8 * before.methods.front().total_cost);
    EXPECT_LT(method(after, "re-solve-last").total_cost, 0.8 * method(before, "re-solve-last").total_cost);
    costs_of_decisions(growing, demands);
    growing.settings.objective = "unweighted";
    EXPECT_THROW(growing.run(), ConfigError);
}

TEST(RouteRun, SlackPathsTakeDemandThatIsTooExpensive) {
    Small cheap(csv_of(drawn_demands()));
    cheap.settings.slack = 3;
    const RouteOutcome outcome = cheap.run();
    expect_sound(outcome);
    EXPECT_GT(outcome.methods.front().unserved, 0);
    Small dear(csv_of(drawn_demands()));
    dear.settings.slack = 1e4;
    EXPECT_EQ(dear.run().methods.front().unserved, 0);
}

TEST(RouteRun, PeakScalesCapacitiesToTheBusiestMomentOfStaticSplits) {
    Small small(csv_of(drawn_demands()));
    small.settings.peak = 0.8;
    const RouteOutcome outcome = small.run();
    expect_sound(outcome);
    EXPECT_NEAR(method(outcome, "static").utilisation_max, 0.8, 0.8e-3);
}

TEST(RouteRun, AStopRequestEndsTheRunWithACertificate) {
    const TemporaryFolder folder;
    Small small(csv_of(drawn_demands()));
    std::atomic<bool> stop{false};
    RouteRun run(small.settings, &stop);
    const RouteOutcome outcome = drive(run, &stop, [&] { stop = run.progress().periods == 7; });
    EXPECT_EQ(outcome.ending, RunEnding::interrupted);
    EXPECT_EQ(outcome.periods, 7U);
    ASSERT_EQ(outcome.certificates.size(), 1U);
    EXPECT_EQ(outcome.certificates[0].summary.totals.rounds, 7U);
    EXPECT_TRUE(sound(outcome.certificates));
    EXPECT_EQ(small.decisions().size(), 8U);
}

TEST(RouteRun, StopsAfterTheGivenNumberOfPeriods) {
    Small small(csv_of(drawn_demands()));
    small.settings.periods = 5;
    const RouteOutcome outcome = small.run();
    expect_sound(outcome);
    EXPECT_EQ(outcome.periods, 5U);
    EXPECT_EQ(small.rows.size(), 5U);
}

}  // namespace
}  // namespace proxstream::test
