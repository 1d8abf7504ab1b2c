/// `study defaults`: its table and verdict on made-up figures, its quick preset, and rows of the user.
#include "studies/defaults.hpp"

#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"
#include "online/tuning_grid.hpp"
#include "run/problem.hpp"
#include "studies/row_streams.hpp"
#include "studies/study.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace proxstream {
namespace {

namespace fs = std::filesystem;

DefaultsRow made_up(const char* name, Real over_window, Real over_rival, ThreeFigures microseconds) {
    DefaultsRow row;
    row.facts.name = name;
    row.over_window = over_window;
    row.best_rival = "coin";
    row.over_rival = over_rival;
    row.microseconds = microseconds;
    return row;
}

TEST(DefaultsVerdict, CountsSharesAndFindsTheWorst) {
    const std::vector<DefaultsRow> rows{made_up("a", -5, 1, {8, 2, 1}), made_up("b", 3, 3, {8, 2, 1}),
                                        made_up("c", 4, 3.01, {2, 2, 1}), made_up("d", 0, -20, {4, 0, 1})};
    const DefaultsVerdict result = verdict(rows);
    EXPECT_EQ(result.count, 4U);
    EXPECT_EQ(result.within_one, 2U);
    EXPECT_EQ(result.within_three, 3U);
    EXPECT_EQ(result.within_three_of_window, 3U);
    EXPECT_EQ(result.worst.facts.name, "c");
    EXPECT_NEAR(result.mean_over_rival, 100 * (std::pow(1.01 * 1.03 * 1.0301 * 0.8, 0.25) - 1), 1e-9);
    EXPECT_NEAR(result.time_of_window, std::cbrt(16.0), 1e-12) << "what was not measured is left out";
    EXPECT_NEAR(result.time_of_adagrad, std::pow(512.0, 0.25), 1e-12);
    const std::string line = to_text(result);
    for (const char* part : {"within 1 % of the best rival in hindsight on 2 of 4 (50 %)",
                             "within 3 % on 3 of 4 (75 %)", "worst +3.0 % (c, against coin)"}) {
        EXPECT_NE(line.find(part), std::string::npos) << line;
    }
    EXPECT_EQ(to_text(verdict({})), "");
}

TEST(DefaultsTable, VerdictsKeepUsesApart) {
    std::vector<DefaultsRow> rows{made_up("a", -5, 1, {8, 2, 1}), made_up("b", 0, 900, {1, 1, 1})};
    rows[1].facts.use = DataUse::choices;
    const std::string text = defaults_markdown(rows);
    EXPECT_NE(text.find("- not used for choices: within 1 % of the best rival in hindsight on 1 of 1"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("- used for choices: within 1 % of the best rival in hindsight on 0 of 1"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("your data:"), std::string::npos);
}

TEST(DefaultsTable, ComparesWithTheBestWindowAndTheBestRival) {
    ResultTable table;
    const auto add = [&](const char* entry, std::uint64_t seed, Real loss) {
        table.add({"data", entry, kLoss, seed, loss});
    };
    add(kDefault, 1, 1.0);
    add(kDefault, 2, 1.1);
    add("window 4", 1, 2.0);
    add(kMiddleWindow, 1, 1.0);
    add(kAdagrad, 1, 0.5);
    add(kStatic, 1, 0.1);
    for (const auto& [entry, later] : {std::pair{kDefault, 1.2}, {kMiddleWindow, 0.8}})
        table.add({"data", entry, kLateCost, 1, later});
    table.add({"data", kDefault, kRounds, 1, 90});
    table.add({"data", kMiddleWindow, kGradients, 1, 7});
    table.add({"data", kAdagrad, kMicroseconds, 1, 0.25});
    const auto row = summarise(table, {"data", DataUse::choices, false, 100});
    ASSERT_TRUE(row.has_value());
    EXPECT_EQ(row->best_window, kMiddleWindow);
    EXPECT_NEAR(row->over_window, 5, 1e-9);
    EXPECT_EQ(row->best_rival, kAdagrad) << "a method that knows the future is no rival";
    EXPECT_NEAR(row->over_rival, 110, 1e-9);
    EXPECT_NEAR(row->over_later.value_or(0), 50, 1e-9) << "against the rival that is best then";
    EXPECT_NEAR(row->spread.value_or(0), 10, 1e-9);
    EXPECT_EQ(row->rounds, 90U);
    EXPECT_TRUE(row->cut) << "100 rows at most, a tenth of them for tuning";
    EXPECT_EQ(row->gradients, (ThreeFigures{0, 7, 0}));
    EXPECT_EQ(row->microseconds, (ThreeFigures{0, 0, 0.25}));
    EXPECT_FALSE(summarise(table, {"other", DataUse::test, false, 0}).has_value());
    EXPECT_FALSE(summarise(table, {"data", DataUse::test, false, 101})->cut);
}

class StudyDefaults : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    StudyOutcome run(const std::optional<LearnSettings>& rows) const {
        StudyOptions options;
        options.preset = StudyPreset::quick;
        options.folder = out().string();
        options.rows = rows;
        return run_study(find_row(studies(), "study", "defaults"), options, nullptr,
                         [](const StudyProgress&) {});
    }
    fs::path out() const { return folder_ / "out"; }
    /// A series whose next value is close to the last one; `bad` replaces the label of line 31.
    LearnSettings series(const char* bad = nullptr) const {
        const fs::path file = folder_ / "series.csv";
        std::ofstream text(file);
        text << "time,flow\n";
        Real flow = 5;
        for (int t = 0; t < 80; ++t) {
            flow += 0.1 * ((t * 7) % 5 - 2);
            text << t << ',';
            if (bad != nullptr && t == 29) {
                text << bad << '\n';
            } else {
                text << flow << '\n';
            }
        }
        LearnSettings settings;
        settings.data = {file.string()};
        settings.label = "flow";
        settings.ignore = {"time"};
        settings.lags = {"1..2"};
        settings.standardise = settings.standardise_label = true;
        settings.loss = "cauchy";
        return settings;
    }

    fs::path folder_ = fs::temp_directory_path() / ("proxstream-defaults-test-" + std::to_string(getpid()));
};

TEST_F(StudyDefaults, QuickPresetHasARowForEachDataSet) {
    const StudyOutcome outcome = run(std::nullopt);
    EXPECT_TRUE(outcome.sound());
    EXPECT_TRUE(outcome.skipped.empty()) << "built-in data only";
    for (const std::string name : {"drift", "season", "switch", "iid"}) {
        for (const std::string loss : {"robust", "squared"}) {
            for (const std::string seed : {"1", "2"}) {
                const std::string row = "| built-in " + name + " " + seed + ", " + loss;
                EXPECT_NE(outcome.report.find(row), std::string::npos) << row;
            }
        }
    }
    for (const char* part : {"| built-in city 1, davidson", "| built-in city 2, davidson",
                             "  - networks: within 1 %", "- not used for choices: within 1 %",
                             "- used for choices: within 1 %", "of 9 (", "| best rival |"}) {
        EXPECT_NE(outcome.report.find(part), std::string::npos) << part;
    }
}

TEST_F(StudyDefaults, RunsOnTheUsersRows) {
    const StudyOutcome outcome = run(series());
    for (const char* part : {"| series.csv, cauchy", "your data", "- your data: within 1 %"}) {
        EXPECT_NE(outcome.report.find(part), std::string::npos) << outcome.report;
    }
    EXPECT_EQ(outcome.report.find("built-in"), std::string::npos);
    std::ifstream file(out() / "results.csv");
    const std::string csv{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(csv.find(",last value,loss,1,"), std::string::npos) << "the label's past is a feature";
    EXPECT_NE(csv.find(",default,loss,2,"), std::string::npos);
    EXPECT_EQ(csv.find(",window 4,loss,2,"), std::string::npos) << "it does not draw, so it runs once";
}

TEST_F(StudyDefaults, UnreadableRowIsReportedBeforeTheFolderIsMade) {
    try {
        run(series("high"));
        ADD_FAILURE() << "the row was accepted";
    } catch (const DataError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("series.csv:31, column 2 (flow): 'high' is not a number"), std::string::npos)
            << text;
    }
    EXPECT_FALSE(fs::exists(out()));
}

TEST_F(StudyDefaults, PipesAndTooFewRowsAreRefused) {
    LearnSettings pipe = series();
    pipe.data = {"-"};
    EXPECT_THROW(run(pipe), ConfigError);
    LearnSettings few = series();
    few.data = {"builtin:iid,rows=9,features=2"};
    few.label.clear();
    few.ignore.clear();
    few.lags.clear();
    EXPECT_THROW(run(few), ConfigError);
    EXPECT_FALSE(fs::exists(out()));
}

/// f_t(x_t) of every round.
std::vector<Real> losses_of(const LearnSettings& settings, const std::string& learner_text, Index rows) {
    Problem problem(settings);
    const auto learner = problem.make_learner(learner_text);
    RowBlock record = problem.stream().make_record();
    std::vector<Real> losses;
    while (losses.size() < rows && problem.stream().next(record))
        losses.push_back(learner->observe(record).loss);
    return losses;
}

Real mean(const std::vector<Real>& values, Index from, Index to) {
    Real total = 0;
    for (Index i = from; i < to; ++i) total += values[i];
    return total / static_cast<Real>(to - from);
}

TEST(StudyDefaultsRows, TunesOnThePrefixAndScoresTheRest) {
    const StudyPlan plan = find_row(studies(), "study", "defaults").plan(StudyPreset::quick);
    const StudyStream& stream = plan.streams.front();  // 300 rows
    Cell cell{stream.name, stream.methods};
    stream.run(cell);
    ResultTable table;
    table.add(cell.results);
    LearnSettings settings;
    settings.data = {"builtin:drift,active=4,jump=400,period=1500,rows=300,features=8,seed=1"};
    settings.standardise = settings.standardise_label = true;
    settings.loss = "cauchy";
    settings.reg = "zero";
    const std::vector<std::string> rates = tuning_candidates("prox-sgd");
    ASSERT_EQ(rates.size(), 16U);
    Real least = kInfinity;
    Index best = 0;
    for (Index i = 0; i < rates.size(); ++i) {
        const Real loss = mean(losses_of(settings, rates[i], 30), 0, 30);
        if (loss < least) best = i;
        least = std::min(least, loss);
    }
    const auto at = [&](const char* method, const std::string& figure) {
        return table.at(stream.name, method, figure).mean;
    };
    EXPECT_EQ(at("prox-sgd", "chosen"), static_cast<Real>(best + 1));
    EXPECT_NEAR(at("prox-sgd", kLoss), mean(losses_of(settings, rates[best], 300), 30, 300), 1e-12);
    EXPECT_EQ(at("prox-sgd", kGradients), 1);
    EXPECT_EQ(at("prox-sgd", kRounds), 270);
    EXPECT_NEAR(at("window 16", kLoss), mean(losses_of(settings, "time-smoothed:window=16", 300), 30, 300),
                1e-12);
    EXPECT_EQ(table.at(stream.name, "last value", kLoss).count, 0U) << "it is no feature here";
}

TEST(StudyDefaultsData, MissingFilesAreSkippedWithALineEach) {
    const char* before = std::getenv("PROXSTREAM_DATA");
    const std::string kept = before == nullptr ? "" : before;
    setenv("PROXSTREAM_DATA", "/nowhere", 1);
    const DefaultsData data = defaults_data(StudyPreset::full);
    if (before == nullptr) {
        unsetenv("PROXSTREAM_DATA");
    } else {
        setenv("PROXSTREAM_DATA", kept.c_str(), 1);
    }
    EXPECT_EQ(data.skipped.size(), 2U + 10U + 9U);
    EXPECT_EQ(data.skipped.front(), "electricity: there is no file '/nowhere/streams/electricity.csv'");
    EXPECT_EQ(data.rows.size(), 24U) << "built-in ones are always there";
    EXPECT_EQ(data.networks.size(), 18U);
}

}  // namespace
}  // namespace proxstream
