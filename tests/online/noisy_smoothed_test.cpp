// The stochastic learner against its listing, against the exact learner, and its accounts by hand.

#include "proxstream/core/linalg.hpp"

#include "online/noisy_twin.hpp"
#include "online/time_smoothed.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::Vector;
using Kind = EstimatorOptions::Kind;

constexpr Real kNoisyStep = 0.8;  // c = 1 - eta L/2 = 0.6
const Vector kStart{0.6, -0.4, 0.1};

NoisySmoothedOptions options_for(Index window, Real delta, Kind kind = Kind::fresh,
                                 std::uint64_t confirm = 1) {
    NoisySmoothedOptions options;
    options.window = window;
    options.step = kNoisyStep;
    options.smoothness = 1;
    options.delta = delta;
    options.confirm = confirm;
    options.estimator.kind = kind;
    return options;
}

// ---- the listing

void expect_twins(const naive::NoisyRules& rules, const std::string& regulariser, const naive::Penalty& g) {
    SCOPED_TRACE("w = " + std::to_string(rules.window) + ", confirm " + std::to_string(rules.confirm) +
                 (rules.paper ? ", paper, " : ", fresh, ") + regulariser);
    NoisySmoothedOptions options =
        options_for(rules.window, rules.tolerance * static_cast<Real>(rules.window),
                    rules.paper ? Kind::paper : Kind::fresh, rules.confirm);
    options.budget.max_steps = rules.max_steps;
    const auto learner =
        make_noisy_learner(naive::hashed_oracle(rules.noise, rules.samples), options, regulariser, kStart);
    naive::NoisyTwin twin(g, kStart, rules);
    std::uint64_t quiet = 0;
    std::uint64_t steps = 0;
    std::uint64_t failed = 0;
    for (Round t = 1; t <= 80; ++t) {
        const RoundReport report = learner->observe(naive::record_of(t));
        const naive::NoisyRound expected = twin.play();
        ASSERT_EQ(report.round, t);
        ASSERT_EQ(report.steps, expected.steps) << "round " << t;
        ASSERT_EQ(report.confirmations, expected.confirmations) << "round " << t;
        ASSERT_EQ(report.failed_confirmations, expected.failed) << "round " << t;
        ASSERT_EQ(report.cost.oracle_calls, expected.answers) << "round " << t;
        ASSERT_LE(distance(learner->decide(), twin.point()), 1e-12) << "round " << t;
        ASSERT_NEAR(report.first_gap, expected.first, 1e-12);
        ASSERT_NEAR(report.tested_gap, expected.tested, 1e-12);
        ASSERT_NEAR(report.squared_gaps, expected.squares, 1e-12);
        ASSERT_NEAR(report.path, expected.path, 1e-12);
        const RoundStatus status = expected.tested > rules.tolerance ? RoundStatus::budget_exhausted
                                   : expected.steps > 0              ? RoundStatus::solved
                                                                     : RoundStatus::quiet;
        ASSERT_EQ(report.status, status) << "round " << t;
        quiet += status == RoundStatus::quiet ? 1 : 0;
        steps += report.steps;
        failed += report.failed_confirmations;
    }
    // Both ways to end a round were met, or both ways to leave a confirmation.
    EXPECT_GT(steps, 40U);
    EXPECT_GT(rules.confirm > 1 ? failed : quiet, 3U);
}

TEST(NoisySmoothed, IsAlgorithm2ToTheLetterInThePapersVariant) {
    expect_twins({.window = 4, .step = kNoisyStep, .tolerance = 0.12, .noise = 0.15, .paper = true},
                 "l1:0.02", naive::l1(0.02));
    expect_twins(
        {.window = 9, .step = kNoisyStep, .tolerance = 0.06, .noise = 0.2, .samples = 3, .paper = true},
        "box:-0.7,0.7", naive::box(-0.7, 0.7));
    expect_twins({.window = 1, .step = kNoisyStep, .tolerance = 0.5, .noise = 0.3, .paper = true}, "l1:0.02",
                 naive::l1(0.02));
}

