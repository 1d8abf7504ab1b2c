/// From settings to outputs: the task made of rows, the place of a bad row, models and predictions, and
/// states that only their own run can restore.
#include "fit/fit_job.hpp"

#include "proxstream/core/error.hpp"

#include "loss/loss_table.hpp"
#include "run/temporary_folder.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

/// Rows of two features and a label close to 3 a - b + 10.
std::string rows_of(int count, const std::string& last = "") {
    std::string text = "a,b,y\n";
    for (int i = 0; i < count; ++i) {
        const double a = std::sin(i), b = 5 + 2 * std::cos(3 * i);
        text += std::to_string(a) + "," + std::to_string(b) + "," +
                std::to_string(3 * a - b + 10 + 0.1 * std::sin(7 * i)) + "\n";
    }
    return text + last;
}

FitSettings settings_of(const std::string& file) {
    FitSettings settings;
    settings.data = {file};
    settings.loss = "cauchy";
    settings.reg = "l1:0.001";
    return settings;
}

std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::string problem_of(const FitSettings& settings) {
    try {
        const FitTask task(settings);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(TraceCsv, HasALineAMeasurement) {
    const std::vector<TracePoint> trace{{.objective = 0.1, .gap = 2, .step = 0.5},
                                        {.iteration = 3,
                                         .base_samples = 25,
                                         .seconds = 0.0000015,
                                         .objective = 1e-17,
                                         .gap = 1.0 / 3,
                                         .gap_error = 0.25,
                                         .nonzeros = 4,
                                         .step = 0.125}};
    EXPECT_EQ(trace_csv(trace, 10),
              "iteration,base_samples,passes,seconds,objective,gap,gap_error,nonzeros,step\n"
              "0,0,0,0.000000,0.1,2,0,0,0.5\n"
              "3,25,2.5,0.000002,1e-17,0.3333333333333333,0.25,4,0.125\n");
}

TEST(FigureSettings, AreThoseThatFiguresDependOn) {
    FitSettings settings = settings_of("x.csv");
    const std::string before = figure_settings(settings);
    settings.epsilon = 1;
    settings.passes = 3;
    settings.seconds = 4;
    settings.iterations = 5;
    settings.threads = 2;
    settings.store = "run";
    settings.save = "model";
    settings.output = "last";
    settings.quiet = true;
    EXPECT_EQ(figure_settings(settings), before);
    for (auto change : {+[](FitSettings& s) { s.seed = 2; }, +[](FitSettings& s) { s.loss = "squared"; },
                        +[](FitSettings& s) { s.method = "storm"; }, +[](FitSettings& s) { s.step = "0.1"; },
                        +[](FitSettings& s) { s.measure = 2; }, +[](FitSettings& s) { s.confidence = 0.9; },
                        +[](FitSettings& s) { s.standardise = true; },
                        +[](FitSettings& s) { s.reg = "zero"; }, +[](FitSettings& s) { s.data = {"y"}; }}) {
        FitSettings other = settings;
        change(other);
        EXPECT_NE(figure_settings(other), before);
    }
}

TEST(FitSettings, DefaultEpsilonIs1eMinus6) {
    FitSettings settings = settings_of("rows.csv");
    EXPECT_EQ(fit_options_of(settings, "panoc").epsilon, 1e-6);
    EXPECT_EQ(fit_options_of(settings, "panoc").passes, 1000);
    settings.iterations = 7;
    EXPECT_EQ(fit_options_of(settings, "panoc").epsilon, 0);
    EXPECT_EQ(fit_options_of(settings, "panoc").passes, kInfinity);
    // What sampling costs, only the user can say.
    settings.iterations = 0;
    settings.data = {"sampler:ramp"};
    EXPECT_EQ(fit_options_of(settings, "storm").epsilon, 0);
    EXPECT_EQ(fit_options_of(settings, "storm").passes, 1000);
}

TEST(FitTask, ErrorsNameFileAndLineOfABadRow) {
    const TemporaryFolder folder;
    const std::string torn = folder.file("torn.csv", rows_of(7, "1,2\n"));
    EXPECT_NE(problem_of(settings_of(torn)).find("torn.csv:9"), std::string::npos)
        << problem_of(settings_of(torn));

    // A row that only the loss refuses: the line counts those that were skipped, and files start anew.
    FitSettings settings = settings_of(folder.file("one.csv", "i,j,y\n1,1,1\n2,2,2\n"));
    settings.data.push_back(folder.file("two.csv", "i,j,y\n1,2,1\n1,x,1\n\n2,1.5,1\n"));
    settings.loss = "factors:rank=1";
    settings.reg = "zero";
    settings.on_bad_row = "skip";
    const std::string problem = problem_of(settings);
    EXPECT_NE(problem.find("two.csv:5"), std::string::npos) << problem;
    EXPECT_NE(problem.find("1.5"), std::string::npos) << problem;
    std::swap(settings.data[0], settings.data[1]);
    EXPECT_NE(problem_of(settings).find("two.csv:5"), std::string::npos) << problem_of(settings);
}

TEST(FitTask, RefusesSettingsThatContradictTheData) {
    const TemporaryFolder folder;
    FitSettings settings = settings_of(folder.file("rows.csv", rows_of(20)));
    settings.reg = "l1:weights=1;2;3";
    EXPECT_NE(problem_of(settings).find("3 weights do not fit 2"), std::string::npos);
    settings = settings_of(settings.data.front());
    settings.loss = "logistic";
    EXPECT_NE(problem_of(settings).find("rows.csv:"), std::string::npos);
    settings = settings_of(folder.file("sparse.svm", "1 1:2 3:1\n-1 2:1\n"));
    settings.standardise = true;
    EXPECT_NE(problem_of(settings).find("standardise"), std::string::npos);
    settings = settings_of(folder.file("none.csv", "a,b,y\n"));
    EXPECT_NE(problem_of(settings).find("none.csv"), std::string::npos);
    settings = settings_of("sampler:ramp");
    settings.data.emplace_back("more.csv");
    EXPECT_NE(problem_of(settings).find("cannot be combined"), std::string::npos);
    settings = settings_of(folder.path("rows.csv"));
    settings.output = "random";
    EXPECT_NE(problem_of(settings).find("random index"), std::string::npos);
    settings.method = "prox-sgd";
    EXPECT_EQ(problem_of(settings), "");
}

TEST(FitTask, PredictsInTheUnitsOfTheData) {
    const TemporaryFolder folder;
    const std::string file = folder.file("rows.csv", rows_of(60));
    for (const bool features : {false, true}) {
        for (const bool label : {false, true}) {
            FitSettings settings = settings_of(file);
            settings.loss = "squared";
            settings.reg = "zero";
            settings.standardise = features;
            settings.standardise_label = label;
            settings.epsilon = 1e-10;
            settings.passes = 5000;
            FitJob job(settings);
            const FitOutcome outcome = drive(job);
            EXPECT_EQ(outcome.certificate.status, FitStatus::converged);
            // Least squares with an intercept: whatever the scales, gaps sum to 0 and are small.
            const std::vector<Real> predictions = job.task().predict(outcome.certificate.point.x);
            ASSERT_EQ(predictions.size(), 60U);
            Real sum = 0;
            for (int i = 0; i < 60; ++i) {
                const Real label_here =
                    3 * std::sin(i) - (5 + 2 * std::cos(3 * i)) + 10 + 0.1 * std::sin(7 * i);
                EXPECT_NEAR(predictions[static_cast<std::size_t>(i)], label_here, 0.25);
                sum += predictions[static_cast<std::size_t>(i)] - label_here;
            }
            EXPECT_NEAR(sum, 0, 1e-3);
        }
    }
}

TEST(FitJob, SavedModelsCanBeTheStart) {
    const TemporaryFolder folder;
    FitSettings settings = settings_of(folder.file("rows.csv", rows_of(60)));
    settings.standardise = true;
    settings.standardise_label = true;
    settings.save = folder.path("model.json");
    settings.trace = folder.path("trace.csv");
    settings.predictions = folder.path("predictions");
    settings.certificate_json = folder.path("certificate.json");
    const FitOutcome outcome = drive(FitJob(settings));
    EXPECT_TRUE(outcome.problems.empty());
    EXPECT_EQ(content(settings.trace), trace_csv(outcome.certificate.result.trace, 60));
    EXPECT_EQ(content(settings.certificate_json), to_json(outcome.certificate));
    EXPECT_EQ(load_model(settings.save).x, outcome.certificate.point.x);

    // Measured again it is the same, and nothing moves.
    FitSettings again = settings;
    again.start = settings.save;
    again.test_only = true;
    again.predictions = folder.path("again");
    again.save.clear();
    const FitOutcome tested = drive(FitJob(again));
    EXPECT_EQ(tested.certificate.result.iterations, 0U);
    EXPECT_EQ(tested.certificate.point.gap, outcome.certificate.point.gap);
    EXPECT_EQ(tested.certificate.point.x, outcome.certificate.point.x);
    EXPECT_EQ(content(again.predictions), content(settings.predictions));
}

TEST(FitJob, ReportsFailedOutputsAndWritesTheOthers) {
    const TemporaryFolder folder;
    FitSettings settings = settings_of(folder.file("rows.csv", rows_of(30)));
    settings.trace = folder.path("no/such/trace.csv");
    settings.certificate_json = folder.path("no/such/certificate.json");
    settings.save = folder.path("model.json");
    const FitOutcome outcome = drive(FitJob(settings));
    ASSERT_EQ(outcome.problems.size(), 2U);
    EXPECT_NE(outcome.problems[0].find("trace.csv"), std::string::npos);
    EXPECT_NE(outcome.problems[1].find("certificate.json"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(settings.save));
}

TEST(FitJob, RefusesAStoreOfOtherSettingsOrData) {
    const TemporaryFolder folder;
    FitSettings settings = settings_of(folder.file("rows.csv", rows_of(60)));
    settings.method = "spiderboost";
    settings.iterations = 12;
    settings.store = folder.path("run");
    const auto begin = [](const FitSettings& first) {
        FitJob job(first);
        RunDriver driver(job);
        driver.begin(Journal::create(first.store, job.identity(), {}));
        driver.drive();
    };
    begin(settings);
    const auto refusal = [](const FitSettings& changed) -> std::string {
        try {
            FitJob job(changed);
            RunDriver(job).begin(Journal::open(changed.store, {}));
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    settings.iterations = 30;
    EXPECT_EQ(refusal(settings), "");
    FitSettings other = settings;
    other.seed = 5;
    other.loss = "squared";
    EXPECT_NE(refusal(other).find("seed"), std::string::npos) << refusal(other);
    EXPECT_NE(refusal(other).find("loss"), std::string::npos) << refusal(other);
    // The same name, other rows.
    folder.file("rows.csv", rows_of(61));
    EXPECT_NE(refusal(settings).find("the data differ from those"), std::string::npos) << refusal(settings);
    // What follows from epsilon has to stay.
    FitSettings sampler;
    sampler.data = {"sampler:ramp"};
    sampler.method = "reduction";
    sampler.epsilon = 0.2;
    sampler.iterations = 2;
    sampler.store = folder.path("reduction.run");
    begin(sampler);
    EXPECT_EQ(refusal(sampler), "");
    sampler.epsilon = 0.1;
    EXPECT_NE(refusal(sampler).find("the method's w"), std::string::npos) << refusal(sampler);
}

}  // namespace
}  // namespace proxstream
