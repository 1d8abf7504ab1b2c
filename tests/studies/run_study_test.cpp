#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"
#include "studies/row_streams.hpp"
#include "studies/study.hpp"
#include "window/window_weights.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace proxstream {
namespace {

namespace fs = std::filesystem;

std::vector<RowMethod> small_methods() {
    return {{{"box 4", "time-smoothed:window=4", "box", 4}, 4},
            {{"box 4, loose", "time-smoothed:window=4,tolerance=3"}, 4},
            {{"sgd", "prox-sgd:0.05"}}};
}

StudyPlan small_plan(StudyPreset /*preset*/) {
    StudyPlan plan;
    plan.question = "Is it so?";
    plan.figures = {{kLoss.key, "loss", Better::lower}, {kScaledRegret.key, "regret"}};
    plan.streams = {row_stream({"calm", "iid,active=2", 60}, small_methods(), {"w"}),
                    row_stream({"jumps", "switch,active=2,jump=20", 60}, small_methods(), {"w"})};
    plan.charts = {{"loss.svg", "chart", {"loss"}, {{kLoss}}}};
    return plan;
}

constexpr StudyRow kSmall{"small", "a small study", 3, 2, small_plan};

class RunStudy : public testing::Test {
  protected:
    void SetUp() override { fs::remove_all(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    StudyOptions options() const {
        StudyOptions options;
        options.preset = StudyPreset::quick;
        options.folder = (folder_ / "out").string();
        options.command = "proxstream study small";
        options.version = "1.2.3";
        return options;
    }
    std::string content(const char* name) const {
        const std::ifstream in(folder_ / "out" / name);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }

    fs::path folder_ = fs::temp_directory_path() / ("proxstream-study-test-" + std::to_string(getpid()));
};

void no_progress(const StudyProgress& /*progress*/) {}

TEST_F(RunStudy, WritesFiguresTablesAndCharts) {
    const StudyOutcome outcome = run_study(kSmall, options(), nullptr, no_progress);
    EXPECT_FALSE(outcome.interrupted);
    EXPECT_TRUE(outcome.notes.empty());
    EXPECT_EQ(outcome.files.size(), 3U);
    const std::string csv = content("results.csv");
    // Two streams, two seeds; nine figures for each method and the scaled regret for those with a length.
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 4 * (3 * 9 + 2));
    const std::string table = content("table.md");
    for (const char* part : {"# Study small", "Is it so?", "    proxstream study small\n", "proxstream 1.2.3",
                             "preset quick", "seeds 1 to 2", "## calm", "| box 4 ", "## Names",
                             "- box 4, loose: `time-smoothed:window=4,tolerance=3`"}) {
        EXPECT_NE(table.find(part), std::string::npos) << part;
    }
    EXPECT_EQ(content("loss.svg").substr(0, 4), "<svg");
}

TEST_F(RunStudy, RepeatsExactly) {
    run_study(kSmall, options(), nullptr, no_progress);
    const std::string first = content("results.csv");
    StudyOptions again = options();
    again.replace = true;
    run_study(kSmall, again, nullptr, no_progress);
    EXPECT_EQ(first, content("results.csv"));
}

TEST_F(RunStudy, ReportsProgressOfEachCell) {
    Index finished = 0;
    Real last = 0;
    StudyOptions three = options();
    three.seeds = 3;
    run_study(kSmall, three, nullptr, [&](const StudyProgress& progress) {
        EXPECT_EQ(progress.cells, 6U);
        EXPECT_GE(progress.share, last);
        last = progress.share;
        if (progress.finished.empty()) return;
        EXPECT_EQ(progress.done, ++finished);
    });
    EXPECT_EQ(finished, 6U);
    EXPECT_EQ(last, 1);
}

TEST_F(RunStudy, StopKeepsTheFinishedCells) {
    std::atomic<bool> stop = false;
    const StudyOutcome outcome = run_study(kSmall, options(), &stop, [&](const StudyProgress& progress) {
        if (progress.share > 0.6) stop = true;  // in the third cell of four
    });
    EXPECT_TRUE(outcome.interrupted);
    const std::string csv = content("results.csv");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * (3 * 9 + 2)) << "two cells are whole";
    EXPECT_NE(content("table.md").find("Interrupted: 2 of 4 cells"), std::string::npos);
    EXPECT_FALSE(content("loss.svg").empty());
}

TEST_F(RunStudy, StopBeforeTheFirstCellWritesAnEmptyReport) {
    const std::atomic<bool> stop = true;
    const StudyOutcome outcome = run_study(kSmall, options(), &stop, no_progress);
    EXPECT_TRUE(outcome.interrupted);
    EXPECT_EQ(content("results.csv"), csv_header());
    EXPECT_NE(content("table.md").find("0 of 4 cells"), std::string::npos);
}

TEST_F(RunStudy, FolderThatIsNotEmptyIsRefusedUnlessReplaced) {
    fs::create_directories(folder_ / "out");
    EXPECT_NO_THROW(run_study(kSmall, options(), nullptr, no_progress)) << "an empty one will do";
    try {
        run_study(kSmall, options(), nullptr, no_progress);
        ADD_FAILURE() << "the results were overwritten";
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("--force"), std::string::npos) << error.what();
    }
    std::ofstream(folder_ / "out" / "mine.txt") << "kept";
    StudyOptions again = options();
    again.replace = true;
    run_study(kSmall, again, nullptr, no_progress);
    EXPECT_EQ(content("mine.txt"), "kept");
}

