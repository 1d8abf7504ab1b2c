/// Certificates of weighted windows, models apart from their judges, two thresholds, penalised moves and
/// cheap updates: each inequality holds on naive runs and fails when its ingredient is falsified.
#include "proxstream/core/error.hpp"
#include "proxstream/regret/certificate.hpp"

#include "regret/naive_run.hpp"
#include "support/probe.hpp"

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::G;
using naive::Model;
using naive::Plan;
using naive::play;
using naive::Played;

std::vector<Real> random_weights(std::uint64_t seed, Index length) {
    std::vector<Real> a;
    Real sum = 0;
    for (std::uint32_t i = 0; i < length; ++i) a.push_back(0.1 + uniform({seed, 0, i, 9, 0}));
    for (const Real weight : a) sum += weight;
    for (Real& weight : a) weight *= 0.9 / sum;  // less than all the mass is allowed too
    return a;
}

std::vector<Real> weights_of(std::uint64_t seed) {
    switch (seed % 5) {
        case 0:
            return {};
        case 1:
            return naive::exponential(3, 8);
        case 2:
            return naive::triangle(5);
        case 3:
            return random_weights(seed, 1 + seed % 4);
        default:
            return {0.5, 0, 0, 0.5};  // season
    }
}

Plan plan_of(std::uint64_t seed) {
    Plan plan{.n = 1 + seed % 3, .w = 1 + seed % 6, .rounds = 45, .eta = 0.4, .delta = 0.25};
    plan.seed = seed;
    plan.weights = weights_of(seed);
    plan.model =
        std::array{Model::previous, Model::mean, Model::zero, Model::lag, Model::random}[seed / 5 % 5];
    plan.g = std::array{G::l1, G::box, G::zero}[seed / 2 % 3];
    plan.theta = std::array{1.0, 0.5, 0.8}[seed / 3 % 3];
    plan.kappa = seed % 4 == 0 ? 0.02 : 0;
    plan.varied_delta = seed % 7 == 0;
    plan.rule = seed % 2 == 0 ? StepRule::fixed : StepRule::backtracking;
    plan.lambda = seed % 6 < 4 ? 1 : 1.5;
    plan.first_step = seed % 8 < 4 ? 1 : 5;
    plan.cheap = seed % 9 == 0 ? 3 : 0;
    plan.jump = seed % 3 == 0;
    if (seed % 11 == 0) plan.max_steps = 2;
    if (seed % 13 == 0) plan.refused = {1, 6, 7};
    return plan;
}

/// What may be said of this run besides "holds".
bool allowed(const Played& run, const Certificate& result, const Inequality& each) {
    if (each.id == "C7c" && run.plan.kappa == 0) return each.verdict == Verdict::not_applicable;
    if (each.id == "C9" && run.plan.cheap == 0) return each.verdict == Verdict::not_applicable;
    if (each.id == "C7b" && run.plan.kappa > 0) return each.verdict == Verdict::not_promised;
    const bool budget = result.summary.budget_exhausted > 0;
    if ((each.id == "C1" || each.id == "C3c") && budget) return each.verdict == Verdict::not_promised;
    if (each.id == "C7a" && run.plan.cheap > 0 && each.verdict == Verdict::not_promised) return true;
    if (each.id == "C9" && result.summary.cheap_steps == 0) return each.verdict == Verdict::not_applicable;
    return kept(each.verdict);
}

