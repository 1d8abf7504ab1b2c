#include "proxstream/regret/certificate.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "regret/certificate_text.hpp"
#include "regret/naive_run.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::direct;
using naive::G;
using naive::Plan;
using naive::play;
using naive::Played;

void expect_close(Real value, long double reference, const char* what) {
    const Real expected = static_cast<Real>(reference);
    EXPECT_NEAR(value, expected, 1e-10 * (1 + std::abs(expected))) << what;
}

std::string all(const Certificate& certificate) {
    return to_text(certificate);
}

TEST(CompensatedSum, IsMoreAccurateThanPlainAddition) {
    CompensatedSum sum;
    Real plain = 0;
    for (int i = 0; i < 1000; ++i) {
        for (const Real term : {1e16, 1.0, -1e16}) {
            sum.add(term);
            plain += term;
        }
    }
    EXPECT_EQ(sum.value(), 1000);
    EXPECT_NE(plain, 1000);
}

void expect_direct_formulas(const Plan& plan) {
    const Played run = play(plan);
    const Certificate result = run.live();
    const naive::Direct sums = direct(run);
    expect_close(result.summary.regret, sums.regret, "regret");
    expect_close(result.summary.variation, sums.variation, "variation");
    expect_close(result.summary.energy, sums.energy, "energy");
    expect_close(result.summary.path_length, sums.path_length, "path length");
    expect_close(result.at("C5").left, sums.falls, "falls");
    expect_close(result.at("C5").right, sums.energy, "energy by losses");
    EXPECT_TRUE(kept(result.at("C5").verdict)) << all(result);
    EXPECT_TRUE(result.sound()) << all(result);
    EXPECT_EQ(result.summary.totals.rounds, plan.rounds);
    if (plan.rounds == 0) {
        EXPECT_EQ(result.at("C3a").verdict, Verdict::not_applicable);
        return;
    }
    expect_close(result.at("C3a").right, sums.path_bound, "path bound");
    const Real root = std::sqrt(static_cast<Real>(sums.exits)) + std::sqrt(static_cast<Real>(sums.changes));
    expect_close(result.at("C3b").right, root * root, "Minkowski");
    for (const Inequality& each : result.inequalities) {
        const bool absent = each.id == "C7c" || each.id == "C9";
        EXPECT_TRUE(absent ? each.verdict == Verdict::not_applicable : kept(each.verdict))
            << each.id << all(result);
    }
    EXPECT_LE(result.at("C3a").slack, 1e-10 * (1 + result.at("C3a").right));
    if (plan.w == 1) {
        EXPECT_EQ(result.summary.other_windows[0].regret, result.summary.regret);
    }
}

TEST(Certificate, AgreesWithDirectFormulas) {
    std::uint64_t runs = 0;
    for (const Index w : {1, 3, 8}) {
        for (const Index n : {1, 2}) {
            for (const G g : {G::l1, G::box}) {
                for (const Round rounds : {0, 1, 2, 5, 60}) {
                    for (const bool varied : {false, true}) {
                        Plan plan{.n = n, .w = w, .rounds = rounds, .varied_delta = varied, .g = g};
                        plan.also = {1, 4};
                        plan.seed = ++runs;
                        expect_direct_formulas(plan);
                    }
                }
            }
        }
    }
}

TEST(Certificate, APrioriBoundUsesTheToleranceAndTheFirstGap) {
    Plan plan{.w = 3, .rounds = 50, .delta = 0.3};
    const Played run = play(plan);
    const Certificate result = run.live();
    const Real root =
        std::sqrt(49 * 0.01 + std::pow(run.header.initial_gap, 2)) + std::sqrt(result.summary.variation) / 3;
    EXPECT_NEAR(result.at("C3c").right, root * root, 1e-10);
    EXPECT_GT(run.header.initial_gap, 0.29);
}

