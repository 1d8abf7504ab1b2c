/// How a run begins: the same demand over and over, periods without demand, and a demand that is expected.
#include "route/small_roads.hpp"
#include "route/written_folder.hpp"
#include "store/run_store.hpp"
#include "traffic/run_start.hpp"

#include <atomic>

namespace proxstream::test {
namespace {

constexpr const char* kEnsemble = "auto";

TEST(RouteStart, TheSameDemandIsSolvedFromTheSecondPeriodOn) {
    for (const char* window : {"1", "4", "16", "64", "256", "4096"}) {
        Small small(csv_of(std::vector<Vector>(6, Vector{6, 3, 1.5, 2, 3})));
        small.settings.window = window;
        small.settings.cost = "bpr:b=1,power=6";
        small.settings.rivals = "re-solve-last";
        Vector above;
        small.on_period = [&](const RouteProgress& progress) {
            above.push_back(progress.last->figures.cost / progress.lower_bound_cost - 1);
        };
        expect_sound(small.run());
        ASSERT_EQ(above.size(), 6U);
        EXPECT_GT(above[0], 1e-2) << "there has to be something to learn";
        for (Index t = 1; t < above.size(); ++t) EXPECT_LT(above[t], 1e-3) << window << ", period " << t + 1;
    }
}

/// `count` periods without demand, then the others.
std::vector<Vector> after_silence(Index count, const std::vector<Vector>& demands) {
    std::vector<Vector> all(count, Vector(kPairs.size(), 0));
    all.insert(all.end(), demands.begin(), demands.end());
    return all;
}

TEST(RouteStart, InitialPeriodsWithoutDemandDoNotAffectResults) {
    const auto demands = drawn_demands();
    for (const char* window : {"16", kEnsemble}) {
        Small plain(csv_of(demands));
        plain.settings.window = window;
        // The mean that 'static' knows counts empty periods too.
        plain.settings.rivals = "re-solve-last; time-smoothed:window=64; shortest; adagrad:step=1,replay=4";
        const RouteOutcome expected = plain.run();
        Small small(csv_of(after_silence(3, demands)));
        small.settings.window = window;
        small.settings.rivals = plain.settings.rivals;
        small.settings.out = small.folder.path("out");
        small.settings.detail = "all";
        const RouteOutcome outcome = small.run();
        expect_sound(outcome);
        EXPECT_EQ(outcome.periods, kPeriods + 3);
        EXPECT_EQ(outcome.held, 0U);
        ASSERT_EQ(small.rows.size(), kPeriods + 3);
        for (Index t = 0; t < 3; ++t) {
            EXPECT_EQ(small.rows[t].status, "waiting");
            EXPECT_TRUE(small.rows[t].measured);
            EXPECT_EQ(small.rows[t].figures.cost, 0);
            EXPECT_TRUE(std::isnan(small.rows[t].entry_gap));
        }
        for (Index t = 0; t < kPeriods; ++t) {
            EXPECT_EQ(small.rows[t + 3].figures.cost, plain.rows[t].figures.cost) << window << " " << t;
            EXPECT_EQ(small.rows[t + 3].tolerance, plain.rows[t].tolerance) << window << " " << t;
        }
        const auto decisions = small.decisions();
        const auto without = plain.decisions();
        ASSERT_EQ(decisions.size(), without.size() + 3);
        for (Index t = 0; t < 3; ++t) EXPECT_EQ(decisions[t]["splits"], without[0]["splits"]);
        for (Index t = 0; t < without.size(); ++t)
            EXPECT_EQ(decisions[t + 3]["splits"], without[t]["splits"]) << t;
        for (Index i = 0; i < expected.methods.size(); ++i)
            EXPECT_EQ(outcome.methods[i].total_cost, expected.methods[i].total_cost)
                << expected.methods[i].name;
        ASSERT_EQ(outcome.certificates.size(), 1U);
        EXPECT_EQ(outcome.certificates[0].summary.totals.rounds, kPeriods);
        EXPECT_EQ(testing::contradiction_in(small.settings.out), "");
        const auto periods = testing::read_table(small.settings.out + "/periods.csv");
        ASSERT_EQ(periods.size(), kPeriods + 3);
        for (Index t = 0; t < periods.size(); ++t) {
            EXPECT_EQ(periods[t].at("status") == "waiting", t < 3) << t;
            EXPECT_FALSE(periods[t].at("demand").empty()) << t;
        }
    }
}

TEST(RouteStart, EverySeriesOfTheReportHasEveryPeriod) {
    // Waiting, held, waiting, then demand; a price on paths makes periods without demand cost something.
    auto demands = after_silence(3, drawn_demands());
    std::string text = csv_of(demands);
    const std::size_t at = text.find("\nt2,") + 4;
    text.replace(at, text.find(',', at) - at, "nan");
    Small small(text);
    small.settings.on_bad_period = "hold";
    small.settings.rivals = "re-solve-last; time-smoothed:window=2";
    small.settings.path_price = 0.1;
    small.settings.store = small.folder.path("kept.run");
    small.settings.quiet = true;
    const RouteOutcome outcome = small.run();
    EXPECT_EQ(outcome.held, 1U);
    const nlohmann::json report = nlohmann::json::parse(RunStore(small.settings.store).report());
    const nlohmann::json primary = report["methods"][0]["cost"];
    ASSERT_EQ(primary.size(), kPeriods + 3);
    for (Index i = 0; i < outcome.methods.size(); ++i) {
        const nlohmann::json& cost = report["methods"][i]["cost"];
        ASSERT_EQ(cost.size(), kPeriods + 3) << outcome.methods[i].name;
        for (Index t = 0; t < 3; ++t) EXPECT_EQ(cost[t], primary[t]) << outcome.methods[i].name;
        EXPECT_GT(cost[0], 0);
        EXPECT_TRUE(cost[1].is_null());
        Real sum = 0;
        for (const auto& each : cost) sum += each.is_null() ? 0 : each.get<Real>();
        EXPECT_NEAR(outcome.methods[i].total_cost, sum, 1e-9 * sum) << outcome.methods[i].name;
    }
}

TEST(RouteStart, ARunWithoutAnyDemandEnds) {
    Small small(csv_of(after_silence(4, {})));
    const RouteOutcome outcome = small.run();
    EXPECT_EQ(outcome.ending, RunEnding::finished);
    EXPECT_EQ(outcome.periods, 4U);
    EXPECT_TRUE(outcome.certificates.empty());
    EXPECT_TRUE(outcome.problems.empty());
}

TEST(RouteStart, WaitingCanBeCutAndResumed) {
    const std::string text = csv_of(after_silence(3, drawn_demands()));
    Small whole(text);
    whole.settings.rivals = "re-solve-last";
    whole.settings.store = whole.folder.path("whole.run");
    whole.settings.quiet = true;
    const RouteOutcome expected = whole.run();
    for (const Index cut : {1, 2, 3, 4}) {
        Small small(text);
        small.settings.rivals = "re-solve-last";
        small.settings.store = small.folder.path("cut.run");
        small.settings.quiet = true;
        std::atomic<bool> stop = false;
        {
            RouteRun run(small.settings, &stop);
            drive(
                run, &stop, [&] { stop = run.progress().periods == cut; }, small.settings.store);
        }
        RouteRun rest(small.settings);
        RunDriver driver(rest);
        driver.begin(Journal::open(small.settings.store, {}));
        driver.drive();
        const RouteOutcome& outcome = rest.outcome();
        EXPECT_EQ(text_of(small.settings.decisions), text_of(whole.settings.decisions)) << cut;
        ASSERT_EQ(outcome.methods.size(), expected.methods.size());
        for (Index i = 0; i < expected.methods.size(); ++i)
            EXPECT_EQ(outcome.methods[i].total_cost, expected.methods[i].total_cost) << cut;
        // The page of the resumed run too.
        auto pages = {nlohmann::json::parse(RunStore(small.settings.store).report()),
                      nlohmann::json::parse(RunStore(whole.settings.store).report())};
        EXPECT_EQ(pages.begin()->at("methods")[1]["cost"], (pages.end() - 1)->at("methods")[1]["cost"]);
    }
}

TEST(RouteStart, ADemandThatIsExpectedIsSolvedBeforeTheFirstPeriod) {
    const auto demands = drawn_demands();
    Small guessed(csv_of(demands));
    Small expected(csv_of(demands));
    // Another format than the run's, with periods to pass over.
    expected.settings.first_demand =
        expected.folder.file("first.jsonl", "{\"demand\":{\"A->C\":0}}\n" + json_of({demands[0]}, {}));
    Real lower_bound = 0;
    expected.on_period = [&](const RouteProgress& progress) {
        if (progress.periods == 1) lower_bound = progress.lower_bound_cost;
    };
    expect_sound(expected.run());
    expect_sound(guessed.run());
    EXPECT_LE(expected.rows[0].figures.cost, lower_bound * (1 + 1e-3));
    EXPECT_GT(guessed.rows[0].figures.cost, lower_bound * (1 + 1e-2));
}

TEST(RouteStart, AnExpectedDemandThatCannotBeUsedIsRefused) {
    const auto refusal = [](const std::string& text) -> std::string {
        Small small(csv_of(drawn_demands()));
        small.settings.first_demand = small.folder.file("first", text);
        try {
            small.run();
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    const auto has = [](const std::string& text, const char* part) {
        EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
    };
    has(refusal("period,A->C\nx,-1\n"), "first:2, column 2 (A->C): '-1' is negative");
    has(refusal("{\"demand\":{\"A->Q\":1}}\n"), "first:1 (demand.A->Q)");
    has(refusal("period,A->C\nx,0\n"), "first:2: there is no demand above 0; expected a period with demand");
    has(refusal(""), "first");
    Small small(csv_of(drawn_demands()));
    small.settings.first_demand = small.folder.path("absent");
    EXPECT_THROW(small.run(), IoError);
    small.settings.first_demand = "-";
    EXPECT_THROW(validate(small.settings), ConfigError);
}

}  // namespace
}  // namespace proxstream::test
