// What `learn` chooses by itself, what it reports, and what it says when the result is poor.
#include "run/learn_defaults.hpp"

#include "proxstream/core/draw.hpp"

#include "io/output_file.hpp"
#include "loss/row_fixtures.hpp"
#include "run/compare_run.hpp"
#include "run/learn_run.hpp"
#include "run/loss_warning.hpp"
#include "run/read_predictions.hpp"
#include "run/temporary_folder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace proxstream {
namespace {

Real drawn(Round t, std::uint64_t what) {
    return normal({.seed = 9, .round = t, .sample = what});
}

/// y = 3 a - b + noise, with a gross error every 25th row.
std::string regression(Round rows, Real error = 0) {
    std::string text = "a,b,y\n";
    for (Round t = 1; t <= rows; ++t) {
        const Real a = drawn(t, 0), b = drawn(t, 1);
        const Real y = 100 + 3 * a - b + 0.1 * drawn(t, 2) + (t % 25 == 0 ? error : 0);
        text += fmt::format("{},{},{}\n", a, b, y);
    }
    return text;
}

/// Two classes that one feature separates.
std::string separable(Round rows) {
    std::string text = "a,b,y\n";
    for (Round t = 1; t <= rows; ++t) {
        const Real a = drawn(t, 0);
        text += fmt::format("{},{},{}\n", a, drawn(t, 1), a > 0 ? 1 : -1);
    }
    return text;
}

LearnSettings on(const TemporaryFolder& folder, const std::string& rows) {
    LearnSettings settings;
    settings.data = {folder.file("rows.csv", rows)};
    settings.label = "y";
    settings.window = "16";
    return settings;
}

LearnOutcome learn(const LearnSettings& settings) {
    return drive(LearnRun(settings));
}

TEST(LearnDefaults, ChooseARobustLossAndARidgeWithReasons) {
    std::vector<std::string> reasons;
    LearnSettings settings = with_defaults({}, &reasons);
    EXPECT_EQ(settings.loss, "cauchy");
    EXPECT_EQ(settings.reg, "zero");
    EXPECT_TRUE(settings.standardise_label);
    ASSERT_EQ(reasons.size(), 1U);
    EXPECT_NE(reasons[0].find("--loss squared"), std::string::npos);

    reasons.clear();
    settings = {};
    settings.loss = "logistic";
    settings = with_defaults(settings, &reasons);
    EXPECT_EQ(settings.reg, "l2sq:0.001");
    EXPECT_FALSE(settings.standardise_label);
    ASSERT_EQ(reasons.size(), 1U);
    EXPECT_NE(reasons[0].find("--reg zero"), std::string::npos);

    reasons.clear();
    settings = {};
    settings.loss = "logistic";
    settings.reg = "zero";
    EXPECT_EQ(with_defaults(settings, &reasons).reg, "zero");
    settings = {};
    settings.loss = "squared";
    settings = with_defaults(settings, &reasons);
    EXPECT_EQ(settings.reg, "zero");
    EXPECT_FALSE(settings.standardise_label);
    EXPECT_TRUE(reasons.empty());
    EXPECT_EQ(with_defaults(settings).loss, "squared");
}

TEST(LearnDefaults, TakeTheLossOfAStartingModel) {
    const TemporaryFolder folder;
    for (const char* loss : {"squared", "huber:2"}) {
        LearnSettings settings = on(folder, regression(60));
        settings.loss = loss;
        settings.save = folder.path("model.json");
        learn(settings);
        settings.loss = "auto";
        settings.start = settings.save;
        settings.save.clear();
        const LearnSettings chosen = with_defaults(settings);
        EXPECT_EQ(chosen.loss, loss);
        EXPECT_FALSE(chosen.standardise_label);
        EXPECT_EQ(learn(settings).totals.rounds, 60U);
    }
}

TEST(LearnDefaults, TwoLabelsAndUnequalColumnsAreSeen) {
    const TemporaryFolder folder;
    EXPECT_TRUE(LearnRun(on(folder, separable(80)), nullptr).problem().two_labels());
    EXPECT_FALSE(LearnRun(on(folder, regression(80)), nullptr).problem().two_labels());
    std::string rows = "a,b,y\n";
    for (Round t = 1; t <= 80; ++t) rows += fmt::format("{},{},{}\n", drawn(t, 0), 5000 * drawn(t, 1), t);
    LearnSettings settings = on(folder, rows);
    EXPECT_LT(LearnRun(settings, nullptr).problem().column_spread(), 2);
    settings.raw = true;
    const LearnRun run(settings, nullptr);
    EXPECT_GT(run.problem().column_spread(), 2000);
    EXPECT_LT(run.problem().column_spread(), 12000);
}

TEST(LearnDefaults, ARobustLossShrugsOffGrossErrors) {
    const TemporaryFolder folder;
    LearnSettings settings = on(folder, regression(2000, 5000));
    settings.window = "256";
    const LearnOutcome robust = learn(settings);
    settings.loss = "squared";
    const LearnOutcome plain = learn(settings);
    EXPECT_LT(value_of(robust.metrics.all(), "mae"), 0.7 * value_of(plain.metrics.all(), "mae"));
    EXPECT_TRUE(robust.certificate.sound());
}

TEST(ReportedPredictions, StayWithinTheLabelsSeenBefore) {
    const TemporaryFolder folder;
    // A leverage row: far outside the others, so that a straight line goes far.
    std::string rows = regression(60);
    rows += "500,-500,101\n1,1,102\n";
    LearnSettings settings = on(folder, rows);
    settings.raw = true;
    settings.loss = "squared";
    settings.predictions = folder.path("p");
    LearnRun run(settings, nullptr);
    std::vector<Real> labels;
    const LearnOutcome outcome = drive(run);
    const std::vector<Real> predictions = read_predictions(settings.predictions);
    std::istringstream text(rows);
    std::string line;
    std::getline(text, line);
    while (std::getline(text, line)) labels.push_back(std::stod(line.substr(line.rfind(',') + 1)));
    ASSERT_EQ(predictions.size(), labels.size());
    Real low = kInfinity, high = -kInfinity, squares = 0, absolute = 0;
    for (Index t = 0; t < labels.size(); ++t) {
        if (t > 0) {
            EXPECT_GE(predictions[t], low) << t;
            EXPECT_LE(predictions[t], high) << t;
        }
        low = std::min(low, labels[t]);
        high = std::max(high, labels[t]);
        squares += std::pow(predictions[t] - labels[t], 2);
        absolute += std::abs(predictions[t] - labels[t]);
    }
    EXPECT_EQ(predictions[60], *std::max_element(labels.begin(), labels.begin() + 60));
    const auto rows_seen = static_cast<Real>(labels.size());
    const Real rmse = value_of(outcome.metrics.all(), "rmse");
    EXPECT_NEAR(rmse * rmse * rows_seen, squares, 1e-6 * squares);
    EXPECT_NEAR(value_of(outcome.metrics.all(), "mae") * rows_seen, absolute, 1e-6 * absolute);
    // The point and the loss it is charged with are untouched.
    EXPECT_GT(outcome.totals.loss_sum, 1e5);
    EXPECT_TRUE(outcome.certificate.sound());

    const CompareOutcome compared = CompareRun(settings, {"time-smoothed"}, nullptr).run([](Round) {});
    EXPECT_DOUBLE_EQ(compared.entries[0].mean_squared_error, rmse * rmse);
    EXPECT_TRUE(compared.numbers);
}

TEST(ReportedPredictions, AreTheSameAfterResuming) {
    const TemporaryFolder folder;
    LearnSettings settings = on(folder, regression(80, 50));
    settings.standardise = true;
    settings.predictions = folder.path("whole.p");
    const LearnOutcome whole = learn(settings);
    settings.predictions = folder.path("split.p");
    settings.store = folder.path("split.run");
    settings.rounds = 30;
    drive(LearnRun(settings), nullptr, {}, settings.store);
    settings.rounds = 0;
    LearnRun second(settings);
    RunDriver driver(second);
    driver.begin(Journal::open(settings.store, {}));
    driver.drive();
    const LearnOutcome& rest = second.outcome();
    EXPECT_EQ(read_whole_file(folder.path("whole.p")), read_whole_file(folder.path("split.p")));
    for (const char* name : {"loss", "mae", "rmse", "r2"}) {
        EXPECT_EQ(value_of(whole.metrics.all(), name), value_of(rest.metrics.all(), name)) << name;
        EXPECT_EQ(value_of(whole.metrics.recent(), name), value_of(rest.metrics.recent(), name)) << name;
    }
    EXPECT_EQ(whole.previous.loss(), rest.previous.loss());
    EXPECT_EQ(whole.totals.labels.high, rest.totals.labels.high);
    EXPECT_EQ(whole.totals.labels.low, rest.totals.labels.low);
}

TEST(ReportedPredictions, ClipNumbersOnlyAndKeepNaN) {
    LabelRange range;
    EXPECT_EQ(range.clipped(7), 7);
    range.include(2);
    EXPECT_EQ(range.clipped(7), 2);
    range.include(5);
    EXPECT_EQ(range.clipped(7), 5);
    EXPECT_EQ(range.clipped(3), 3);
    EXPECT_EQ(range.clipped(-kInfinity), 2);
    EXPECT_TRUE(std::isnan(range.clipped(std::numeric_limits<Real>::quiet_NaN())));
    const TemporaryFolder folder;
    LearnSettings settings = on(folder, separable(60));
    settings.loss = "logistic";
    const LearnOutcome outcome = learn(settings);
    EXPECT_GT(outcome.totals.labels.low, outcome.totals.labels.high);
    EXPECT_TRUE(std::isnan(value_of(outcome.metrics.all(), "rmse")));
}

TEST(SeparableWindows, AreHarmless) {
    const TemporaryFolder folder;
    for (const char* window : {"1", "4", "16", "64"}) {
        LearnSettings settings = on(folder, separable(500));
        settings.loss = "logistic";
        settings.reg = "zero";
        settings.window = window;
        const LearnRun run(settings, nullptr);
        EXPECT_GT(run.header().proximal, 0) << window;
        const LearnOutcome outcome = learn(settings);
        ASSERT_TRUE(outcome.best_constant);
        EXPECT_LT(outcome.totals.loss_sum / 500, outcome.best_constant->loss) << window;
        EXPECT_TRUE(outcome.certificate.sound()) << window;
        EXPECT_EQ(warnings(with_defaults(settings), run, outcome), std::vector<std::string>()) << window;
    }
}

TEST(ProximalTerm, AppliesToShortWindowsOfLinearModelsOnly) {
    const TemporaryFolder folder;
    const auto mu = [&](const char* loss, const char* window, const char* proximal) {
        LearnSettings settings = on(folder, regression(80));
        settings.loss = loss;
        settings.window = window;
        settings.proximal = proximal;
        return LearnRun(settings, nullptr).header().proximal;
    };
    const Real one = mu("squared", "1", "auto");  // the scale of the rows: near 1, three coordinates
    EXPECT_GT(one, 0.3);
    EXPECT_LT(one, 2);
    EXPECT_DOUBLE_EQ(mu("squared", "3", "auto"), one / 3);
    EXPECT_EQ(mu("squared", "4", "auto"), 0);
    EXPECT_EQ(mu("squared", "64", "0.25"), 0.25);
    EXPECT_EQ(mu("squared", "1", "0"), 0);
    EXPECT_EQ(mu("mlp:hidden=2", "1", "auto"), 0);
    EXPECT_EQ(mu("mlp:hidden=2", "1", "0.5"), 0.5);
    const ProximalRule rule{.named = std::nullopt, .row_scale = 2, .margin = true};
    EXPECT_EQ(rule.weight(64, 8), 2.0 / 64);
    EXPECT_EQ(rule.weight(1, ProximalRule::kMostCoordinates + 1), 0);
    LearnSettings settings = on(folder, regression(80));
    settings.proximal = "-1";
    EXPECT_THROW(validate(settings), ConfigError);
    settings.proximal = "much";
    EXPECT_THROW(validate(settings), ConfigError);
}

TEST(LossWarning, NamesTheLikelyCause) {
    const TemporaryFolder folder;
    const auto causes = [&](LearnSettings settings) {
        settings = with_defaults(settings);
        LearnRun run(settings, nullptr);
        const LearnOutcome outcome = drive(run);
        std::string all;
        for (const std::string& cause : warnings(settings, run, outcome)) all += cause + "\n";
        return all;
    };
    // Labels that no feature explains.
    std::string noise = "a,b,y\n";
    for (Round t = 1; t <= 400; ++t)
        noise += fmt::format("{},{},{}\n", drawn(t, 0), 1e4 * drawn(t, 1), drawn(t, 2) > 0 ? 1 : -1);
    LearnSettings settings = on(folder, noise);
    settings.raw = true;
    settings.loss = "logistic";
    settings.reg = "zero";
    settings.proximal = "0";
    settings.window = "2";
    settings.max_steps = 2;
    settings.tolerance = "1e-9";
    const std::string said = causes(settings);
    for (const char* part : {"on their budget: try --max-steps 20 ", "above that of the best constant: see",
                             "leaving out --raw", "a window of 2 does not determine 3 coordinates"})
        EXPECT_NE(said.find(part), std::string::npos) << part << " in:\n" << said;

    settings = on(folder, noise.substr(0, noise.find('\n', noise.size() / 50) + 1));
    settings.loss = "logistic";
    settings.standardise = true;
    settings.learner = "prox-gradient:5";
    EXPECT_NE(causes(settings).find("rounds are few for 3 coordinates"), std::string::npos);

    settings = on(folder, regression(300));
    settings.standardise = true;
    EXPECT_EQ(causes(settings), "");
}

TEST(LearnDefaults, StandardiseTheLabelOfLossesWithAWidth) {
    for (const char* loss : {"absolute", "quantile:0.9", "quantile:0.9,width=0.1"}) {
        LearnSettings settings;
        settings.loss = loss;
        std::vector<std::string> reasons;
        EXPECT_TRUE(with_defaults(settings, &reasons).standardise_label) << loss;
        ASSERT_EQ(reasons.size(), 1U) << loss;
        EXPECT_NE(reasons[0].find("--raw"), std::string::npos);
        settings.raw = true;
        EXPECT_FALSE(with_defaults(settings).standardise_label) << loss;
        settings.raw = false;
        settings.forecast = "rows";
        EXPECT_FALSE(with_defaults(settings).standardise_label) << loss;
    }
    LearnSettings settings;
    settings.loss = "huber:1";
    EXPECT_FALSE(with_defaults(settings).standardise_label);
}

/// A loss that is named with the model it was learned with is that of the model, label and all.
TEST(LearnDefaults, TakeTheScaleOfTheLabelFromTheModelOfTheSameLoss) {
    const TemporaryFolder folder;
    LearnSettings settings = on(folder, regression(100));
    settings.loss = "absolute";
    settings.save = folder.path("m.json");
    learn(settings);
    settings.start = settings.save;
    settings.save.clear();
    EXPECT_EQ(learn(settings).totals.rounds, 100U);
}

TEST(LearnDefaults, GiveClassesARidge) {
    LearnSettings settings;
    settings.loss = "softmax:classes=3";
    EXPECT_EQ(with_defaults(settings).reg, "l2sq:0.001");
}

/// Every loss with a known L, by the steps that rely on it, and by an ensemble.
TEST(LearnRun, KeepsItsCertificateWithEveryLoss) {
    const TemporaryFolder folder;
    for (const std::string& spec : fixtures::specs()) {
        const std::string name = spec.substr(0, spec.find(':'));
        if (name == "mlp" || name == "factors") continue;
        const auto family = parse_loss(spec, {.features = 3});
        fixtures::Source source{.seed = 77};
        const RowBlock rows = draw_record(*family, 3, 200, source).dense;
        std::string text = "a,b,c,y\n";
        for (Index row = 0; row < rows.rows(); ++row)
            text += fmt::format("{},{}\n", fmt::join(rows.values(row), ","), rows.target(row));
        for (const char* window : {"8", "auto"}) {
            LearnSettings settings = on(folder, text);
            settings.loss = spec;
            settings.reg = name == "pca" ? "l2ball:1" : "l1:0.01";
            settings.window = window;
            settings.inner = "prox-grad";
            const LearnOutcome outcome = learn(settings);
            EXPECT_EQ(outcome.totals.rounds, 200U) << spec;
            std::vector<const Certificate*> all{&outcome.certificate};
            for (const Certificate& member : outcome.certificate.members) all.push_back(&member);
            for (const Certificate* each : all) {
                for (const Inequality& line : each->inequalities) {
                    EXPECT_NE(line.verdict, Verdict::violated)
                        << spec << ", " << each->header.name << ": " << line.id << ", " << line.left
                        << " against " << line.right;
                }
            }
        }
    }
}

TEST(BestConstant, OfClassesIsTheirEntropy) {
    BestConstantSampler sampler(1);
    for (const Real target : {2.0, 2.0, 1.0, 2.0}) sampler.add(target);
    for (const char* loss : {"softmax", "softmax:classes=4", "mlp:task=softmax,classes=3"}) {
        const auto best = sampler.best(loss);
        ASSERT_TRUE(best) << loss;
        EXPECT_EQ(best->prediction, 2);
        EXPECT_NEAR(best->loss, 0.75 * std::log(4 / 3.0) + 0.25 * std::log(4.0), 1e-15);
    }
}

TEST(BestConstant, ReportsWhetherItIsAnEstimate) {
    BestConstantSampler sampler(1);
    for (Index i = 0; i < BestConstantSampler::kCapacity; ++i) sampler.add(static_cast<Real>(i % 7));
    EXPECT_FALSE(sampler.best("squared")->sampled);
    sampler.add(3);
    EXPECT_TRUE(sampler.best("squared")->sampled);
}

}  // namespace
}  // namespace proxstream
