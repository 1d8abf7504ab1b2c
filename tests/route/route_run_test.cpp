/// Whole runs on a small network, from files to totals: every method against a twin that plays by itself,
/// policies for bad periods, events, threads and pipes.
#include "proxstream/route/route_run.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/route/reconcile.hpp"
#include "proxstream/traffic/split_set.hpp"

#include "run/temporary_folder.hpp"
#include "support/routing_twin.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace proxstream {
namespace {

using test::Chance;
using Vector = std::vector<Real>;

constexpr const char* kNetwork =
    "from,to,capacity,free_time,b,power\n"
    "A,B,4,1,0.5,4\nB,A,4,1,0.5,4\nB,C,5,1.2,0.5,4\nC,B,5,1.2,0.5,4\nC,D,4,1,0.5,4\nD,C,4,1,0.5,4\n"
    "A,D,3,2.5,0.5,4\nD,A,3,2.5,0.5,4\nA,C,2,1.8,1,4\nB,D,2,1.9,1,4\nA,C,6,3,0.2,4\nE,A,9,1,0,1\n";
const std::vector<std::string> kPairs = {"A->C", "A->D", "B->D", "C->A", "E->B"};
constexpr Index kPeriods = 24;

/// Demand that drifts, with bursts.
std::vector<Vector> drawn_demands() {
    Chance chance(2);
    std::vector<Vector> all;
    for (Index t = 0; t < kPeriods; ++t) {
        Vector demand;
        for (Index i = 0; i < kPairs.size(); ++i)
            demand.push_back((1.5 + std::sin(0.3 * static_cast<Real>(t + i))) * chance.real(0.6, 1.8));
        all.push_back(std::move(demand));
    }
    return all;
}

std::string csv_of(const std::vector<Vector>& demands, const std::vector<std::string>& pairs = kPairs) {
    std::string text = "period";
    for (const std::string& pair : pairs) text += "," + pair;
    text += "\n";
    for (Index t = 0; t < demands.size(); ++t) {
        text += fmt::format("t{}", t + 1);
        for (const Real each : demands[t]) text += fmt::format(",{}", each);
        text += "\n";
    }
    return text;
}

/// JSON lines, with events before some of the periods, or between them.
std::string json_of(const std::vector<Vector>& demands, const std::map<Index, std::string>& events,
                    bool apart = false) {
    std::string text;
    for (Index t = 0; t < demands.size(); ++t) {
        const auto found = events.find(t);
        if (found != events.end() && apart) text += fmt::format("{{\"events\":[{}]}}\n", found->second);
        text += fmt::format("{{\"period\":\"t{}\",\"demand\":{{", t + 1);
        for (Index i = 0; i < kPairs.size(); ++i)
            text += fmt::format("{}\"{}\":{}", i > 0 ? "," : "", kPairs[i], demands[t][i]);
        text += "}";
        if (found != events.end() && !apart) text += fmt::format(",\"events\":[{}]", found->second);
        text += "}\n";
    }
    return text;
}

std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A folder with the network and its demand, and runs on it.
class Small {
  public:
    explicit Small(const std::string& demand, const std::string& name = "demand") {
        settings.network = folder.file("net.csv", kNetwork);
        settings.demand = folder.file(name, demand);
        settings.decisions = folder.path("decisions.jsonl");
        settings.paths = 3;
        settings.window = "4";
        settings.rivals =
            "re-solve-last; re-solve-mean:window=3; static; shortest; time-smoothed:window=2; "
            "adagrad:step=1,replay=4";
        settings.rival_gap = 1e-6;
    }
    RouteOutcome run() {
        rows.clear();
        RouteRun made(settings, nullptr, "test", "route");
        step = made.step();
        return made.run([&](const RouteProgress& progress) {
            rows.push_back(*progress.last);
            if (on_period) on_period(progress);
        });
    }
    /// The last word for every period, the one to come included.
    std::vector<nlohmann::json> decisions() const {
        std::vector<nlohmann::json> all;
        std::stringstream lines(text_of(settings.decisions));
        for (std::string line; std::getline(lines, line);) {
            nlohmann::json decision = nlohmann::json::parse(line);
            if (!all.empty() && all.back()["period"] == decision["period"]) all.pop_back();
            all.push_back(std::move(decision));
        }
        return all;
    }
    TemporaryFolder folder;
    RouteSettings settings;
    std::vector<PeriodRow> rows;
    std::function<void(const RouteProgress&)> on_period;
    Real step = 0;
};

const MethodRow& method(const RouteOutcome& outcome, const std::string& name) {
    for (const MethodRow& row : outcome.methods)
        if (row.name == name) return row;
    throw Error("no such method");
}

void expect_sound(const RouteOutcome& outcome) {
    EXPECT_TRUE(sound(outcome.certificates)) << epochs_text(outcome.certificates);
    EXPECT_TRUE(outcome.problems.empty()) << outcome.problems.front();
    EXPECT_EQ(outcome.ending, RunEnding::finished);
}

/// Plays a strategy by itself, with no code of the run's: decide, pay, observe.
Real twin_total(const RouteSettings& settings, const std::string& text) {
    Scenario scenario = open_scenario(settings, nullptr);
    Routing& routing = *scenario.routing;
    PathKeeper keeper(*scenario.network, scenario.routing, scenario.unreachable);
    StrategyParts parts{.settings = &settings,
                        .network = scenario.network.get(),
                        .routing = scenario.routing,
                        .start = even_splits(routing.paths),
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
            parts.step = reference_step(routing, period.demand, parts.start);
            strategy = make_strategy(text, parts);
        }
        total += test::naive_loss(routing, period.demand, strategy->decide()).value * routing.unit;
        strategy->observe(test::record_of(period.demand));
    }
    return total;
}

