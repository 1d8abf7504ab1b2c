/// What runs with sampled gradients promise, on many of them.
#include "regret/naive_noise.hpp"

#include <map>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::G;
using naive::Noise;
using naive::NoisyPlan;
using naive::play_noisily;
using naive::Played;

Real square(Real x) {
    return x * x;
}

/// c = 1 - eta L/2 of the naive runs.
constexpr Real kShare = 1 - 0.4 * 1.5 / 2;

NoisyPlan drawn(int number, Noise noise) {
    constexpr Index kLengths[] = {1, 3, 8};
    constexpr G kRegularisers[] = {G::zero, G::l1, G::box};
    const auto pick = [number](int every, int of) { return static_cast<Index>(number / every % of); };
    NoisyPlan rules;
    rules.plan.w = kLengths[pick(1, 3)];
    rules.plan.n = 1 + pick(3, 3);
    rules.plan.g = kRegularisers[pick(9, 3)];
    rules.plan.varied_delta = number % 5 == 4;
    rules.plan.theta = number % 7 == 6 ? 0.8 : 1;
    rules.plan.rounds = 30;
    rules.plan.seed = rules.seed = static_cast<std::uint64_t>(number);
    rules.noise = noise;
    rules.confirm = 1 + pick(2, 2);
    // sigma = a third of delta: well below c theta delta/sqrt(2), even for the smallest delta_t.
    const Real w = static_cast<Real>(rules.plan.w);
    rules.level = 0.05 / (noise == Noise::sphere ? w : std::sqrt(w));
    return rules;
}

TEST(NoiseCertificate, BoundedNoiseProvesItsInequalitiesOnEveryRun) {
    std::map<std::string, int> held;
    std::uint64_t updates = 0, failed = 0;
    Real tightest = 0;
    const int runs = 270;
    for (int i = 0; i < runs; ++i) {
        NoisyPlan rules = drawn(i, Noise::sphere);
        if (i % 2 == 1) rules.variant = "paper";
        const Certificate result = play_noisily(rules).live();
        for (const char* id : {"C1", "C2", "C3a", "C3b", "C3c", "C4", "C5", "C6", "C7a", "C7b", "C10"})
            ASSERT_TRUE(kept(result.at(id).verdict)) << id << '\n' << to_text(result);
        ASSERT_TRUE(result.sound());
        for (const Inequality& each : result.inequalities)
            if (kept(each.verdict)) ++held[each.id];
        updates += result.summary.totals.steps;
        failed += result.summary.failed_confirmations;
        tightest = std::max(tightest, result.at("C10").ratio());
    }
    // Kept samples promise nothing with a probability; fresh ones that are bounded never miss.
    EXPECT_EQ(held["C11"], runs / 2);
    EXPECT_EQ(held["C13"], runs / 2);
    EXPECT_GT(held["C12"], runs * 2 / 5);
    EXPECT_GT(updates, 2000U);
    EXPECT_GT(failed, 50U);
    EXPECT_GT(tightest, 0.99);
}

TEST(NoiseCertificate, SidesAreThoseOfTheFormulas) {
    NoisyPlan rules{.plan = {.n = 2, .w = 3, .rounds = 60}, .level = 0.03};
    rules.plan.theta = 0.9;
    const Played run = play_noisily(rules);
    const Certificate result = run.live();
    const Real rho = 0.1, target_gap = 0.09, s = 0.03, eta = 0.4;
    long double promised = square(run.header.initial_gap), tests = 0, levels = 0, noise = 0, kept = 0;
    for (const RoundReport& report : run.reports) {
        const Real level = s * static_cast<Real>(std::min<Round>(report.round, 3)) / 3;
        EXPECT_NEAR(report.noise_level, level, 1e-15);
        if (report.round < 60) promised += square(rho + level);
        tests += square(report.first_gap);
        levels += square(level);
        noise += square(report.first_noise);
        kept += square(report.kept_noise);
    }
    const Real variation = std::sqrt(result.summary.variation) / 3;
    EXPECT_NEAR(result.at("C3c").right, square(std::sqrt(static_cast<Real>(promised)) + variation), 1e-12);
    const Real unit = eta * target_gap * (kShare * target_gap - s);
    EXPECT_EQ(result.at("C6").left, static_cast<Real>(result.summary.totals.steps));
    EXPECT_NEAR(result.at("C6").right, result.summary.energy / unit, 1e-9 * result.at("C6").right);
    const Real first = std::sqrt(static_cast<Real>(tests));
    EXPECT_NEAR(result.at("C11").right, square(first + std::sqrt(static_cast<Real>(levels) / 0.05)), 1e-12);
    EXPECT_EQ(result.at("C11").left, result.summary.regret);
    EXPECT_EQ(result.at("C11").confidence, 0.95);
    const Real most = (2 * kShare * result.summary.energy / eta + static_cast<Real>(levels)) /
                      (square(kShare * target_gap) - square(s));
    EXPECT_NEAR(result.at("C12").right, most, 1e-9 * most);
    EXPECT_EQ(result.at("C12").confidence, 0);
    EXPECT_NEAR(result.at("C13").left, static_cast<Real>(noise), 1e-14);
    EXPECT_NEAR(result.at("C13").right, static_cast<Real>(levels) / 0.05, 1e-12);
    ASSERT_TRUE(result.summary.noise);
    EXPECT_NEAR(result.summary.noise->first, std::sqrt(static_cast<Real>(noise) / 60), 1e-14);
    EXPECT_NEAR(result.summary.noise->kept, std::sqrt(static_cast<Real>(kept) / 60), 1e-14);
    EXPECT_NEAR(result.summary.noise->claimed, std::sqrt(static_cast<Real>(levels) / 60), 1e-14);
    EXPECT_NEAR(result.summary.noise->smallest_delta, 3 * s / (0.9 * std::sqrt(kShare)), 1e-12);
    EXPECT_EQ(result.summary.tests, result.summary.totals.steps + 60);
}