TEST(Certificate, CountsUpdatesAgainstTheEnergy) {
    Plan plan{.w = 3, .rounds = 80, .delta = 0.2};
    const Certificate fixed = play(plan).live();
    const Real rho = 0.2 / 3;
    const Real gamma = 0.4 * (1 - 0.4 * 1.5 / 2);
    EXPECT_EQ(fixed.at("C6").left, static_cast<Real>(fixed.summary.totals.steps));
    EXPECT_GT(fixed.summary.totals.steps, 20U);
    EXPECT_NEAR(fixed.at("C6").right, fixed.summary.energy / (gamma * rho * rho),
                1e-9 * fixed.at("C6").right);

    for (const Real lambda : {0.7, 1.0, 1.6}) {
        for (const Real first : {0.3, 1.0, 6.0}) {
            plan.rule = StepRule::backtracking;
            plan.lambda = lambda;
            plan.first_step = first;
            const Played run = play(plan);
            const Certificate result = run.live();
            EXPECT_TRUE(kept(result.at("C4").verdict)) << all(result);
            EXPECT_TRUE(kept(result.at("C6").verdict)) << all(result);
            Real smallest = kInfinity, largest = 0;
            for (const RoundReport& report : run.reports) {
                if (report.steps == 0) continue;
                smallest = std::min(smallest, report.smallest_step);
                largest = std::max(largest, report.largest_step);
            }
            const Real eta = plan.eta;
            const Real worth = lambda <= 1
                                   ? std::min(eta, smallest) / 2
                                   : (1 - lambda / 2) * std::min(std::min(smallest, eta * eta / smallest),
                                                                 std::min(largest, eta * eta / largest));
            EXPECT_NEAR(result.at("C6").right, result.summary.energy / (worth * rho * rho),
                        1e-9 * result.at("C6").right);
        }
    }
    plan.varied_delta = true;
    const Played varied = play(plan);
    Real weighted = 0;
    for (const RoundReport& report : varied.reports) {
        if (report.steps == 0) continue;
        const auto worth = [&](Real e) { return e <= plan.eta ? e : plan.eta * plan.eta / e; };
        weighted += static_cast<Real>(report.steps) * (1 - plan.lambda / 2) *
                    std::min(worth(report.smallest_step), worth(report.largest_step)) * report.tolerance *
                    report.tolerance;
    }
    EXPECT_NEAR(varied.live().at("C6").left, weighted, 1e-12);
    EXPECT_EQ(varied.live().at("C6").right, varied.live().summary.energy);
}

TEST(Certificate, TheFirstGapIsACounterexampleToThePaper) {
    // f = 0, g = |x|, x_1 = 5: the regret is 1, and the paper's bound forgets it.
    Plan plan{.n = 1, .w = 10, .rounds = 10, .eta = 1, .delta = 0.01, .g = G::l1, .mu = 1};
    plan.silent_losses = true;
    plan.start = 5;
    plan.smoothness = 0.0;
    const Certificate result = play(plan).live();
    EXPECT_DOUBLE_EQ(result.summary.regret, 1);
    const PaperClaim& claim = result.paper_claims.at(0);
    EXPECT_NEAR(claim.right, 2e-5, 1e-18);
    EXPECT_TRUE(claim.applicable);
    EXPECT_FALSE(claim.satisfied);
    EXPECT_TRUE(kept(result.at("C3c").verdict));
    EXPECT_NEAR(result.at("C3a").right, 1, 1e-12);
    EXPECT_TRUE(result.sound());
    EXPECT_NE(all(result).find("FAILS"), std::string::npos);
}