TEST(NoisySmoothed, RedrawsAndConfirmsInTheFreshVariant) {
    for (const std::uint64_t confirm : {1U, 2U, 4U}) {
        expect_twins({.window = 4, .step = kNoisyStep, .tolerance = 0.12, .noise = 0.2, .confirm = confirm},
                     "l1:0.02", naive::l1(0.02));
        expect_twins({.window = 9,
                      .step = kNoisyStep,
                      .tolerance = 0.06,
                      .noise = 0.3,
                      .samples = 3,
                      .confirm = confirm,
                      .max_steps = 7},
                     "box:-0.7,0.7", naive::box(-0.7, 0.7));
    }
}

// ---- exact oracles

TEST(NoisySmoothed, WithoutNoiseThePapersVariantIsTheExactLearnerBitForBit) {
    for (const Index window : {Index{5}, Index{7}}) {
        const Real delta = window == 5 ? 1 : 1.6;
        TimeSmoothed exact(
            parse_regulariser("l1:0.02"), AnyBatch(Ring(FunctionFamily(3), CarriedWindow::slots(window))),
            kStart,
            {.window = window, .step = kNoisyStep, .tolerance = Tolerance::fixed(delta), .budget = {}},
            ProxGrad(1));
        const auto learner = make_noisy_learner(AnyOracle(ExactOracle{}),
                                                options_for(window, delta, Kind::paper), "l1:0.02", kStart);
        Round quiet = 0;
        for (Round t = 1; t <= 200; ++t) {
            const RoundReport expected = exact.observe(naive::record_of(t));
            // A re-anchoring pass is what the paper's variant does not have: here no round needs one.
            ASSERT_EQ(expected.cost.passes, expected.steps) << "round " << t;
            const RoundReport report = learner->observe(naive::record_of(t));
            ASSERT_TRUE(std::ranges::equal(learner->decide(), exact.decide())) << "round " << t;
            ASSERT_EQ(report.status, expected.status);
            ASSERT_EQ(report.steps, expected.steps);
            ASSERT_EQ(report.first_gap, expected.entry_gap);
            ASSERT_EQ(report.tested_gap, expected.exit_gap);
            ASSERT_EQ(report.entry_gap, expected.entry_gap);
            ASSERT_EQ(report.exit_gap, expected.exit_gap);
            ASSERT_EQ(report.variation, expected.variation);
            ASSERT_EQ(report.objective_exit, expected.objective_exit);
            ASSERT_EQ(report.squared_gaps, expected.squared_gaps);
            ASSERT_EQ(report.first_noise, 0);
            ASSERT_EQ(report.kept_noise, 0);
            quiet += report.status == RoundStatus::quiet ? 1 : 0;
        }
        EXPECT_GT(quiet, 5U);
        EXPECT_LT(quiet, 150U);
    }
}

TEST(NoisySmoothed, WithoutNoiseTheFreshVariantIsAlgorithm1ByFullPasses) {
    const Index window = 6;
    const auto learner =
        make_noisy_learner(AnyOracle(ExactOracle{}), options_for(window, 0.3), "l1:0.02", kStart);
    naive::Player twin(naive::l1(0.02), kStart, {.window = window, .step = kNoisyStep, .delta = 0.3});
    for (Round t = 1; t <= 100; ++t) {
        const RoundReport report = learner->observe(naive::record_of(t));
        const naive::Round expected = twin.play({[t](const Vector& x) { return naive::loss(t, x); },
                                                 [t](const Vector& x) { return naive::slope(t, x); }});
        ASSERT_EQ(report.steps, expected.steps) << "round " << t;
        ASSERT_LE(distance(learner->decide(), expected.next), 1e-12);
        ASSERT_NEAR(report.entry_gap, expected.entry, 1e-12);
        ASSERT_NEAR(report.tested_gap, expected.exit, 1e-12);
        // Estimates are passes of the learner's own.
        ASSERT_EQ(report.cost.record_gradients, (1 + report.steps) * std::min<Round>(t, window));
        ASSERT_EQ(report.cost.oracle_calls, 0U);
        ASSERT_EQ(report.noise_level, 0);
    }
}

