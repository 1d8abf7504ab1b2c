// Rounding counts against what a certificate claims, and the referee computes it from figures in the row.

#include "regret/rounding.hpp"

#include "proxstream/regret/certify.hpp"

#include "core/json.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/naive_run.hpp"
#include "regret/temporary_file.hpp"
#include "regret/worst_round.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::Plan;
using naive::play;
using naive::Played;

Verdict decide(Real left, Real right, Real slack) {
    return Inequality{.id = "", .statement = "", .left = left, .right = right, .slack = slack}.decide(right);
}

TEST(Verdict, CountsTheSlackAgainstTheClaim) {
    EXPECT_EQ(decide(1, 2, 0.5), Verdict::holds);
    EXPECT_EQ(decide(1, 1.5, 0.5), Verdict::holds);
    EXPECT_EQ(decide(1, 1, 1e-9), Verdict::holds_to_rounding);
    EXPECT_EQ(decide(1 + 1e-9, 1, 2e-9), Verdict::holds_to_rounding);
    EXPECT_EQ(decide(1, 1.4, 0.5), Verdict::undecided);
    EXPECT_EQ(decide(1.4, 1, 0.5), Verdict::undecided);
    EXPECT_EQ(decide(0, 1.25e-4, 197), Verdict::undecided);
    EXPECT_EQ(decide(0, 0, 1e-30), Verdict::undecided);
    EXPECT_EQ(decide(0, 0, 0), Verdict::holds);
    EXPECT_EQ(decide(1.6, 1, 0.5), Verdict::violated);
}

TEST(Verdict, OfAnIdentityNeedsAgreement) {
    Inequality identity{.id = "", .statement = "", .left = 1, .right = 1 + 1e-9, .slack = 1e-8};
    identity.identity = true;
    EXPECT_EQ(identity.decide(1), Verdict::holds_to_rounding);
    EXPECT_EQ(identity.decide(1e-5), Verdict::undecided);
    identity.left = 0.9;
    EXPECT_EQ(identity.decide(1), Verdict::violated);
}

TEST(Verdict, OfABrokenProbabilityIsMissed) {
    Inequality likely{.id = "", .statement = "", .left = 2, .right = 1, .slack = 0};
    likely.confidence = 0.95;
    EXPECT_EQ(likely.decide(1), Verdict::missed);
}

TEST(WorstRound, ShowsTheLargestHiddenSlackUnlessSomethingIsBroken) {
    WorstRound worst;
    worst.observe(1, 0.5, 1, 1e-12);
    EXPECT_EQ(worst.round, 1U);
    worst.observe(2, 1, 1, 1e-12);
    worst.observe(3, 10, 10, 1e-9);
    worst.observe(4, 0.9999, 1, 1e-12);
    EXPECT_EQ(worst.round, 3U);
    EXPECT_EQ(worst.close, 2U);
    EXPECT_EQ(worst.unclear, 0U);
    worst.observe(5, 1e-9, 1e-9, 1e-10);
    EXPECT_EQ(worst.unclear, 1U);
    worst.observe(6, 1.1, 1, 1e-12);
    EXPECT_EQ(worst.round, 6U);
    EXPECT_EQ(worst.violations, 1U);
    EXPECT_EQ(worst.largest_right, 10);
}

/// A learner that stands at x = 1e12, where a soft threshold of 1e-5 is lost in x - eta g: every figure it
/// reports is 0, and its true stationarity gap is 0.01.
Certificate lost_threshold() {
    RunHeader header;
    header.dimension = 1;
    header.window = 8;
    header.window_text = "8";
    header.effective_length = 8;
    header.reference_step = 1e-3;
    header.step_rule = StepRule::fixed;
    header.exit_test = true;
    header.initial_objective = 1e10;
    Tally tally(header);
    for (Round t = 1; t <= 50; ++t) {
        RoundReport report;
        report.round = t;
        report.status = RoundStatus::quiet;
        report.tolerance = report.target_gap = 1.25e-4;
        report.regulariser = report.objective_entry = report.objective_exit = 1e10;
        report.point_norm = 1e12;
        tally.add(report);
    }
    const Closing closing{1e10, std::vector<Real>(8, 0), std::vector<Real>(8, 0.125), {}};
    return tally.certificate(tally.footer(closing, RunEnding::finished, 0));
}