TEST(Certificate, AlternatingLossesBreakThePapersCount) {
    // Linear losses of alternating sign on [-1, 1] with w odd: every round walks from end to end.
    Plan plan{.n = 1, .w = 5, .rounds = 400, .eta = 0.1, .delta = 0.9, .g = G::box};
    plan.smoothness = 0.0;
    Played run = play(plan);
    // The naive run draws cosine losses, so the alternating ones are put in by hand: reports of exact
    // figures.
    run.reports.clear();
    run.also.clear();
    Real x = 1, previous_slope = 0;
    RunTotals totals;
    const auto sign = [](Round t) { return t % 2 == 0 ? Real{1} : Real{-1}; };
    const auto gap = [](Real at, Real slope) { return (at - std::clamp(at - 0.1 * slope, -1.0, 1.0)) / 0.1; };
    run.header.initial_gap = 0;
    for (Round t = 1; t <= 400; ++t) {
        RoundReport report;
        report.round = t;
        const Real v = sign(t) - (t > 5 ? sign(t - 5) : 0);
        const Real slope = previous_slope + v / 5;
        report.tolerance = report.target_gap = 0.18;
        report.entry_gap = report.forecast_gap = std::abs(gap(x, slope));
        report.forecast_change = std::abs(v) / 5;
        report.variation = std::abs(v);
        report.firm_bound = std::abs(gap(x, previous_slope) + v / 10) + std::abs(v) / 10;
        report.loss = sign(t) * x;
        report.outgoing_loss = t > 5 ? sign(t - 5) * x : 0;
        report.value_change = v * x / 5;
        report.objective_entry = slope * x;
        report.point_norm = std::abs(x);
        report.gradient_norm = 1;
        const Real start = x;
        while (std::abs(gap(x, slope)) > report.tolerance) {
            const Real p = gap(x, slope);
            x -= 0.1 * p;
            report.path += 0.1 * std::abs(p);
            report.squared_gaps += p * p;
            report.smallest_step = report.largest_step = 0.1;
            ++report.steps;
        }
        report.status = report.steps == 0 ? RoundStatus::quiet : RoundStatus::solved;
        report.exit_gap = report.tested_gap = std::abs(gap(x, slope));
        report.objective_exit = slope * x;
        report.movement = report.movement_one = std::abs(x - start);
        totals.steps += report.steps;
        ++totals.rounds;
        run.reports.push_back(report);
        run.also.emplace_back();
        previous_slope = slope;
    }
    run.footer.totals = totals;
    run.footer.final_losses.clear();
    run.footer.final_weights.assign(5, 0.2);
    for (Round t = 396; t <= 400; ++t) run.footer.final_losses.push_back(sign(t) * x);
    const Certificate result = run.live();
    EXPECT_TRUE(result.sound()) << all(result);
    EXPECT_TRUE(kept(result.at("C6").verdict));
    EXPECT_GT(result.at("C6").ratio(), 0.75);
    EXPECT_GT(result.summary.totals.steps, 390U * 95);
    const PaperClaim& claim = result.paper_claims.at(1);
    EXPECT_TRUE(claim.applicable);
    EXPECT_FALSE(claim.satisfied);
    EXPECT_GT(claim.left, 50 * claim.right);
    // The paper's window begins empty: its claim does not cover one that begins filled.
    run.header.initial_records = 3;
    for (const PaperClaim& other : run.live().paper_claims) EXPECT_FALSE(other.applicable) << other.id;
}

TEST(Certificate, NamesAnLThatIsTooSmall) {
    Plan plan{.n = 2, .w = 1, .rounds = 12, .eta = 0.4, .delta = 0.05, .g = G::zero};
    plan.curvature = 2;
    plan.smoothness = 0.5;
    const Certificate result = play(plan).live();
    const Inequality& decrease = result.at("C4");
    EXPECT_EQ(decrease.verdict, Verdict::violated) << all(result);
    EXPECT_NE(decrease.explanation.find("L too small: at least 2"), std::string::npos)
        << decrease.explanation;
    EXPECT_TRUE(kept(result.at("C2").verdict));
    EXPECT_FALSE(result.sound());
    // A hair below the true L is still a violation; the true L is not.
    plan.smoothness = 2 - 1e-6;
    EXPECT_EQ(play(plan).live().at("C4").verdict, Verdict::violated);
    plan.smoothness = 2 + 1e-9;
    EXPECT_TRUE(kept(play(plan).live().at("C4").verdict));
}

TEST(Certificate, WithoutDeclaredSmoothnessEtaClaimsIt) {
    Plan plan{.n = 1, .w = 1, .rounds = 12, .eta = 0.4, .delta = 0.05, .g = G::zero};
    plan.smoothness.reset();
    plan.curvature = 2;  // below 1/eta = 2.5
    EXPECT_TRUE(kept(play(plan).live().at("C4").verdict));
    plan.curvature = 4;  // above it
    const Certificate result = play(plan).live();
    EXPECT_NE(result.at("C4").explanation.find("L too small: at least 4"), std::string::npos) << all(result);
    plan.smoothness = 6;  // eta L >= 2: nothing is promised
    EXPECT_EQ(play(plan).live().at("C4").verdict, Verdict::not_promised);
    EXPECT_EQ(play(plan).live().at("C6").verdict, Verdict::not_promised);
}

TEST(Certificate, NamesAnInconsistentProx) {
    for (const G g : {G::l1, G::box}) {
        Plan plan{.n = 2, .w = 3, .rounds = 30, .g = g};
        plan.broken_prox = true;
        plan.max_steps = 3;
        plan.start = 0.3;
        const Certificate result = play(plan).live();
        EXPECT_EQ(result.at("C2").verdict, Verdict::violated) << all(result);
        EXPECT_NE(result.at("C2").explanation.find("prox or gradient inconsistent"), std::string::npos);
        EXPECT_NE(result.at("C2").explanation.find("first in round"), std::string::npos);
        EXPECT_FALSE(result.sound());
    }
}