// ---- recursive differences

TEST(Spider, OfWholeWindowsIsTheExactLearner) {
    // As many differences of every record, evenly: a difference of the window itself.
    NoisySmoothedOptions options = options_for(5, 0.2, Kind::spider);
    options.estimator.samples = 60;  // a multiple of every number of records
    options.estimator.restart = 1000;
    const auto spider = make_noisy_learner(AnyOracle(ExactOracle{}), options, "l1:0.02", kStart);
    const auto fresh = make_noisy_learner(AnyOracle(ExactOracle{}), options_for(5, 0.2), "l1:0.02", kStart);
    for (Round t = 1; t <= 60; ++t) {
        const RoundReport report = spider->observe(naive::record_of(t));
        const RoundReport expected = fresh->observe(naive::record_of(t));
        ASSERT_EQ(report.steps, expected.steps) << "round " << t;
        ASSERT_LE(distance(spider->decide(), fresh->decide()), 1e-11);
        ASSERT_LE(report.exit_gap, report.tolerance + 1e-12);
        ASSERT_EQ(report.cost.passes, 1U);
    }
}

TEST(Spider, ConfirmedByAFreshBatchEndsWithinTheToleranceItself) {
    NoisySmoothedOptions options = options_for(8, 0.2, Kind::spider, 2);
    options.estimator.samples = 3;
    options.estimator.restart = 4;
    const auto learner = make_noisy_learner(AnyOracle(ExactOracle{}), options, "l1:0.02", kStart);
    Real most = 0;
    std::uint64_t failed = 0;
    for (Round t = 1; t <= 60; ++t) {
        const RoundReport report = learner->observe(naive::record_of(t));
        ASSERT_NE(report.status, RoundStatus::budget_exhausted);
        ASSERT_LE(report.exit_gap, report.tolerance);  // the confirmation is a pass without noise
        ASSERT_NEAR(report.kept_noise, 0, 1e-14);
        most = std::max(most, report.exit_gap / report.tolerance);
        failed += report.failed_confirmations;
    }
    EXPECT_GT(most, 0.5);
    EXPECT_GT(failed, 0U);
}

TEST(Spider, CountsItsSamples) {
    constexpr Index kWindow = 4;
    for (const std::uint64_t restart : {0U, 1U, 3U, 1000U}) {
        std::uint64_t calls = 0;
        NoisySmoothedOptions options = options_for(kWindow, 0.5, Kind::spider);
        options.estimator.batch = 10;
        options.estimator.samples = 3;
        options.estimator.restart = restart;
        const auto learner =
            make_noisy_learner(naive::hashed_oracle(0.1, 1, &calls), options, "l1:0.02", kStart);
        std::uint64_t most = 0;
        for (Round t = 1; t <= 60; ++t) {
            calls = 0;
            const RoundReport report = learner->observe(naive::record_of(t));
            const std::uint64_t records = std::min<Round>(t, kWindow);
            // An estimate for the test at the start and after every update; each (q + 1)-th is a fresh one.
            const std::uint64_t fresh = 1 + report.steps / (restart + 1);
            const std::uint64_t differences = report.steps + 1 - fresh;
            const std::uint64_t each = (10 + records - 1) / records;  // B over the window, rounded up
            ASSERT_EQ(report.cost.base_samples, fresh * records * each + differences * 2 * 3)
                << "round " << t;
            ASSERT_EQ(report.cost.base_samples, calls);
            ASSERT_EQ(report.cost.oracle_calls, fresh * records + differences * 2 * 3);
            ASSERT_EQ(report.cost.passes, fresh);
            ASSERT_EQ(report.cost.prox, report.steps + 1);
            most = std::max(most, report.steps);
        }
        EXPECT_GT(most, 4U);
    }
}