TEST(Rounding, HidesAStationarityGapWithoutCertifyingIt) {
    const Certificate result = lost_threshold();
    EXPECT_TRUE(result.sound());
    EXPECT_EQ(result.at("C1").verdict, Verdict::not_promised);
    EXPECT_NE(result.at("C1").explanation.find("rounding may exceed the tolerance"), std::string::npos);
    EXPECT_EQ(result.at("C2").verdict, Verdict::undecided);
    EXPECT_EQ(result.at("C3a").verdict, Verdict::undecided);
    EXPECT_EQ(result.at("C3c").verdict, Verdict::not_promised);
    EXPECT_GE(result.summary.regret_bound, 50 * 0.01 * 0.01);
    const std::string words = conclusion(result);
    EXPECT_NE(words.find("0 as measured, with rounding"), std::string::npos) << words;
    EXPECT_EQ(words.find("the local regret over 50 rounds is 0"), std::string::npos) << words;
}

/// Quiet rounds in which every gap and gradient has this size, after a move that has it too.
Certificate rounds_of_size(Real size) {
    RunHeader header;
    header.dimension = 2;
    header.window = 8;
    header.window_text = "8";
    header.effective_length = 8;
    header.reference_step = 1;
    header.step_rule = StepRule::backtracking;
    header.exit_test = true;
    header.initial_gap = size;
    Tally tally(header);
    for (Round t = 1; t <= 20; ++t) {
        RoundReport report;
        report.round = t;
        report.status = RoundStatus::quiet;
        report.tolerance = report.target_gap = 2 * size;
        report.entry_gap = report.forecast_gap = report.tested_gap = report.exit_gap = size;
        report.firm_bound = report.gradient_norm = size;
        if (t == 1 && size < 1) report.movement = size;  // the square of its length is 0, and so is its path
        tally.add(report);
    }
    const Closing closing{0, std::vector<Real>(8, 0), std::vector<Real>(8, 0.125), {}};
    return tally.certificate(tally.footer(closing, RunEnding::finished, 0));
}

TEST(Rounding, ProvesNothingOfSquaresThatUnderflow) {
    EXPECT_EQ(rounds_of_size(1).at("C3a").verdict, Verdict::holds_to_rounding);
    EXPECT_EQ(rounds_of_size(0).at("C3a").verdict, Verdict::holds);
    for (const Real size : {1e-165, 1e-200, 1e-300}) {
        const Certificate result = rounds_of_size(size);
        EXPECT_TRUE(result.sound()) << size << ": " << conclusion(result);
        EXPECT_EQ(result.at("C1").verdict, Verdict::not_promised) << size;
        EXPECT_EQ(conclusion(result), "Nothing was proved: the figures leave the range of double precision.")
            << size;
    }
}

/// The ledger of an honest run, each row changed and everything sealed again.
Certificate resealed(const std::function<void(RunHeader&)>& header,
                     const std::function<void(RoundReport&)>& row, StepRule rule = StepRule::fixed) {
    Plan plan{.n = 2, .w = 4, .rounds = 60, .delta = 0.2};
    plan.rule = rule;
    Played run = play(plan);
    header(run.header);
    for (RoundReport& report : run.reports) row(report);
    RunTotals totals;
    for (const RoundReport& report : run.reports) totals.steps += report.steps;
    run.footer.totals.steps = totals.steps;
    TemporaryFile file;
    LedgerWriter writer(file.name(), run.header);
    for (const RoundReport& report : run.reports) writer.write(report);
    writer.finish(run.footer);
    return certify(file.name());
}

void nothing(RunHeader& /*header*/) {}
void same(RoundReport& /*report*/) {}

TEST(Rounding, SizesThatAreTooLargeProveNothing) {
    ASSERT_TRUE(resealed(nothing, same).sound());
    ASSERT_EQ(resealed(nothing, same).at("C3a").verdict, Verdict::holds);
    // A regret of 25 a round under a bound of less than 1, with sizes that would excuse it.
    const Certificate lie = resealed(nothing, [](RoundReport& report) {
        report.entry_gap = report.forecast_gap = 5;
        report.point_norm = 1e14;
        report.gradient_norm = 1e14;
    });
    for (const char* id : {"C1", "C2", "C3a", "C3c", "C4", "C6", "C7a"})
        EXPECT_FALSE(kept(lie.at(id).verdict)) << id << '\n' << to_text(lie);
    EXPECT_GE(lie.summary.regret_bound, 60 * 25);
}