TEST(NoiseCertificate, CountsWeighEveryRoundByItsOwnTest) {
    for (const std::uint64_t confirm : {1, 3}) {
        NoisyPlan rules{.plan = {.n = 2, .w = 3, .rounds = 40}, .level = 0.01, .confirm = confirm};
        const Certificate steady = play_noisily(rules).live();
        const Real m = static_cast<Real>(confirm), eta = 0.4, rho = 0.1, s = 0.01;
        Real levels = 0;
        for (Round t = 1; t <= 40; ++t) levels += square(rules.mean_level(t));
        const Real most =
            (2 * kShare * steady.summary.energy / eta + m * levels) / (square(kShare * rho) - m * square(s));
        EXPECT_NEAR(steady.at("C12").right, most, 1e-9 * most);
        EXPECT_EQ(steady.summary.tests, steady.summary.totals.steps + 40 + steady.summary.confirmations);

        rules.plan.varied_delta = true;
        const Played run = play_noisily(rules);
        const Certificate varied = run.live();
        Real sure = 0, mean = 0;
        for (const RoundReport& report : run.reports) {
            const Real updates = static_cast<Real>(report.steps), target_gap = report.target_gap,
                       level = report.noise_level;
            sure += updates * eta * target_gap * (kShare * target_gap - level);
            mean += updates * (square(kShare * target_gap) - m * square(level));
        }
        EXPECT_NEAR(varied.at("C6").left, sure, 1e-12);
        EXPECT_EQ(varied.at("C6").right, varied.summary.energy);
        EXPECT_NEAR(varied.at("C12").left, mean, 1e-12);
        EXPECT_NEAR(varied.at("C12").right, 2 * kShare * varied.summary.energy / eta + m * levels, 1e-12);
    }
}

TEST(NoiseCertificate, GaussianNoiseKeepsItsProbabilities) {
    int missed_regret = 0, missed_noise = 0, stated = 0;
    const int runs = 300;
    for (int i = 0; i < runs; ++i) {
        NoisyPlan rules = drawn(i, Noise::gaussian);
        // Markov's inequality is generous: only at p = 1/2 does it nearly get used.
        rules.confidence = i % 2 == 0 ? 0.5 : 0.95;
        const Played run = play_noisily(rules);
        const Certificate result = run.live();
        ASSERT_TRUE(result.sound()) << to_text(result);
        for (const char* id : {"C3c", "C4", "C6", "C7a", "C7b", "C10"})
            ASSERT_EQ(result.at(id).verdict, Verdict::not_promised) << id << to_text(result);
        for (const char* id : {"C1", "C2", "C3a", "C3b", "C5"})
            ASSERT_TRUE(kept(result.at(id).verdict)) << id << to_text(result);
        missed_regret += result.at("C11").verdict == Verdict::missed ? 1 : 0;
        missed_noise += result.at("C13").verdict == Verdict::missed ? 1 : 0;
        // A run that never measures the regret gets the same bound.
        const Certificate blind = naive::without_referee(run).live();
        ASSERT_EQ(blind.at("C11").verdict, Verdict::stated) << to_text(blind);
        ASSERT_NEAR(blind.at("C11").right, result.at("C11").right, 1e-9 * result.at("C11").right);
        ASSERT_GE(blind.at("C11").right, result.at("C11").right);  // rounding counts against what is stated
        ++stated;
    }
    EXPECT_LE(missed_regret, runs / 20);
    EXPECT_LE(missed_noise, runs / 20);
    EXPECT_EQ(stated, runs);
}

