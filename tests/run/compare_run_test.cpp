/// Comparisons: tuning, scored rounds, seeds, learners that fail, and their table.
#include "run/compare_run.hpp"

#include "proxstream/core/error.hpp"

#include "online/tuning_grid.hpp"
#include "run/compare_text.hpp"
#include "run/temporary_folder.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

LearnSettings drifting(Index rows) {
    LearnSettings settings;
    settings.data = {"builtin:drift,rows=" + std::to_string(rows) + ",features=8,seed=3"};
    settings.loss = "cauchy";
    settings.reg = "l1:0.01";
    settings.window = "16";
    return settings;
}

CompareOutcome compare(const LearnSettings& settings, const std::vector<std::string>& learners,
                       const CompareOptions& options = {}) {
    return CompareRun(settings, learners, nullptr, options).run([](Round) {});
}

/// f_t(x_t) of every round.
std::vector<Real> losses_of(const LearnSettings& settings, const std::string& learner_text) {
    Problem problem(settings);
    const auto learner = problem.make_learner(learner_text);
    RowBlock record = problem.stream().make_record();
    std::vector<Real> losses;
    while (problem.stream().next(record)) losses.push_back(learner->observe(record).loss);
    return losses;
}

Real mean(const std::vector<Real>& values, Index from, Index to) {
    Real total = 0;
    for (Index i = from; i < to; ++i) total += values[i];
    return total / static_cast<Real>(to - from);
}

TEST(CompareRun, TunesOnTheFirstRowsAndScoresTheRest) {
    LearnSettings settings = drifting(300);
    settings.standardise = settings.standardise_label = true;
    const CompareOutcome outcome =
        compare(settings, {"time-smoothed", "adagrad", "adam:0.01"}, {.tune = 60, .score_after = 100});
    const std::vector<std::string> candidates = tuning_candidates("adagrad");
    Index best = 0;
    std::vector<Real> losses;
    for (const std::string& text : candidates) {
        losses.push_back(mean(losses_of(settings, text), 0, 60));
        if (losses.back() < losses[best]) best = losses.size() - 1;
    }
    const CompareEntry& tuned = outcome.entries[1];
    EXPECT_EQ(tuned.learner, candidates[best]);
    EXPECT_EQ(tuned.candidates, candidates.size());
    EXPECT_EQ(tuned.chosen, best);
    EXPECT_EQ(outcome.entries[2].candidates, 1U) << "its rate is given";
    EXPECT_EQ(outcome.tuned_rows, 60U);
    EXPECT_EQ(outcome.rows, 300U);
    EXPECT_EQ(outcome.scored_rows, 200U);
    for (const CompareEntry& entry : outcome.entries) {
        EXPECT_EQ(entry.rounds, 200U);
        EXPECT_NEAR(entry.loss, mean(losses_of(settings, entry.learner), 100, 300), 1e-12) << entry.learner;
        EXPECT_EQ(entry.certificate.summary.totals.rounds, 300U) << "the certificate is of all rounds";
    }
    EXPECT_EQ(tuned.record_gradients, 200U);
}

TEST(CompareRun, TuningChangesNothingElse) {
    const LearnSettings settings = drifting(200);
    const CompareEntry alone = compare(settings, {"time-smoothed"}).entries.front();
    const CompareEntry beside = compare(settings, {"time-smoothed", "adam"}, {.tune = 200}).entries.front();
    EXPECT_EQ(alone.loss, beside.loss);
    EXPECT_EQ(alone.regret, beside.regret);
    EXPECT_EQ(alone.mean_squared_error, beside.mean_squared_error);
}