TEST(WindowCertificate, HoldsOnRandomRunsOfEveryKind) {
    int hysteresis = 0, cheap = 0, jumps = 0, penalties = 0;
    for (std::uint64_t seed = 1; seed <= (long_runs() ? 30'000U : 1200U); ++seed) {
        const Played run = play(plan_of(seed));
        const Certificate result = run.live();
        for (const Inequality& each : result.inequalities) {
            EXPECT_LE(each.statement.size(), 46U) << each.statement;  // the width of its column
            ASSERT_TRUE(allowed(run, result, each)) << "seed " << seed << ", " << each.id << "\n"
                                                    << to_text(result);
        }
        hysteresis += result.at("C7b").statement.find("theta") != std::string::npos ? 1 : 0;
        cheap += result.summary.failed_confirmations > 0 ? 1 : 0;
        penalties += run.plan.kappa > 0 && result.at("C7c").left > 0 ? 1 : 0;
        for (const RoundReport& report : run.reports) jumps += report.jump > 0 ? 1 : 0;
    }
    EXPECT_GT(hysteresis, 200);
    EXPECT_GT(cheap, 50);
    EXPECT_GT(jumps, 50);
    EXPECT_GT(penalties, 100);
}

TEST(WindowCertificate, AgreesWithSumsByPointsAndByLosses) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const Played run = play(plan_of(seed));
        const Certificate result = run.live();
        const naive::Direct sums = naive::direct(run);
        const auto close = [&](Real value, long double reference) {
            const Real expected = static_cast<Real>(reference);
            EXPECT_NEAR(value, expected, 1e-11 * (1 + std::abs(expected))) << seed;
        };
        close(result.summary.regret, sums.regret);
        close(result.summary.variation, sums.variation);
        close(result.summary.energy, sums.energy);  // (1.2): regrouped by loss
        close(result.at("C5").left, sums.falls);
        close(result.at("C3a").right, sums.path_bound);
        const Real root =
            std::sqrt(static_cast<Real>(sums.exits)) + std::sqrt(static_cast<Real>(sums.changes));
        close(result.at("C3b").right, root * root);
        close(result.summary.path_length, sums.path_length);
    }
}

TEST(WindowCertificate, AForecastApartFromTheReferenceWindowLowersTheBound) {
    // Forecasting the next loss by the mean of the others instead of by the one that leaves (1.3).
    Plan plan{.n = 2, .w = 6, .rounds = 200};
    const Certificate previous = play(plan).live();
    plan.model = Model::mean;
    const Certificate mean = play(plan).live();
    EXPECT_LT(mean.at("C3b").right, previous.at("C3b").right);
    EXPECT_TRUE(previous.paper_claims[0].applicable);
    EXPECT_FALSE(mean.paper_claims[0].applicable);
    EXPECT_FALSE(mean.paper_claims[1].applicable);
}

TEST(WindowCertificate, TwoThresholdsBoundTheActiveRounds) {
    Plan plan{.n = 2, .w = 4, .rounds = 150, .delta = 0.4};
    plan.theta = 0.5;
    const Played run = play(plan);
    const Inequality bound = run.live().at("C7b");
    Real changes = 0;
    Real active = 0;
    for (const RoundReport& report : run.reports) {
        changes += report.forecast_change;
        active += report.status == RoundStatus::solved ? 1 : 0;
    }
    EXPECT_EQ(bound.left, active);
    EXPECT_NEAR(bound.right, 1 + changes / (0.5 * 0.1), 1e-9);
    EXPECT_GT(active, 10);
    EXPECT_TRUE(kept(bound.verdict));
    // Solving to theta rho is what C1 asks, and what C6 counts against.
    const Certificate result = run.live();
    const Real gamma = 0.4 * (1 - 0.4 * 1.5 / 2);
    EXPECT_NEAR(result.at("C6").right, result.summary.energy / (gamma * 0.05 * 0.05),
                1e-9 * result.at("C6").right);

    plan.varied_delta = true;
    const Played varied = play(plan);
    Real weighted = 0;
    for (const RoundReport& report : varied.reports)
        weighted += static_cast<Real>(report.steps) * gamma * report.target_gap * report.target_gap;
    EXPECT_NEAR(varied.live().at("C6").left, weighted, 1e-12);
    EXPECT_EQ(varied.live().at("C7b").statement.find("theta"), std::string::npos);

    plan.varied_delta = false;
    plan.theta = 1;
    const Inequality none = play(plan).live().at("C7b");
    EXPECT_TRUE(kept(none.verdict));
    EXPECT_NE(none.explanation.find("not bounded"), std::string::npos);
}