/// The mean of N over runs that differ in their noise only, against the mean of its bound.
struct Means {
    Real updates = 0, bound = 0;
    int missed = 0;
};

Means mean_count(NoisyPlan rules, int runs) {
    Means means;
    for (int i = 0; i < runs; ++i) {
        rules.seed = static_cast<std::uint64_t>(i) + 1;
        const Certificate result = play_noisily(rules).live();
        const Inequality& count = result.at("C12");
        EXPECT_TRUE(kept(count.verdict) || count.verdict == Verdict::missed) << to_text(result);
        means.updates += static_cast<Real>(result.summary.totals.steps) / runs;
        means.bound += count.right / runs;
        means.missed += count.verdict == Verdict::missed ? 1 : 0;
    }
    return means;
}

TEST(NoiseCertificate, MeanCountsStayBelowTheirBounds) {
    NoisyPlan rules{.plan = {.n = 2, .w = 4, .rounds = 30}, .noise = Noise::gaussian};
    for (const Real part : {0.3, 0.6, 0.78}) {  // of delta; c delta = 0.7 delta, sqrt(c) delta = 0.837 delta
        rules.level = part * rules.plan.delta / 2;
        rules.confirm = 1;
        const Means means = mean_count(rules, 40);
        EXPECT_GT(means.updates, 5) << part;
        EXPECT_LE(means.updates, means.bound) << part;
        rules.confirm = 3;
        if (part > 0.4) continue;  // c delta has to be above sqrt(3) sigma
        const Means confirmed = mean_count(rules, 40);
        EXPECT_LE(confirmed.updates, confirmed.bound);
    }
}

TEST(NoiseCertificate, ThresholdExampleMeetsTheMeanCount) {
    // S = 0 and noise of length just above rho with probability s^2/rho^2, else none: E N attains (C).
    RunHeader header;
    header.dimension = 1;
    header.window = 1;
    header.reference_step = 1;
    header.smoothness = 0;
    header.step_rule = StepRule::fixed;
    header.exit_test = true;
    const Real rho = 1, s = 0.6;
    header.noise.emplace();
    header.noise->sigma = s;
    const Round rounds = 20000;
    Tally tally(header);
    std::uint64_t draws = 0;
    for (Round t = 1; t <= rounds; ++t) {
        RoundReport report;
        report.round = t;
        report.tolerance = report.target_gap = rho;
        report.noise_level = s;
        const auto kicked = [&] { return uniform({5, t, 0, 0, ++draws}) < square(s / rho); };
        bool above = kicked();
        report.first_gap = report.first_noise = above ? rho : 0;
        while (above) {
            ++report.steps;
            report.smallest_step = report.largest_step = 1;
            report.squared_gaps += rho * rho;
            report.path += rho;
            above = kicked();
        }
        report.status = report.steps > 0 ? RoundStatus::solved : RoundStatus::quiet;
        report.point_norm = report.gradient_norm = 1;
        tally.add(report);
    }
    const Closing closing{.regulariser = 0, .losses = {0}, .weights = {1}, .members = {}};
    const Certificate result = tally.certificate(tally.footer(closing, RunEnding::finished, 0));
    EXPECT_NEAR(result.at("C12").left / (static_cast<Real>(rounds) * square(s) / (square(rho) - square(s))),
                1, 0.05);
    EXPECT_NEAR(result.at("C12").ratio(), 1, 0.05) << to_text(result);
    EXPECT_NEAR(result.at("C13").ratio(), 0.05, 0.005);
    EXPECT_TRUE(kept(result.at("C13").verdict));
}

TEST(NoiseCertificate, TheSharpBoundTakesTheBestKappa) {
    NoisyPlan rules{.plan = {.n = 2, .w = 4, .rounds = 30}, .noise = Noise::gaussian};
    rules.level = 0.77 * rules.plan.delta / 2;
    const Certificate result = play_noisily(rules).live();
    const Inequality& count = result.at("C12");
    EXPECT_NE(count.statement.find("C-ii"), std::string::npos) << count.statement;
    const Real rho = rules.plan.delta / 4, s = rules.level / 2, energy = result.summary.energy / 0.4;
    Real levels = 0, best = kInfinity;
    for (Round t = 1; t <= 30; ++t) levels += square(rules.mean_level(t));
    for (Real kappa = 0.01; kappa < 1000; kappa *= 1.001) {
        const Real b = 1 + 1 / (2 * kappa), unit = kShare * square(rho) - b * square(s);
        if (unit > 0) best = std::min(best, (energy + b * levels + 30 * kappa * square(rho) / 2) / unit);
    }
    EXPECT_NEAR(count.right, best, 1e-5 * best);
    EXPECT_LE(count.right, best * (1 + 1e-12));
}

}  // namespace
}  // namespace proxstream