TEST_F(RunStudy, FileInPlaceOfTheFolderIsRefused) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "out") << "x";
    EXPECT_THROW(run_study(kSmall, options(), nullptr, no_progress), ConfigError);
    StudyOptions below = options();
    below.folder += "/deeper";
    EXPECT_THROW(run_study(kSmall, below, nullptr, no_progress), IoError);
}

/// Expects a loss of "box 4" of at most `kHigh`, and a regret that always holds.
template <int kHigh>
StudyPlan plan_with_findings(StudyPreset preset) {
    StudyPlan plan = small_plan(preset);
    plan.expectations = {{Measure::value, "calm", "box 4", kLoss, 0, kHigh},
                         {Measure::value, "calm", "box 4", kScaledRegret, 0, kInfinity, "something"}};
    return plan;
}

TEST_F(RunStudy, ReportsFindings) {
    constexpr StudyRow kRight{"right", "right", 3, 2, plan_with_findings<1000>};
    const StudyOutcome outcome = run_study(kRight, options(), nullptr, no_progress);
    ASSERT_EQ(outcome.findings.size(), 2U);
    EXPECT_TRUE(outcome.sound());
    const std::string table = content("table.md");
    EXPECT_NE(table.find("## Findings\n\n- holds: calm, box 4: loss: "), std::string::npos) << table;
    EXPECT_NE(table.find(", expected at least 0; the paper: something\n"), std::string::npos);
    EXPECT_NE(outcome.report.find("## Findings"), std::string::npos);

    constexpr StudyRow kWrong{"wrong", "wrong", 3, 2, plan_with_findings<0>};
    StudyOptions again = options();
    again.replace = true;
    const StudyOutcome failed = run_study(kWrong, again, nullptr, no_progress);
    EXPECT_FALSE(failed.sound());
    EXPECT_TRUE(failed.notes.empty());
    EXPECT_NE(content("table.md").find("- DOES NOT HOLD: calm, box 4: loss: "), std::string::npos);
}

TEST_F(RunStudy, InterruptedStudyHasNoFindings) {
    constexpr StudyRow kWrong{"wrong", "wrong", 3, 2, plan_with_findings<0>};
    std::atomic<bool> stop = false;
    const StudyOutcome outcome = run_study(kWrong, options(), &stop, [&](const StudyProgress& progress) {
        if (progress.share > 0.6) stop = true;
    });
    EXPECT_TRUE(outcome.findings.empty());
    EXPECT_NE(content("table.md").find("Not checked"), std::string::npos);
}

TEST_F(RunStudy, PlanWithoutExpectationsHasNoFindings) {
    EXPECT_EQ(run_study(kSmall, options(), nullptr, no_progress).report.find("Findings"), std::string::npos);
}

TEST(RowStreams, FiguresAreThoseOfCompare) {
    const StudyStream stream = row_stream({"jumps", "switch,active=2,jump=20", 60}, small_methods(), {"w"});
    Cell cell{stream.name, stream.methods};
    stream.run(cell);
    ResultTable table;
    table.add(cell.results);
    const auto at = [&](const char* method, const std::string& figure) {
        return table.at("jumps", method, figure).mean;
    };
    EXPECT_NEAR(at("box 4", kScaledRegret), 16 * at("box 4", kRegret), 1e-12);
    EXPECT_GT(at("box 4, loose", kRegret), at("box 4", kRegret)) << "the tolerance reached the learner";
    EXPECT_LT(at("box 4, loose", kActive), at("box 4", kActive));
    EXPECT_EQ(at("sgd", kGradients), 1);
    EXPECT_EQ(at("sgd", kActive), 100);
    EXPECT_LE(at("sgd", kChanged), 8);
    EXPECT_GT(at("sgd", kMovement), 0);
    EXPECT_EQ(table.at("jumps", "sgd", kScaledRegret).count, 0U) << "it has no window of its own";
}