TEST(Consistency, FindsRowsThatContradictThemselves) {
    ASSERT_TRUE(kept(resealed(nothing, same).at("C0").verdict));
    const auto found = [](const char* keys, const std::function<void(RoundReport&)>& lie) {
        const Certificate result = resealed(nothing, lie);
        EXPECT_FALSE(result.sound()) << keys;
        EXPECT_EQ(result.at("C0").verdict, Verdict::violated) << keys;
        EXPECT_NE(result.at("C0").explanation.find(keys), std::string::npos)
            << keys << ": " << result.at("C0").explanation;
    };
    found("R, Rq", [](RoundReport& report) { report.entry_gap = 0; });
    found("R, Rq", [](RoundReport& report) { report.entry_gap /= 2; });
    found("R, d", [](RoundReport& report) { report.entry_gap = report.forecast_gap = 0; });
    found("Rq, u", [](RoundReport& report) { report.forecast_gap += 10; });
    found("path, N, P2", [](RoundReport& report) { report.steps /= 2; });
    found("x, f, fo", [](RoundReport& report) { report.loss /= 2; });
    found("Pe, x", [](RoundReport& report) { report.value_change += 1e-6; });
    found("nx, mv", [](RoundReport& report) { report.point_norm *= report.round % 2 == 0 ? 1 : 1.5; });
}

TEST(Consistency, FindsRoundsThatWereExchanged) {
    Played run = play({.n = 2, .w = 4, .rounds = 60, .delta = 0.2});
    std::swap(run.reports[49], run.reports[50]);
    std::swap(run.reports[49].round, run.reports[50].round);
    EXPECT_EQ(run.live().at("C0").verdict, Verdict::violated) << to_text(run.live());
}

TEST(Consistency, AnotherEtaIsNotThatOfTheSteps) {
    const Certificate result = resealed([](RunHeader& header) { header.reference_step *= 10; }, same);
    EXPECT_EQ(result.at("C4").verdict, Verdict::violated) << to_text(result);
    EXPECT_NE(result.at("C4").explanation.find("other steps than the declared eta"), std::string::npos);
}

TEST(Rounding, GrowsWithTheRoundsSinceTheLastPass) {
    RunHeader header;
    header.dimension = 1;
    header.window = 1000;
    header.effective_length = 1000;
    RoundingBounds bounds(header);
    RoundReport report;
    report.gradient_norm = 1;
    bounds.judge(report);
    const Real first = report.gap_rounding;
    EXPECT_GT(first, 0);
    for (int i = 0; i < 500; ++i) bounds.judge(report);
    EXPECT_GT(report.gap_rounding, 3 * first);
    report.cost.passes = 1;  // a quiet round that was confirmed by a pass
    bounds.judge(report);
    report.cost.passes = 0;
    bounds.judge(report);
    EXPECT_LT(report.gap_rounding, 1.1 * first);
}

TEST(Rounding, KeepsLargeSizesWhileTheirLossIsInTheWindow) {
    RunHeader header;
    header.dimension = 1;
    header.window = 5;
    header.effective_length = 5;
    RoundingBounds bounds(header);
    const auto after = [&](Real gradient) {
        RoundReport report;
        report.gradient_norm = gradient;
        report.status = RoundStatus::solved;
        report.steps = 1;
        report.smallest_step = 1;
        bounds.judge(report);
        return report.gap_rounding;
    };
    const Real large = after(1e6);
    for (int i = 0; i < 5; ++i) EXPECT_GT(after(1), large / 2) << i;
    for (int i = 0; i < 5; ++i) after(1);
    EXPECT_LT(after(1), large / 1e3);
}

TEST(Rounding, OfAProxWithConstantsIsPartOfTheBound) {
    RunHeader header;
    header.dimension = 1;
    header.reference_step = 1e-12;
    RoundReport report;
    RoundingBounds plain(header);
    plain.judge(report);
    EXPECT_EQ(report.gap_rounding, 0);
    header.prox_scale = 2;
    RoundingBounds shifted(header);
    shifted.judge(report);
    EXPECT_GT(report.gap_rounding, 2 / 1e-12 * 0x1p-44);
}

}  // namespace
}  // namespace proxstream