TEST(Certificate, NamesStepsAgainstTheRuleAndBadValues) {
    Played run = play({.rounds = 20});
    for (RoundReport& report : run.reports) report.largest_step *= 2;
    EXPECT_EQ(run.live().at("C4").verdict, Verdict::violated);

    Played values = play({.rounds = 20});
    values.reports[7].value_change += 1e-6;
    EXPECT_EQ(values.live().at("C5").verdict, Verdict::violated) << all(values.live());

    Plan plan{.rounds = 20};
    plan.rule = StepRule::backtracking;
    Played backtracked = play(plan);
    for (RoundReport& report : backtracked.reports) report.certified_decrease *= 3;
    EXPECT_NE(backtracked.live().at("C4").explanation.find("inconsistent values or gradients"),
              std::string::npos);

    Played exits = play({.rounds = 20});
    exits.reports[4].exit_gap = 2 * exits.reports[4].tolerance;
    exits.reports[9].exit_gap = 3 * exits.reports[9].tolerance;
    EXPECT_EQ(exits.live().at("C1").verdict, Verdict::violated);
    EXPECT_NE(exits.live().at("C1").explanation.find("2 rounds"), std::string::npos);
    EXPECT_NE(exits.live().at("C1").explanation.find("first round 5"), std::string::npos);
    EXPECT_EQ(exits.live().at("C1").round, 10U);
}

TEST(Certificate, BudgetsAreCountedAndTheReachedGapIsUsed) {
    Plan plan{.n = 2, .w = 3, .rounds = 40, .eta = 0.05, .delta = 0.02};
    plan.max_steps = 2;
    const Played run = play(plan);
    const Certificate result = run.live();
    EXPECT_GT(result.summary.budget_exhausted, 5U);
    EXPECT_EQ(result.at("C1").verdict, Verdict::not_promised);
    EXPECT_NE(result.at("C1").explanation.find(std::to_string(result.summary.budget_exhausted) + " rounds"),
              std::string::npos);
    EXPECT_EQ(result.at("C3c").verdict, Verdict::not_promised);
    for (const char* id : {"C2", "C3a", "C3b", "C4", "C5", "C6"}) {
        EXPECT_TRUE(kept(result.at(id).verdict)) << id;
    }
    expect_close(result.at("C3a").right, direct(run).path_bound, "path bound");
    EXPECT_TRUE(result.sound());
}

TEST(Certificate, RefusedRoundsEnterNoSum) {
    Plan plan{.n = 2, .w = 3, .rounds = 30};
    plan.refused = {1, 2, 9, 10, 30};
    const Played run = play(plan);
    const Certificate result = run.live();
    EXPECT_EQ(result.summary.totals.rounds, 25U);
    EXPECT_EQ(result.summary.totals.refused, 5U);
    expect_close(result.summary.regret, direct(run).regret, "regret");
    expect_close(result.summary.energy, direct(run).energy, "energy");
    EXPECT_TRUE(result.sound()) << all(result);
    EXPECT_TRUE(kept(result.at("C5").verdict));
}

TEST(Certificate, BaselinesAreMeasuredWithoutPromises) {
    Played run = play({.n = 2, .w = 3, .rounds = 30});
    run.header.step_rule = StepRule::none;
    run.header.exit_test = false;
    for (RoundReport& report : run.reports) {
        report.status = RoundStatus::moved;
        report.tolerance = 0;
    }
    const Certificate result = run.live();
    for (const char* id : {"C1", "C3c", "C4", "C6", "C7a", "C7b"})
        EXPECT_EQ(result.at(id).verdict, Verdict::not_promised) << id;
    for (const char* id : {"C2", "C3a", "C3b", "C5"}) EXPECT_TRUE(kept(result.at(id).verdict)) << id;
    EXPECT_FALSE(result.paper_claims[0].applicable);
    EXPECT_EQ(result.summary.tests, 0U);
}

TEST(Certificate, StartOutsideTheDomainLeavesTheEnergyOut) {
    Played run = play({.n = 1, .w = 3, .rounds = 10, .g = G::box});
    run.header.initial_objective = kInfinity;
    run.reports[0].regulariser = run.reports[0].objective_entry = kInfinity;
    const Certificate result = run.live();
    for (const char* id : {"C4", "C5", "C6"}) EXPECT_EQ(result.at(id).verdict, Verdict::not_applicable) << id;
    EXPECT_TRUE(kept(result.at("C3a").verdict));
    EXPECT_NE(result.at("C5").explanation.find("first in round 1"), std::string::npos);
}