TEST(Spider, ThatRestartsAlwaysIsTheFreshVariant) {
    NoisySmoothedOptions options = options_for(5, 0.5, Kind::spider, 2);
    options.estimator.restart = 0;
    options.estimator.batch = 1;  // never less than one sample a record
    const auto spider = make_noisy_learner(naive::hashed_oracle(0.2, 1), options, "l1:0.02", kStart);
    const auto fresh = make_noisy_learner(naive::hashed_oracle(0.2, 1), options_for(5, 0.5, Kind::fresh, 2),
                                          "l1:0.02", kStart);
    for (Round t = 1; t <= 60; ++t) {
        const RoundReport report = spider->observe(naive::record_of(t));
        const RoundReport expected = fresh->observe(naive::record_of(t));
        ASSERT_TRUE(std::ranges::equal(spider->decide(), fresh->decide())) << "round " << t;
        ASSERT_EQ(report.cost, expected.cost);
        ASSERT_EQ(report.noise_level, expected.noise_level);
    }
}

// ---- accounts, referee, budget

TEST(NoisySmoothed, AccountsByHand) {
    for (const Kind kind : {Kind::fresh, Kind::paper}) {
        for (const bool refereed : {true, false}) {
            std::uint64_t calls = 0;
            std::uint64_t gradients = 0;
            std::uint64_t values = 0;
            constexpr Index kWindow = 5;
            NoisySmoothedOptions options = options_for(kWindow, 0.5, kind, kind == Kind::paper ? 1 : 3);
            options.refereed = refereed;
            const auto learner =
                make_noisy_learner(naive::hashed_oracle(0.2, 2, &calls), options, "l1:0.02", kStart);
            for (Round t = 1; t <= 40; ++t) {
                calls = gradients = values = 0;
                const auto honest = naive::record_of(t);
                const std::vector<Real> before(learner->decide().begin(), learner->decide().end());
                const FunctionFamily::Record counted = [&](ConstView x, View gradient) {
                    ++(gradient.empty() ? values : gradients);
                    return honest(x, gradient);
                };
                const RoundReport report = learner->observe(counted);
                const std::uint64_t records = std::min<Round>(t, kWindow);
                const std::uint64_t estimates = 1 + report.steps + report.confirmations;
                const std::uint64_t first = kind == Kind::paper ? 1 : records;
                Cost cost;
                cost.oracle_calls = first + (estimates - 1) * records;
                cost.base_samples = 2 * cost.oracle_calls;
                cost.passes = kind == Kind::paper ? estimates - 1 : estimates;
                cost.prox = estimates;
                ASSERT_EQ(report.cost, cost) << "round " << t;
                ASSERT_EQ(calls, cost.base_samples);
                // The referee lets the loss in, and follows to where the learner went.
                Cost referee;
                if (refereed) {
                    const bool moved = !std::ranges::equal(before, learner->decide());
                    const bool followed = moved || report.referee_cost.passes > 0;  // or was due for a pass
                    referee.record_gradients = (t > kWindow ? 2 : 1) + (followed ? records : 0);
                    referee.passes = followed ? 1 : 0;
                    referee.prox = followed ? 2 : 1;
                    ASSERT_GE(gradients, followed ? 2U : 1U);  // this loss's share of it
                    ASSERT_EQ(values, 0U);
                } else {
                    referee.record_values = 1;
                    ASSERT_EQ(values, 1U);
                    ASSERT_EQ(gradients, 0U);
                    ASSERT_EQ(report.loss, naive::loss(t, before));
                }
                ASSERT_EQ(report.referee_cost, referee) << "round " << t;
            }
        }
    }
}