TEST(WindowCertificate, SummaryCountsMovesAndWork) {
    Plan plan{.n = 3, .w = 4, .rounds = 60};
    plan.kappa = 0.05;
    plan.cheap = 2;
    plan.eta = 0.1;
    const Played run = play(plan);
    const RunSummary summary = run.live().summary;
    Real one = 0;
    std::uint64_t changed = 0, cheap = 0, confirmations = 0;
    Round active = 0;
    for (const RoundReport& report : run.reports) {
        one += report.movement_one;
        changed += report.changed;
        cheap += report.cheap_steps;
        confirmations += report.confirmations;
        active += report.status == RoundStatus::quiet ? 0 : 1;
    }
    EXPECT_NEAR(summary.movement_one, one, 1e-12);
    EXPECT_EQ(summary.changed, changed);
    EXPECT_EQ(summary.cheap_steps, cheap);
    EXPECT_EQ(summary.confirmations, confirmations);
    EXPECT_EQ(summary.active, active);
    EXPECT_GT(cheap, 0U);
    EXPECT_LT(changed, 3 * active);  // the penalty keeps coordinates where they are
}

// --- what must be found out ---

/// The first row with this status at or after `from`.
RoundReport& row_with(Played& run, RoundStatus status, Index from = 5) {
    while (run.reports[from].status != status) ++from;
    return run.reports[from];
}

Plan usual_plan() {
    Plan plan{.n = 2, .w = 4, .rounds = 60};
    plan.weights = naive::exponential(3, 6);
    plan.model = Model::mean;
    plan.theta = 0.7;
    return plan;
}

Verdict verdict(const Played& run, const char* id) {
    return run.live().at(id).verdict;
}

TEST(FalsifiedCertificate, ExitTests) {
    Played run = play(usual_plan());
    row_with(run, RoundStatus::quiet).forecast_gap *= 1e3;
    EXPECT_EQ(verdict(run, "C1"), Verdict::violated);
    run = play(usual_plan());
    RoundReport& solved = row_with(run, RoundStatus::solved);
    solved.tested_gap =
        (solved.target_gap + solved.tolerance) / 2;  // below the tolerance, above the target gap
    EXPECT_EQ(verdict(run, "C1"), Verdict::violated);
    run = play(usual_plan());
    RoundReport& off_target = row_with(run, RoundStatus::solved);
    off_target.target_gap = off_target.tolerance;
    EXPECT_EQ(verdict(run, "C1"), Verdict::violated);
    EXPECT_NE(run.live().at("C1").explanation.find("theta rho"), std::string::npos);

    Plan sticky = usual_plan();
    sticky.kappa = 0.02;
    run = play(sticky);
    row_with(run, RoundStatus::solved).exit_gap += 2 * run.header.switching_push();
    EXPECT_EQ(verdict(run, "C1"), Verdict::violated);
}

TEST(FalsifiedCertificate, GapsAndVariation) {
    Played run = play(usual_plan());
    run.reports[9].firm_bound = 0.5 * run.reports[9].entry_gap;
    EXPECT_EQ(verdict(run, "C2"), Verdict::violated);
    run = play(usual_plan());
    for (RoundReport& report : run.reports) report.entry_gap *= 3;
    EXPECT_EQ(verdict(run, "C3a"), Verdict::violated);
    EXPECT_EQ(verdict(run, "C3c"), Verdict::violated);
    run = play(usual_plan());
    for (RoundReport& report : run.reports) report.variation = 0;
    EXPECT_EQ(verdict(run, "C3a"), Verdict::violated);
    run = play(usual_plan());
    run.header.effective_length *= 100;  // |v_t| = d_t / w_a
    EXPECT_EQ(verdict(run, "C3a"), Verdict::violated);
}

TEST(FalsifiedCertificate, EnergyAndItsIdentity) {
    for (const auto spoil : {+[](Played& run) { run.reports[20].value_change += 1e-7; },
                             +[](Played& run) { run.footer.final_weights[1] *= 1 + 1e-6; },
                             +[](Played& run) { run.footer.final_losses[1] += 1e-6; },
                             +[](Played& run) { run.footer.final_regulariser -= 1e-7; },
                             +[](Played& run) { run.reports[3].objective_exit += 1e-7; }}) {
        Played run = play(usual_plan());
        spoil(run);
        EXPECT_EQ(verdict(run, "C5"), Verdict::violated);
    }
    // The last drop a_{W-1} -> 0, forgotten: the outgoing loss is not refunded.
    Plan plan = usual_plan();
    plan.model = Model::previous;
    Played run = play(plan);
    const Real last = plan.weights.back();
    for (Index row = plan.weights.size(); row < run.reports.size(); ++row)
        run.reports[row].value_change += last * run.reports[row].outgoing_loss;
    EXPECT_EQ(verdict(run, "C5"), Verdict::violated);
}