constexpr const char* kClosure = R"({"link":"B-C","close":true})";
constexpr const char* kOpening = R"({"link":"B-C","open":true},{"link":"C-D","capacity":0.5})";

TEST(RouteRun, EveryMethodPaysWhatItsTwinPays) {
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
        EXPECT_TRUE(outcome.methods.front().lead);
        EXPECT_TRUE(outcome.methods.back().floor);
        const Real floor = outcome.methods.back().total_cost;
        for (const MethodRow& row : outcome.methods) {
            EXPECT_GE(row.total_cost, floor * (1 - 1e-5)) << row.name;
            EXPECT_NEAR(row.ratio, row.total_cost / floor, 1e-15);
            if (row.floor) continue;
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

TEST(RouteRun, DecisionsAreWhatIsPaidFor) {
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

TEST(RouteRun, NobodyKnowsTheDemandBeforeItsPeriod) {
    // The last demand is another one: every decision for its period is the same, and so is what each method
    // paid until then.
    const auto demands = drawn_demands();
    std::vector<Vector> other = demands;
    for (Index i = 0; i < kPairs.size(); ++i) other.back()[i] = i == 2 ? 9 : 0.1;
    const std::vector<Vector> shorter(demands.begin(), demands.end() - 1);
    const auto played = [&](const std::vector<Vector>& stream, std::string& decisions) {
        Small small(csv_of(stream));
        // 'static' knows the mean of the whole stream, by its very name; the floor knows everything.
        small.settings.rivals =
            "re-solve-last; re-solve-mean:window=3; shortest; time-smoothed:window=2; bank:windows=1/8; adam";
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
        if (row.floor) continue;
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

TEST(RouteRun, ABadPeriodStopsTheRunOrIsHeld) {
    std::string text = csv_of(drawn_demands());
    const std::size_t at = text.find("\nt10,") + 5;
    text.replace(at, text.find(',', at) - at, "nan");
    {
        Small small(text);
        const RouteOutcome outcome = small.run();
        EXPECT_TRUE(outcome.data_error);
        EXPECT_EQ(outcome.ending, RunEnding::failed);
        EXPECT_EQ(outcome.periods, 9U);
        ASSERT_EQ(outcome.problems.size(), 1U);
        EXPECT_NE(outcome.problems[0].find("demand:11"), std::string::npos) << outcome.problems[0];
        EXPECT_NE(outcome.problems[0].find("A->C"), std::string::npos) << outcome.problems[0];
        ASSERT_EQ(outcome.certificates.size(), 1U);
        EXPECT_TRUE(sound(outcome.certificates));
        EXPECT_EQ(outcome.certificates[0].summary.totals.rounds, 9U);
    }
    Small small(text);
    small.settings.on_bad_period = "hold";
    Index alarms = 0;
    small.on_period = [&](const RouteProgress& progress) {
        if (progress.periods == 10) alarms = progress.raised.size();
    };
    const RouteOutcome outcome = small.run();
    EXPECT_FALSE(outcome.data_error);
    EXPECT_EQ(outcome.ending, RunEnding::finished);
    EXPECT_EQ(outcome.periods, kPeriods);
    EXPECT_EQ(outcome.held, 1U);
    EXPECT_GE(alarms, 1U);
    ASSERT_EQ(outcome.problems.size(), 1U);
    EXPECT_NE(outcome.problems[0].find("held"), std::string::npos);
    EXPECT_EQ(small.rows[9].status, "held");
    EXPECT_FALSE(small.rows[9].measured);
    EXPECT_EQ(small.rows[9].label, "t10");
    const auto decisions = small.decisions();
    ASSERT_EQ(decisions.size(), kPeriods + 1);
    EXPECT_EQ(decisions[9]["splits"], decisions[10]["splits"]) << "the splits stay as they were";
    EXPECT_TRUE(sound(outcome.certificates));
    EXPECT_EQ(outcome.certificates[0].summary.totals.rounds, kPeriods - 1);
    // The others are as if it had not been.
    auto without = drawn_demands();
    without.erase(without.begin() + 9);
    Small calm(csv_of(without));
    const RouteOutcome rest = calm.run();
    for (const MethodRow& row : rest.methods)
        EXPECT_EQ(method(outcome, row.name).total_cost, row.total_cost) << row.name;
}

TEST(RouteRun, EventsAloneAreNoPeriod) {
    const auto demands = drawn_demands();
    Small within(json_of(demands, {{0, R"({"link":"A-B","capacity":0.7})"}, {7, kClosure}, {15, kOpening}}));
    Small apart(
        json_of(demands, {{0, R"({"link":"A-B","capacity":0.7})"}, {7, kClosure}, {15, kOpening}}, true));
    const RouteOutcome one = within.run();
    const RouteOutcome other = apart.run();
    for (const RouteOutcome* outcome : {&one, &other}) {
        expect_sound(*outcome);
        EXPECT_EQ(outcome->periods, kPeriods);
        EXPECT_EQ(outcome->certificates.size(), 3U) << "before the first demand there is no epoch to end";
    }
    ASSERT_EQ(apart.rows.size(), kPeriods) << "somebody was told of a period that was none";
    for (Index t = 0; t < kPeriods; ++t) {
        EXPECT_EQ(apart.rows[t].number, t + 1);
        EXPECT_EQ(apart.rows[t].label, "t" + std::to_string(t + 1));
        EXPECT_EQ(apart.rows[t].epoch, within.rows[t].epoch);
    }
    // Wherever an event stands, the splits for its period are told again, and are the same.
    const std::string text = text_of(within.settings.decisions);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kPeriods + 1 + 3);
    EXPECT_EQ(apart.decisions().size(), kPeriods + 1);
    for (Index t = 0; t <= kPeriods; ++t)
        EXPECT_EQ(apart.decisions()[t]["splits"], within.decisions()[t]["splits"]);
    for (Index i = 0; i < one.methods.size(); ++i)
        EXPECT_EQ(one.methods[i].total_cost, other.methods[i].total_cost) << one.methods[i].name;
    // While the link is closed nobody goes there.
    const auto decisions = within.decisions();
    for (Index t = 7; t < 15; ++t)
        EXPECT_EQ(decisions[t]["splits"].dump().find("\"B-C\""), std::string::npos);
    EXPECT_NE(decisions[6]["splits"].dump().find("\"B-C\""), std::string::npos);
    EXPECT_NE(decisions.back()["splits"].dump().find("\"B-C\""), std::string::npos) << "it opened again";
}

TEST(RouteRun, ADemandBeyondAllNumbersIsABadPeriod) {
    for (const Index bad : {Index{0}, Index{5}}) {
        auto demands = drawn_demands();
        demands[bad][0] = 1e140;
        Small stops(csv_of(demands));
        const RouteOutcome stopped = stops.run();
        EXPECT_EQ(stopped.periods, bad);
        EXPECT_TRUE(stopped.data_error);
        ASSERT_EQ(stopped.problems.size(), 1U);
        EXPECT_NE(stopped.problems[0].find("not a finite number"), std::string::npos) << stopped.problems[0];
        EXPECT_NE(stopped.problems[0].find("demand:" + std::to_string(bad + 2)), std::string::npos);
        Small small(csv_of(demands));
        small.settings.on_bad_period = "hold";
        small.settings.rivals = "re-solve-last; re-solve-mean:window=3; shortest; adagrad:step=1,replay=4";
        const RouteOutcome outcome = small.run();
        EXPECT_EQ(outcome.held, 1U);
        EXPECT_EQ(outcome.periods, kPeriods);
        EXPECT_EQ(outcome.ending, RunEnding::finished);
        EXPECT_TRUE(sound(outcome.certificates));
        EXPECT_EQ(small.rows[bad].status, "held");
        const auto decisions = small.decisions();
        EXPECT_EQ(decisions[bad]["splits"], decisions[bad + 1]["splits"]);
        // Everybody as if it had not been.
        demands.erase(demands.begin() + static_cast<std::ptrdiff_t>(bad));
        Small calm(csv_of(demands));
        calm.settings.rivals = small.settings.rivals;
        const RouteOutcome rest = calm.run();
        for (const MethodRow& row : rest.methods)
            EXPECT_EQ(method(outcome, row.name).total_cost, row.total_cost) << row.name;
    }
}

TEST(RouteRun, WhatItWritesAddsUpWhateverHappened) {
    auto demands = drawn_demands();
    demands[5][0] = 1e140;  // held
    std::string text =
        json_of(demands, {{2, kClosure}, {11, kOpening}, {17, R"({"link":"E-A","close":true})"}}, true);
    const std::size_t at = text.find("\"t10\"");
    text.insert(text.find("A->C\":", at) + 6, "-");  // negative: held
    for (const char* objective : {"system", "unweighted"}) {
        Small small(text);
        small.settings.objective = objective;
        small.settings.on_bad_period = "hold";
        small.settings.paths = 2;
        small.settings.generate = small.settings.objective == "system" ? 4 : 0;
        small.settings.slack = 20;
        small.settings.path_price = 0.2;
        small.settings.detail = "all";
        small.settings.out = small.folder.path("out");
        const RouteOutcome outcome = small.run();
        EXPECT_EQ(outcome.held, 2U);
        EXPECT_EQ(outcome.periods, kPeriods);
        EXPECT_TRUE(sound(outcome.certificates)) << epochs_text(outcome.certificates);
        for (const MethodRow& row : outcome.methods) {
            EXPECT_TRUE(std::isfinite(row.total_cost))
                << row.name << ": one period without end spoils the sum";
            EXPECT_TRUE(std::isfinite(row.churn)) << row.name;
            EXPECT_GT(row.total_cost, 0) << row.name;
        }
        const ReconcileResult checked = reconcile(small.settings.out);
        EXPECT_TRUE(checked.sound()) << to_text(checked);
        EXPECT_EQ(checked.periods, kPeriods);
        EXPECT_EQ(find_ledgers(small.settings.out).size(), outcome.certificates.size());
    }
}

TEST(RouteRun, DemandThatNoPathServesIsRefusedOrAnAlarm) {
    // Nothing leads to E.
    std::vector<std::string> pairs = kPairs;
    pairs.emplace_back("B->E");
    auto demands = drawn_demands();
    for (Vector& demand : demands) demand.push_back(0);
    {
        Small small(csv_of(demands, pairs));
        const RouteOutcome outcome = small.run();
        expect_sound(outcome);  // no demand, no harm
        Small without(csv_of(drawn_demands()));
        const RouteOutcome plain = without.run();
        EXPECT_NEAR(outcome.methods.front().total_cost, plain.methods.front().total_cost,
                    1e-3 * plain.methods.front().total_cost);
    }
    demands[3].back() = 2;
    Small stops(csv_of(demands, pairs));
    const RouteOutcome outcome = stops.run();
    EXPECT_TRUE(outcome.data_error);
    EXPECT_EQ(outcome.periods, 3U);
    EXPECT_NE(outcome.problems.front().find("B->E"), std::string::npos) << outcome.problems.front();
    EXPECT_NE(outcome.problems.front().find("no path"), std::string::npos);
    Small holds(csv_of(demands, pairs));
    holds.settings.on_bad_period = "hold";
    const RouteOutcome held = holds.run();
    EXPECT_EQ(held.held, 1U);
    EXPECT_EQ(held.periods, kPeriods);
    // Cut off by an incident it is an alarm, and what is not served is counted.
    Small cut(json_of(drawn_demands(), {{8, R"({"link":"E-A","close":true})"}}));
    std::vector<std::string> raised;
    cut.on_period = [&](const RouteProgress& progress) {
        for (const Alarm& alarm : progress.raised) raised.emplace_back(name(alarm.kind));
    };
    const RouteOutcome alone = cut.run();
    expect_sound(alone);
    EXPECT_EQ(alone.periods, kPeriods);
    EXPECT_NE(std::find(raised.begin(), raised.end(), "unroutable"), raised.end());
    Real lost = 0;
    for (Index t = 8; t < kPeriods; ++t) lost += drawn_demands()[t][4];
    EXPECT_NEAR(alone.methods.front().unserved, lost, 1e-9 * lost);
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
    // A pipe can be read once: nobody is given its mean, and every decision is the same.
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

TEST(RouteRun, SlackLeavesUnservedWhatIsTooDear) {
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

TEST(RouteRun, AStopRequestEndsItCertified) {
    const TemporaryFolder folder;
    Small small(csv_of(drawn_demands()));
    std::atomic<bool> stop{false};
    RouteRun run(small.settings, &stop, "test", "route");
    const RouteOutcome outcome =
        run.run([&](const RouteProgress& progress) { stop = progress.periods == 7; });
    EXPECT_EQ(outcome.ending, RunEnding::interrupted);
    EXPECT_EQ(outcome.periods, 7U);
    ASSERT_EQ(outcome.certificates.size(), 1U);
    EXPECT_EQ(outcome.certificates[0].summary.totals.rounds, 7U);
    EXPECT_TRUE(sound(outcome.certificates));
    EXPECT_EQ(small.decisions().size(), 8U);
}

TEST(RouteRun, PeriodsEndWhereTheyAreTold) {
    Small small(csv_of(drawn_demands()));
    small.settings.periods = 5;
    const RouteOutcome outcome = small.run();
    expect_sound(outcome);
    EXPECT_EQ(outcome.periods, 5U);
    EXPECT_EQ(small.rows.size(), 5U);
}

}  // namespace
}  // namespace proxstream