TEST(NoisySmoothed, TheRefereeChangesNothing) {
    for (const Kind kind : {Kind::fresh, Kind::paper, Kind::spider}) {
        NoisySmoothedOptions options = options_for(6, 0.5, kind);
        options.estimator.batch = 12;
        options.estimator.samples = 4;
        options.estimator.restart = 3;
        const auto watched = make_noisy_learner(naive::hashed_oracle(0.2, 1), options, "l1:0.02", kStart);
        options.refereed = false;
        const auto alone = make_noisy_learner(naive::hashed_oracle(0.2, 1), options, "l1:0.02", kStart);
        for (Round t = 1; t <= 60; ++t) {
            const RoundReport report = watched->observe(naive::record_of(t));
            const RoundReport other = alone->observe(naive::record_of(t));
            ASSERT_TRUE(std::ranges::equal(watched->decide(), alone->decide())) << "round " << t;
            ASSERT_EQ(report.cost, other.cost);
            ASSERT_EQ(report.status, other.status);
            ASSERT_EQ(report.loss, other.loss);
            ASSERT_EQ(report.regulariser, other.regulariser);
            ASSERT_EQ(report.first_gap, other.first_gap);
            ASSERT_EQ(report.tested_gap, other.tested_gap);
            ASSERT_EQ(report.movement, other.movement);
            ASSERT_GT(report.first_noise, 0);
            ASSERT_EQ(other.first_noise, 0);
            ASSERT_EQ(other.entry_gap, 0);
            ASSERT_EQ(other.exit_gap, 0);
        }
    }
}

TEST(NoisySmoothed, ATestThatNoiseKeepsFailingEndsOnItsBudget) {
    // S = 0 and |e| = 10 rho: every estimate is 10 rho long.
    constexpr std::uint64_t kBudget = 25;
    NoisySmoothedOptions options = options_for(1, 0.1);
    options.budget.max_steps = kBudget;
    const auto learner = make_noisy_learner(
        AnyOracle(NoisyOracle({NoiseModel::Kind::sphere, 1, 2.5}, 1, true)), options, "zero", kStart);
    const FunctionFamily::Record flat = [](ConstView /*x*/, View gradient) {
        fill(gradient, 0);
        return 0.0;
    };
    for (Round t = 1; t <= 3; ++t) {
        const RoundReport report = learner->observe(flat);
        EXPECT_EQ(report.status, RoundStatus::budget_exhausted);
        EXPECT_EQ(report.steps, kBudget);
        EXPECT_EQ(report.cost.prox, kBudget + 1);
        EXPECT_EQ(report.cost.oracle_calls, kBudget + 1);
        EXPECT_NEAR(report.tested_gap, 1, 1e-12);
        EXPECT_NEAR(report.kept_noise, 1, 1e-12);
        EXPECT_NEAR(report.path, kBudget * kNoisyStep, 1e-9);
        EXPECT_NEAR(report.squared_gaps, kBudget, 1e-9);
        EXPECT_EQ(report.exit_gap, 0);
        EXPECT_EQ(report.smallest_step, kNoisyStep);
        EXPECT_EQ(report.noise_level, 1);
    }
}

TEST(NoisySmoothed, SecondsAreThoseOfTheWholeRound) {
    // Every other estimate passes: two in a row never do, and each gap between them is as short as possible.
    const AnyOracle oracle(CallbackOracle(
        [](Round /*record*/, ConstView x, const Draw& draw, std::vector<Real>& gradient) {
            gradient.assign(x.size(), draw.step % 2 == 0 ? 0 : 1);
        },
        1, {}));
    NoisySmoothedOptions options = options_for(1, 0.1, Kind::fresh, 2);
    options.budget = {.max_steps = 3'000'000, .max_seconds = 0.02};
    const auto learner = make_noisy_learner(oracle, options, "zero", kStart);
    const RoundReport report = learner->observe(naive::record_of(1));
    EXPECT_EQ(report.status, RoundStatus::budget_exhausted);
    EXPECT_LT(report.steps, 3'000'000U);
    EXPECT_EQ(report.failed_confirmations, report.steps + 1);
}

}  // namespace
}  // namespace proxstream