TEST(FalsifiedCertificate, DecreaseCountAndPath) {
    Plan plan = usual_plan();
    plan.kappa = 0.02;
    plan.delta = 0.05;
    ASSERT_TRUE(play(plan).live().sound()) << to_text(play(plan).live());
    Played run = play(plan);
    RoundReport& moved = row_with(run, RoundStatus::solved);
    moved.penalty += moved.objective_entry - moved.objective_exit;
    EXPECT_EQ(verdict(run, "C4"), Verdict::violated);
    EXPECT_EQ(verdict(run, "C7c"), Verdict::violated);  // not kappa times the move
    EXPECT_NE(run.live().at("C7c").explanation.find("another penalty"), std::string::npos);

    run = play(plan);
    run.header.switching *= 1e4;
    for (RoundReport& report : run.reports) report.penalty *= 1e4;
    EXPECT_EQ(verdict(run, "C7c"), Verdict::violated);

    run = play(plan);
    for (RoundReport& report : run.reports) {
        report.steps *= 1000;
        run.footer.totals.steps += report.steps - report.steps / 1000;
    }
    EXPECT_EQ(verdict(run, "C6"), Verdict::violated) << to_text(run.live());

    run = play(plan);
    row_with(run, RoundStatus::solved).path *= 1e3;
    EXPECT_EQ(verdict(run, "C7a"), Verdict::violated);
    run = play(plan);
    row_with(run, RoundStatus::solved).path = 0;
    EXPECT_EQ(verdict(run, "C7a"), Verdict::violated);
    EXPECT_NE(run.live().at("C7a").explanation.find("further than their path"), std::string::npos);
}

TEST(FalsifiedCertificate, ChangesBetweenActiveRounds) {
    Played run = play(usual_plan());
    ASSERT_TRUE(kept(verdict(run, "C7b")));
    for (RoundReport& report : run.reports) report.forecast_change *= 0.01;
    EXPECT_EQ(verdict(run, "C7b"), Verdict::violated);
    EXPECT_NE(run.live().at("C7b").explanation.find("had not changed enough"), std::string::npos);
    // One round that works for nothing is enough.
    run = play(usual_plan());
    Index row = 20;
    while (run.reports[row - 1].status != RoundStatus::solved ||
           run.reports[row].status == RoundStatus::quiet)
        ++row;
    run.reports[row].forecast_change = 0;
    EXPECT_EQ(verdict(run, "C7b"), Verdict::violated) << to_text(run.live());
    EXPECT_EQ(run.live().at("C7b").round, run.reports[row].round);
}

TEST(FalsifiedCertificate, Confirmations) {
    Plan plan = usual_plan();
    plan.cheap = 2;
    plan.eta = 0.1;
    plan.smoothness = 1.5;
    Played run = play(plan);
    ASSERT_TRUE(kept(verdict(run, "C9")));
    ASSERT_GT(run.live().at("C9").left, 0);
    RoundReport& unconfirmed = row_with(run, RoundStatus::solved);
    unconfirmed.confirmations = unconfirmed.failed_confirmations = 0;
    EXPECT_EQ(verdict(run, "C9"), Verdict::violated);
    EXPECT_NE(run.live().at("C9").explanation.find("no exact test"), std::string::npos);

    run = play(plan);
    RoundReport& unpaid = row_with(run, RoundStatus::solved);
    unpaid.failed_confirmations = unpaid.steps + 1;
    unpaid.confirmations = unpaid.steps + 2;
    EXPECT_EQ(verdict(run, "C9"), Verdict::violated);

    run = play(plan);
    for (RoundReport& report : run.reports) {
        const std::uint64_t more = 2000 * report.steps;
        report.steps += more;
        run.footer.totals.steps += more;
        report.failed_confirmations = report.steps;
        report.confirmations = report.steps + 1;
    }
    EXPECT_EQ(verdict(run, "C9"), Verdict::violated) << to_text(run.live());
    run.reports[0].failed_confirmations = run.reports[0].confirmations + 1;
    EXPECT_THROW(run.live(), DataError);
}

}  // namespace
}  // namespace proxstream