TEST(CompareRun, SeedsAreForLearnersThatDraw) {
    LearnSettings settings = drifting(150);
    settings.seed = 5;
    const CompareOutcome outcome =
        compare(settings, {"prox-sgd:0.05,replay=4", "adam", "ensemble:selection=draw"}, {.seeds = 3});
    const CompareEntry& drawn = outcome.entries[0];
    std::vector<Real> losses;
    for (const std::uint64_t seed : {5, 6, 7}) {
        Problem problem(settings);
        const auto learner = problem.make_learner(drawn.learner, seed);
        RowBlock record = problem.stream().make_record();
        Real total = 0;
        while (problem.stream().next(record)) total += learner->observe(record).loss;
        losses.push_back(total / 150);
    }
    EXPECT_EQ(drawn.seeds, 3U);
    EXPECT_NEAR(drawn.loss, mean(losses, 0, 3), 1e-12);
    EXPECT_NEAR(drawn.least_loss, *std::min_element(losses.begin(), losses.end()), 1e-12);
    EXPECT_NEAR(drawn.greatest_loss, *std::max_element(losses.begin(), losses.end()), 1e-12);
    EXPECT_LT(drawn.least_loss, drawn.greatest_loss);
    EXPECT_EQ(outcome.entries[1].seeds, 1U);
    EXPECT_EQ(outcome.entries[2].seeds, 3U);
    EXPECT_NE(compare_table(outcome).find("spread"), std::string::npos);
}

TEST(CompareRun, ALearnerThatFailsDoesNotEndTheOthers) {
    LearnSettings settings = drifting(80);
    settings.loss = "squared";
    const CompareOutcome outcome = compare(settings, {"prox-gradient:1e200", "adam", "time-smoothed"});
    EXPECT_GT(outcome.entries[0].failed, 0U);
    EXPECT_LE(outcome.entries[0].failed, 3U);
    EXPECT_EQ(outcome.refused, 0U) << "the others accepted every round";
    EXPECT_EQ(outcome.entries[1].rounds, 80U);
    EXPECT_EQ(outcome.entries[1].loss, compare(settings, {"adam"}).entries[0].loss);
    const std::string table = compare_table(outcome);
    EXPECT_NE(table.find("prox-gradient:1e200"), std::string::npos);
    EXPECT_NE(table.find("failed in round"), std::string::npos) << table;
    EXPECT_EQ(compare_verdict(outcome, "it"), "it failed");
}

TEST(CompareRun, ARowThatAllRefuseIsNoFailureOfALearner) {
    const TemporaryFolder folder;
    std::ostringstream rows;
    rows << "a,y\n";
    for (int t = 0; t < 100; ++t) rows << (t % 7) << "," << (t == 80 ? 1e200 : t % 7 + 1) << "\n";
    LearnSettings settings;
    settings.data = {folder.file("rows.csv", rows.str())};
    settings.loss = "squared";
    settings.window = "4";
    const CompareOutcome outcome = compare(settings, {"time-smoothed", "adagrad"});
    EXPECT_EQ(outcome.refused, 1U);
    for (const CompareEntry& entry : outcome.entries) {
        EXPECT_EQ(entry.failed, 0U) << entry.learner;
        EXPECT_EQ(entry.rounds, 99U) << entry.learner;
    }
}

TEST(CompareRun, LearnersThatDoNotSuitAreRefusedOrLeftOut) {
    const LearnSettings settings = drifting(60);
    EXPECT_THROW(compare(settings, {"adam", "last-value"}), ConfigError);
    const CompareOutcome outcome = compare(settings, {"adam", "last-value"}, {.skip_unsuited = true});
    ASSERT_EQ(outcome.entries.size(), 1U);
    ASSERT_EQ(outcome.left_out.size(), 1U);
    EXPECT_NE(outcome.left_out[0].find("--lags 1"), std::string::npos);
    EXPECT_THROW(compare(settings, {"last-value"}, {.skip_unsuited = true}), ConfigError);
}

TEST(CompareRun, CountsRoundsUpToAnUnreadableRow) {
    EXPECT_EQ(count_rounds(drifting(70), 0).rounds, 70U);
    EXPECT_EQ(count_rounds(drifting(70), 50).rounds, 50U);
    const TemporaryFolder folder;
    LearnSettings settings;
    settings.data = {folder.file("rows.csv", "a,y\n1,2\n2,3\n3,x\n4,5\n")};
    settings.step = "0.1";
    const RoundCount count = count_rounds(settings, 0);
    EXPECT_EQ(count.rounds, 2U);
    EXPECT_TRUE(count.error);
}

