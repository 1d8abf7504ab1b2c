/// Periods that cannot be used, events, pairs cut off: what becomes of a run, and of what it writes.
#include "route/small_roads.hpp"
#include "route/written_folder.hpp"

#include <algorithm>
#include <filesystem>

namespace proxstream::test {
namespace {

TEST(RoutePolicies, ABadPeriodStopsTheRunOrIsHeld) {
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

TEST(RoutePolicies, RecordsOfEventsAloneAreNotPeriods) {
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
    ASSERT_EQ(apart.rows.size(), kPeriods) << "a period without demand was reported";
    for (Index t = 0; t < kPeriods; ++t) {
        EXPECT_EQ(apart.rows[t].number, t + 1);
        EXPECT_EQ(apart.rows[t].label, "t" + std::to_string(t + 1));
        EXPECT_EQ(apart.rows[t].epoch, within.rows[t].epoch);
    }
    // Wherever an event stands, the splits for its period are sent again, and are the same.
    const std::string text = text_of(within.settings.decisions);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kPeriods + 1 + 3);
    EXPECT_EQ(apart.decisions().size(), kPeriods + 1);
    for (Index t = 0; t <= kPeriods; ++t)
        EXPECT_EQ(apart.decisions()[t]["splits"], within.decisions()[t]["splits"]);
    for (Index i = 0; i < one.methods.size(); ++i)
        EXPECT_EQ(one.methods[i].total_cost, other.methods[i].total_cost) << one.methods[i].name;
    // While the link is closed it carries no demand.
    const auto decisions = within.decisions();
    for (Index t = 7; t < 15; ++t)
        EXPECT_EQ(decisions[t]["splits"].dump().find("\"B-C\""), std::string::npos);
    EXPECT_NE(decisions[6]["splits"].dump().find("\"B-C\""), std::string::npos);
    EXPECT_NE(decisions.back()["splits"].dump().find("\"B-C\""), std::string::npos) << "it opened again";
}

TEST(RoutePolicies, ADemandBeyondAllNumbersIsABadPeriod) {
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
        // All figures are as if it had not been there.
        demands.erase(demands.begin() + static_cast<std::ptrdiff_t>(bad));
        Small calm(csv_of(demands));
        calm.settings.rivals = small.settings.rivals;
        const RouteOutcome rest = calm.run();
        for (const MethodRow& row : rest.methods)
            EXPECT_EQ(method(outcome, row.name).total_cost, row.total_cost) << row.name;
    }
}

TEST(RoutePolicies, OutputFilesAreConsistentUnderEveryPolicy) {
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
        EXPECT_EQ(testing::contradiction_in(small.settings.out), "");
        EXPECT_EQ(testing::read_table(small.settings.out + "/periods.csv").size(), kPeriods);
        Index ledgers = 0;
        for (const auto& entry : std::filesystem::directory_iterator(small.settings.out))
            ledgers += entry.path().extension() == ".jsonl" ? 1 : 0;
        EXPECT_EQ(ledgers, outcome.certificates.size());
    }
}

TEST(RoutePolicies, DemandThatNoPathServesIsRefusedOrAnAlarm) {
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

}  // namespace
}  // namespace proxstream::test