TEST(Certificate, HugeFiguresAreNeverCalledProved) {
    Played run = play({.n = 1, .w = 3, .rounds = 10});
    run.reports[3].firm_bound = run.reports[3].entry_gap = 1e200;
    run.reports[4].objective_entry = 1e308;
    run.reports[5].objective_entry = 1e308;
    const Certificate result = run.live();
    EXPECT_EQ(result.at("C3a").verdict, Verdict::not_applicable);
    EXPECT_FALSE(kept(result.at("C5").verdict));
    EXPECT_FALSE(to_json(result).empty());
}

TEST(Tally, RefusesNanDisorderAndForeignFooters) {
    const Played run = play({.rounds = 5});
    Tally tally(run.header);
    RoundReport report = run.reports[0];
    report.loss = std::nan("");
    EXPECT_THROW(tally.add(report), DataError);
    report.loss = kInfinity;
    EXPECT_THROW(tally.add(report), DataError);
    report = run.reports[0];
    report.variation = -1;
    EXPECT_THROW(tally.add(report), DataError);
    EXPECT_THROW(tally.add(run.reports[1]), DataError);
    tally.add(run.reports[0]);
    EXPECT_THROW(tally.add(run.reports[0]), DataError);
    EXPECT_THROW(tally.certificate(run.footer), DataError);
    Closing closing{.regulariser = 0, .losses = {1.0}, .weights = {}, .members = {}};
    EXPECT_THROW(tally.footer(closing, RunEnding::finished, 0), DataError);
    closing.weights = {0.5};
    EXPECT_EQ(tally.footer(closing, RunEnding::interrupted, 2).totals, tally.totals());
    closing.members.resize(1);
    EXPECT_THROW(tally.footer(closing, RunEnding::finished, 0), DataError);

    RunHeader header;
    header.window = 0;
    header.reference_step = -1;
    header.acceptance = 2;
    header.hysteresis = 0;
    header.switching = -1;
    header.proximal = -1;
    header.effective_length = 0;
    header.selection = "draw";
    try {
        Tally bad(header);
        FAIL() << "an impossible header was accepted";
    } catch (const ConfigError& error) {
        // dimension, window, step, lambda, hysteresis, both penalties, effective length, no members
        EXPECT_EQ(error.violations().size(), 9U);
    }
    RunHeader noisy = run.header;
    noisy.noise = NoiseFacts{.oracle = "sphere:1",
                             .variant = "stale",
                             .estimator = "svrg",
                             .confirm = 0,
                             .sigma = -1,
                             .origin = "",
                             .confidence = 1};
    try {
        Tally bad(noisy);
        FAIL() << "impossible noise was accepted";
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 5U) << error.what();  // each of them
    }
}

TEST(CertificateText, FitsTheTerminalAndStatesTheResult) {
    Plan plan{.n = 2, .w = 3, .rounds = 40, .eta = 0.05, .delta = 0.02};
    plan.also = {1, 24};
    std::vector<Played> runs{play(plan)};
    plan.max_steps = 1;
    plan.broken_prox = true;
    runs.push_back(play(plan));
    runs.push_back(play({.rounds = 0}));
    for (const Played& run : runs) {
        std::istringstream lines(to_text(run.live()));
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
    }
    EXPECT_NE(conclusion(runs[0].live()).find("Proved on this run"), std::string::npos);
    EXPECT_NE(conclusion(runs[1].live()).find("Not certified"), std::string::npos);
    EXPECT_NE(conclusion(runs[2].live()).find("nothing was proved"), std::string::npos);
    const auto json = nlohmann::json::parse(to_json(runs[0].live()));
    EXPECT_EQ(json["summary"]["regret"].get<Real>(), runs[0].live().summary.regret);
    EXPECT_EQ(json["inequalities"].size(), 13U);
    EXPECT_EQ(json["sound"], true);
    EXPECT_THROW(runs[0].live().at("C10"), Error);
}

TEST(CertificateText, CountsTheStatementsThatHold) {
    const auto line = [](const char* id, Verdict verdict) {
        return Inequality{.id = id, .statement = "", .verdict = verdict};
    };
    EXPECT_EQ(statements_held({}), "nothing was proved");
    CertificateLines lines{{line("C0", Verdict::holds), line("C1", Verdict::holds_to_rounding),
                            line("C2", Verdict::not_applicable)}};
    EXPECT_EQ(statements_held(lines), "2 of 2 statements hold");
    lines.inequalities.push_back(line("C3", Verdict::not_promised));
    lines.inequalities.push_back(line("C4", Verdict::violated));
    lines.inequalities.push_back(line("C5", Verdict::undecided));
    EXPECT_EQ(statements_held(lines),
              "2 of 4 statements hold, C3 not promised, C4 is VIOLATED, C5 undecided");
}

}  // namespace
}  // namespace proxstream