CompareOutcome made_up() {
    CompareOutcome outcome;
    outcome.numbers = true;
    const auto add = [&](const char* learner, Real loss) {
        CompareEntry entry;
        entry.learner = learner;
        entry.rounds = 10;
        entry.loss = entry.least_loss = entry.greatest_loss = loss;
        outcome.entries.push_back(std::move(entry));
    };
    add("time-smoothed", 1.012);
    add("a-name-that-is-longer-than-any-column:with=parameters,of=its,own=1", 2);
    add("rls:memory=inf", 1);
    return outcome;
}

TEST(CompareTable, FitsEightyColumnsAndMarksTheBest) {
    CompareOutcome outcome = made_up();
    for (const bool sampled : {false, true}) {
        for (const Index seeds : {1, 3}) {
            for (CompareEntry& entry : outcome.entries) {
                entry.seeds = seeds;
                entry.base_samples = sampled ? 123456 : 0;
                entry.record_gradients = 1234567;
                entry.mean_absolute_error = 1.2345e-7;
                entry.seconds = 1234.5;
            }
            std::istringstream lines(compare_table(outcome));
            int marked = 0;
            for (std::string line; std::getline(lines, line);) {
                EXPECT_LE(line.size(), 80U) << line;
                if (line.find('*') == std::string::npos) continue;
                ++marked;
                EXPECT_TRUE(line.starts_with("rls:memory=inf ")) << line;
            }
            EXPECT_EQ(marked, 1);
        }
    }
}

TEST(CompareTable, VerdictNamesTheDistance) {
    CompareOutcome outcome = made_up();
    EXPECT_EQ(compare_verdict(outcome, "the default"),
              "the default is 1.2 % above the best (rls:memory=inf)");
    outcome.entries[0].loss = 0.5;
    EXPECT_EQ(compare_verdict(outcome, "the default"),
              "the default is the best; the next (rls:memory=inf) is 100.0 % above it");
    outcome.entries[0].loss = 0;
    EXPECT_EQ(compare_verdict(outcome, "the default"), "the default is the best; the next is rls:memory=inf");
    outcome.entries[0].loss = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_EQ(compare_verdict(outcome, "the default"), "the default failed");
    outcome.entries.resize(1);
    EXPECT_EQ(compare_verdict(outcome, "the default"), "");
}

TEST(CompareTable, CsvHasFullDigits) {
    CompareOutcome outcome = made_up();
    outcome.entries[0].loss = 0.1 + 0.2;
    std::istringstream lines(compare_csv(outcome));
    std::string head, first, second;
    std::getline(lines, head);
    std::getline(lines, first);
    std::getline(lines, second);
    EXPECT_TRUE(head.starts_with("learner,candidates,seeds,rounds,refused,failed_round,loss,"));
    EXPECT_NE(first.find(",0.30000000000000004,"), std::string::npos) << first;
    EXPECT_TRUE(second.starts_with("\"a-name-that-is-longer-than-any-column:with=parameters,of=its,own=1\","))
        << second;
    EXPECT_EQ(std::count(first.begin(), first.end(), ','), std::count(head.begin(), head.end(), ','));
}

TEST(LossCurve, KeepsTheSumInFewBlocks) {
    LossCurve curve;
    constexpr Index kRounds = 5000;
    for (Index i = 0; i < kRounds; ++i) curve.add(1);
    EXPECT_LT(curve.sums().size(), LossCurve::kMostBlocks);
    EXPECT_GE(curve.sums().size(), LossCurve::kMostBlocks / 2 - 1);
    for (const Real sum : curve.sums()) EXPECT_EQ(sum, static_cast<Real>(curve.block()));
    EXPECT_EQ(curve.sums().size(), kRounds / curve.block());
}

}  // namespace
}  // namespace proxstream