TEST(RunStudySeeds, LaterSeedsRunOnlyCasesThatDependOnThem) {
    static std::vector<std::string> ran;
    ran.clear();
    const StudyRow row{"seeds", "", 3, 3, [](StudyPreset) {
                           StudyPlan plan;
                           const auto run = [](Cell& cell) {
                               for (const Method& method : cell.methods)
                                   ran.push_back(method.name + std::to_string(cell.seed));
                           };
                           plan.streams = {
                               {.name = "fixed",
                                .methods = {{"a"}, {.name = "b", .draws = true}},
                                .run = run,
                                .random = false},
                               {.name = "random", .methods = {{"c"}, {"d"}}, .run = run, .together = true}};
                           return plan;
                       }};
    const fs::path folder = fs::temp_directory_path() / ("proxstream-seeds-test-" + std::to_string(getpid()));
    StudyOptions options;
    options.folder = folder.string();
    options.seeds = 2;
    run_study(row, options, nullptr, no_progress);
    fs::remove_all(folder);
    EXPECT_EQ(ran, (std::vector<std::string>{"a1", "b1", "c1", "d1", "b2", "c2", "d2"}));
}

TEST(Studies, HaveNamesAndPlans) {
    for (const StudyRow& row : studies()) {
        EXPECT_FALSE(row.help.empty()) << row.name;
        for (const StudyPreset preset : {StudyPreset::quick, StudyPreset::full}) {
            const StudyPlan plan = row.plan(preset);
            EXPECT_FALSE(plan.question.empty()) << row.name;
            EXPECT_FALSE(plan.figures.empty()) << row.name;
            for (const StudyStream& stream : plan.streams) {
                EXPECT_FALSE(stream.methods.empty()) << row.name << ", " << stream.name;
                EXPECT_TRUE(stream.run) << row.name << ", " << stream.name;
            }
        }
    }
}

/// An expectation on a line that does not exist would never hold; a study would only show that when it runs.
TEST(Studies, ExpectationsAndChartsNameStreamsAndLines) {
    for (const StudyRow& row : studies()) {
        for (const StudyPreset preset : {StudyPreset::quick, StudyPreset::full}) {
            const StudyPlan plan = row.plan(preset);
            std::set<std::string> known;
            for (const StudyStream& stream : plan.streams) {
                known.insert(stream.name);
                for (const Method& method : stream.methods) {
                    known.insert(stream.name + "/" + method.name);
                    known.insert(stream.name + "/" + method.line);
                }
            }
            for (const Expectation& each : plan.expectations)
                EXPECT_TRUE(known.contains(each.stream + "/" + each.line)) << row.name << ": " << each.line;
            for (const ChartPlan& chart : plan.charts)
                for (const std::string& stream : chart.streams)
                    EXPECT_TRUE(known.contains(stream)) << row.name << ": " << stream;
        }
    }
}

/// The window in a learner's text.
std::string window_text(const std::string& learner) {
    const auto start = learner.find("window=") + 7;
    if (learner[start] == '(') return learner.substr(start + 1, learner.find(')') - start - 1);
    return learner.substr(start, learner.find(',', start) - start);
}

TEST(Studies, WindowsAreComparedAtEqualEffectiveLength) {
    const StudyRow& row = find_row(studies(), "study", "windows");
    int compared = 0;
    const StudyPlan plan = row.plan(StudyPreset::full);
    for (const Method& method : plan.streams.front().methods) {
        const std::string& name = method.name;
        const std::string& learner = method.text;
        const bool exact = name.starts_with("box") || name.starts_with("exp") || name.starts_with("triangle");
        if (!exact) continue;
        const Real length = std::stod(name.substr(name.rfind(' ')));
        EXPECT_NEAR(WindowWeights::parse(window_text(learner)).effective_length(), length, 1e-4 * length)
            << learner;
        ++compared;
    }
    EXPECT_EQ(compared, 6 * 5) << "six families, five lengths";
}

}  // namespace
}  // namespace proxstream
