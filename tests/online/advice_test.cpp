/// The advisor's arithmetic against figures worked out by hand and a second reading of the theorems. Two
/// examples show its condition to be sharp.
#include "proxstream/online/advice.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"

#include "online/noisy_test.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::vector<std::string> refusals(const std::function<void()>& call) {
    try {
        call();
    } catch (const ConfigError& error) {
        return error.violations();
    }
    return {};
}

/// L = 2, sigma_0 = 3, w = 16, one sample, eta = 1/2: c = 1/2, sigma = 3 sqrt(16) = 12.
AdviceInput usual() {
    return {.smoothness = 2, .base_noise = 3, .window = 16, .oscillation = 0.5, .variation = 1, .step = 0.5};
}

TEST(Advice, WorkedOutByHandForSubGaussianNoise) {
    AdviceInput input = usual();
    input.tail = NoiseTail::subgaussian;
    input.oscillation = 36;
    const Advice advice = advise(input);
    EXPECT_DOUBLE_EQ(advice.step, 0.5);
    EXPECT_DOUBLE_EQ(advice.contraction, 0.5);
    EXPECT_DOUBLE_EQ(advice.sigma, 12);
    EXPECT_DOUBLE_EQ(advice.smallest_delta, 12 * std::sqrt(2));
    EXPECT_DOUBLE_EQ(advice.delta, 24 * std::sqrt(2));  // c delta^2 = 4 sigma^2: delta^2 = 1152
    EXPECT_DOUBLE_EQ(advice.tolerance, 1.5 * std::sqrt(2));
    EXPECT_EQ(advice.confirm, 1U);
    EXPECT_EQ(advice.batch, 1U);
    // C-i: (2c w swing/eta + sigma^2)/(c^2 delta^2 - sigma^2) = (1152 + 144)/(288 - 144) = 9, but
    // C-ii: (1152 + (1+u) 144 + 1152/(4u))/(576 - (1+u) 144), least at u = 0.5598.
    EXPECT_EQ(advice.updates_rule, "C-ii");
    EXPECT_NEAR(advice.updates, 5.3818, 1e-4);
    // Every estimate asks 16 records once; the literal S_{sigma/w} has noise 3/4 at most, 16 samples a call.
    EXPECT_DOUBLE_EQ(advice.fresh_samples, 16 * (1 + advice.updates));
    EXPECT_DOUBLE_EQ(advice.paper_samples, 256 * (1 + advice.updates));
    EXPECT_EQ(advice.regret_rule, "D-sg");
    const Real kept = 1.5 * std::sqrt(2) + 0.75 * std::sqrt(2 * (1 + std::log(2 * (1 + advice.updates))));
    EXPECT_NEAR(advice.regret, std::pow(kept + 1.0 / 16, 2), 1e-12);
    // Spider: rho^2 = 4.5, B = 8 * 9/4.5 = 16, b = q = ceil(sqrt 8) = 3, eta = 1/4:
    // E N <= 8 * 16 * 36/(1152/4) + 4 = 20, samples 16 + 20 (16/3 + 6).
    EXPECT_DOUBLE_EQ(advice.spider.restart_samples, 16);
    EXPECT_DOUBLE_EQ(advice.spider.step_samples, 3);
    EXPECT_DOUBLE_EQ(advice.spider.step, 0.25);
    EXPECT_NEAR(advice.spider.updates, 20, 1e-12);
    EXPECT_NEAR(advice.spider.base_samples, 16 + 20 * (16.0 / 3 + 6), 1e-9);
}

TEST(Advice, WorkedOutByHandForConfirmedStops) {
    AdviceInput input = usual();
    input.confirm = 2;
    const Advice advice = advise(input);
    // c delta = 2 sigma: delta = 48, pay 16 * 0.5/0.5 = 16 a round: (16 + 2 * 144)/(576 - 288) = 304/288.
    EXPECT_DOUBLE_EQ(advice.smallest_delta, std::sqrt(2) * 24);
    EXPECT_DOUBLE_EQ(advice.delta, 48);
    EXPECT_EQ(advice.updates_rule, "D-conf");
    EXPECT_NEAR(advice.updates, 304.0 / 288, 1e-12);
    EXPECT_NEAR(advice.fresh_samples, 2 * 16 * (1 + 304.0 / 288), 1e-9);
    // 2 rho^2 + 2 s^2 * 2 sqrt(1 + N) with rho = 3, s = 3/4.
    EXPECT_EQ(advice.regret_rule, "D-conf");
    const Real kept = 18 + 4 * 9.0 / 16 * std::sqrt(1 + 304.0 / 288);
    EXPECT_NEAR(advice.regret, std::pow(std::sqrt(kept) + 1.0 / 16, 2), 1e-12);
}

TEST(Advice, WorkedOutByHandForBoundedNoise) {
    AdviceInput input = usual();
    input.tail = NoiseTail::bounded;
    input.batch = 4;
    const Advice advice = advise(input);
    // Averaging may leave an error as large as it was: sigma = w sigma_0 = 48, delta = 2 sigma/c = 192.
    EXPECT_DOUBLE_EQ(advice.sigma, 48);
    EXPECT_DOUBLE_EQ(advice.smallest_delta, 96);
    EXPECT_DOUBLE_EQ(advice.delta, 192);
    // w^2 (swing/w)/(eta delta (c delta - sigma)) = 8/(0.5 * 192 * 48).
    EXPECT_EQ(advice.updates_rule, "5'");
    EXPECT_NEAR(advice.updates, 8 / (0.5 * 192 * 48), 1e-15);
    EXPECT_DOUBLE_EQ(advice.fresh_samples, 4 * 16 * (1 + advice.updates));
    EXPECT_EQ(advice.regret_rule, "D-bdd");
    EXPECT_NEAR(advice.regret, std::pow((192 + 48 + 1) / 16.0, 2), 1e-9);
}

/// The bounds of the notes with E_T = T swing/w, in the figures as they stand there.
struct Notes {
    Real w, eta, c, delta, sigma, oscillation, m;

    Real first() const {
        return (2 * c * w * oscillation / eta + m * sigma * sigma) /
               (c * c * delta * delta - m * sigma * sigma);
    }
    Real second(Real kappa) const {
        const Real noise = (1 + 1 / (2 * kappa)) * sigma * sigma;
        const Real room = c * delta * delta - noise;
        return room > 0 ? (w * oscillation / eta + noise + kappa * delta * delta / 2) / room : kInfinity;
    }
    Real counted() const {
        Real best = c * c * delta * delta > m * sigma * sigma ? first() : kInfinity;
        if (m > 1) return best;
        for (Real power = -6; power <= 6; power += 1e-3) best = std::min(best, second(std::pow(10, power)));
        return best;
    }
    Real kept_by_variance(Real updates) const {
        const Real rho = delta / w;
        const Real s = sigma / w;
        const Real n = 1 + updates;
        const Real gamma = eta * c;
        const Real fallen = (oscillation / w + eta * s * s * n + eta * rho * s * std::sqrt(n)) / gamma;
        const Real walked = 2 * (fallen + rho * rho) + 2 * s * s * n;
        return 4 * rho * rho + 4 * s * std::sqrt(walked);
    }
};

TEST(Advice, AgreesWithTheTheoremsOnRandomInput) {
    std::uint64_t drawn = 0;
    const auto scale = [&drawn](Real power) {
        return std::pow(10, power * normal({.seed = 3, .sample = drawn++}));
    };
    for (int run = 0; run < 40; ++run) {
        AdviceInput input{
            .smoothness = scale(1), .base_noise = scale(1), .oscillation = scale(2), .variation = scale(1)};
        input.window = 1 + uniform_below({.seed = 3, .sample = drawn++}, 300);
        input.independent = run % 3 > 0;
        input.batch = 1 + uniform_below({.seed = 3, .sample = drawn++}, 50);
        input.step = (Real{0.02} + Real{1.9} * uniform({.seed = 3, .sample = drawn++})) / input.smoothness;
        input.confirm = 1 + uniform_below({.seed = 3, .sample = drawn++}, 3);
        const auto w = static_cast<Real>(input.window);
        const Real single = input.base_noise / std::sqrt(static_cast<Real>(*input.batch));
        Notes notes{.w = w,
                    .eta = *input.step,
                    .c = 1 - *input.step * input.smoothness / 2,
                    .delta = 0,
                    .sigma = w * (input.independent ? single / std::sqrt(w) : single),
                    .oscillation = input.oscillation,
                    .m = static_cast<Real>(*input.confirm)};
        notes.delta = notes.sigma / std::sqrt(notes.c) * (1 + scale(0.5));
        input.delta = notes.delta;
        const Advice advice = advise(input);
        EXPECT_NEAR(advice.sigma, notes.sigma, 1e-12 * notes.sigma);
        const Real counted = notes.counted();
        if (counted == kInfinity) {
            EXPECT_EQ(advice.updates, kInfinity);
            EXPECT_EQ(advice.updates_rule, "none");
            EXPECT_EQ(advice.regret, kInfinity);
            continue;
        }
        EXPECT_NEAR(advice.updates, counted, 1e-4 * counted) << advice.updates_rule;
        EXPECT_LE(advice.updates, counted * (1 + 1e-12));
        if (*input.confirm > 1) continue;
        const Real kept = notes.kept_by_variance(advice.updates);
        const Real regret = std::pow(std::sqrt(kept) + input.variation / w, 2);
        EXPECT_NEAR(advice.regret, regret, 1e-9 * regret);
    }
}

TEST(Advice, MeetsTheExactCountOfTheFlatExample) {
    // S1: without curvature and with nothing to gain, E N = sigma^2/(delta^2 - sigma^2) is the truth.
    AdviceInput input{.smoothness = 0, .base_noise = 3, .window = 9, .step = 0.7, .confirm = 1};
    for (const Real ratio : {1.01, 1.5, 2.0, 10.0}) {
        input.delta = 9 * ratio;
        input.batch = 1;
        const Advice advice = advise(input);
        EXPECT_EQ(advice.updates_rule, "C-i");
        EXPECT_NEAR(advice.updates, 1 / (ratio * ratio - 1), 1e-12 * advice.updates);
    }
}

/// Updates of y <- y - eta (grad + e) on (L/2)|y|^2 in the plane, e of length s across the gradient, until
/// |grad + e| <= rho.
int updates_on_the_circle(Real smoothness, Real step, Real s, Real rho, int most) {
    const Real c = 1 - step * smoothness / 2;
    Real x = std::sqrt(step * smoothness / 2 / c) * s / smoothness;
    Real y = 0;
    for (int k = 0; k < most; ++k) {
        const Real length = std::hypot(x, y);
        const Real px = smoothness * x - s * y / length;
        const Real py = smoothness * y + s * x / length;
        if (std::hypot(px, py) <= rho) return k;
        x -= step * px;
        y -= step * py;
    }
    return most;
}

TEST(Condition, IsSharp) {
    constexpr int kMost = 20000;
    for (const Real share : {0.1, 1.0, 1.7}) {
        const NoisyTest test{.smoothness = 2, .step = share / 2, .sigma = 5};
        const Real edge = stopping_delta(test);
        EXPECT_DOUBLE_EQ(edge, 5 / std::sqrt(1 - share / 2));
        EXPECT_EQ(updates_on_the_circle(2, test.step, 5, edge * (1 - 1e-9), kMost), kMost);
        EXPECT_EQ(updates_on_the_circle(2, test.step, 5, edge * (1 + 1e-9), kMost), 0);
        EXPECT_EQ(refusals([&] { check_condition(test, edge * (1 - 1e-9)); }).size(), 1U);
        EXPECT_TRUE(refusals([&] { check_condition(test, edge * (1 + 1e-9)); }).empty());
    }
}

TEST(Condition, IsRefusedWithTheDeltaAndTheBatchThatWork) {
    NoisyTest test{.smoothness = 2, .step = 0.5, .sigma = 12};
    const auto refused = refusals([&] { check_condition(test, 6, 3); });
    ASSERT_EQ(refused.size(), 1U);
    for (const char* part : {"may never end", "c delta^2 = 18", "sigma^2 = 144", "above 16.9706",
                             "25 base samples", "instead of 3"}) {
        EXPECT_NE(refused[0].find(part), std::string::npos) << part << " in " << refused[0];
    }
    // 25 are enough, 24 are not.
    const Real one = test.sigma * std::sqrt(Real{3});
    test.sigma = one / 5;
    EXPECT_NO_THROW(check_condition(test, 6, 25));
    test.sigma = one / std::sqrt(Real{24});
    EXPECT_THROW(check_condition(test, 6, 24), ConfigError);
    // A sure bound is not lowered by averaging: no batch is named.
    test.bounded = true;
    EXPECT_EQ(refusals([&] { check_condition(test, 6, 24); }).at(0).find("base samples"), std::string::npos);
}

TEST(Condition, DeltasForEveryKindOfTest) {
    NoisyTest test{.smoothness = 1, .step = 0.5, .sigma = 3};  // c = 3/4
    EXPECT_DOUBLE_EQ(counting_delta(test), 3 / std::sqrt(0.75));
    EXPECT_DOUBLE_EQ(usual_delta(test), 6 / std::sqrt(0.75));
    test.confirm = 4;
    EXPECT_DOUBLE_EQ(stopping_delta(test), 3 / std::sqrt(0.75));
    EXPECT_DOUBLE_EQ(counting_delta(test), 8);
    EXPECT_DOUBLE_EQ(usual_delta(test), 8 * std::sqrt(2));
    test.bounded = true;
    EXPECT_DOUBLE_EQ(counting_delta(test), 4);
    EXPECT_DOUBLE_EQ(usual_delta(test), 8);
    test.sigma = 0;
    EXPECT_EQ(usual_delta(test), 0);
}

TEST(Advice, TakesTheSmallestBatchThatDeltaAllows) {
    AdviceInput input = usual();
    for (const Real delta : {1.0, 7.0, 40.0, 1e4}) {
        for (const Index confirm : {Index{1}, Index{3}}) {
            input.delta = delta;
            input.confirm = confirm;
            const Advice advice = advise(input);
            const NoisyTest test{.smoothness = 2, .step = 0.5, .sigma = 12, .confirm = confirm};
            const auto b = static_cast<Real>(advice.batch);
            EXPECT_LE(usual_delta(test) / std::sqrt(b), delta * (1 + 1e-9));
            if (advice.batch > 1) {
                EXPECT_GT(usual_delta(test) / std::sqrt(b - 1), delta);
            }
        }
    }
    input.confirm = {};
    input.delta = 1e-6;
    EXPECT_NE(refusals([&] { advise(input); }).at(0).find("base samples"), std::string::npos);
}

TEST(Advice, TakesTheStepThatNeedsFewestSamples) {
    // With losses that dominate, at a given delta and by confirmed stops.
    AdviceInput input = usual();
    input.oscillation = 1e6;
    input.delta = 1;
    input.confirm = 2;
    input.step = {};
    const Real best = advise(input).fresh_samples;
    EXPECT_DOUBLE_EQ(advise(input).step, 0.25);
    for (const Real step : {0.05, 0.15, 0.2, 0.3, 0.4, 0.5, 0.9}) {
        input.step = step;
        EXPECT_GT(advise(input).fresh_samples, best) << step;
    }
}

TEST(Advice, CountsTheGainOfDrawingWithoutReplacement) {
    AdviceInput input = usual();
    input.rows = 5;
    input.confirm = 1;
    for (const Index b : {Index{1}, Index{2}, Index{4}}) {
        input.batch = b;
        // Two of five rows: the variance of a mean is sigma_0^2/2 * 3/4.
        const Real kept = static_cast<Real>(5 - b) / static_cast<Real>(4 * b);
        EXPECT_NEAR(advise(input).sigma, 12 * std::sqrt(kept), 1e-12) << b;
    }
    input.batch = {};
    for (const Real delta : {5.0, 10.0, 20.0, 30.0}) {
        input.delta = delta;
        const Advice advice = advise(input);
        const auto needed = [&](Index b) {
            return 2 * std::sqrt(2) * 12 * std::sqrt(static_cast<Real>(5 - b) / static_cast<Real>(4 * b));
        };
        EXPECT_LE(needed(advice.batch), delta);
        if (advice.batch > 1) {
            EXPECT_GT(needed(advice.batch - 1), delta);
        }
    }
    // All rows are the record itself: nothing to confirm, the counts of the exact method.
    input.delta = 0.1;
    input.confirm = {};
    const Advice whole = advise(input);
    EXPECT_EQ(whole.batch, 5U);
    EXPECT_EQ(whole.sigma, 0);
    EXPECT_EQ(whole.confirm, 1U);
    EXPECT_DOUBLE_EQ(whole.updates, 16 * 0.5 / (0.25 * 0.01));
    EXPECT_DOUBLE_EQ(whole.spider.restart_samples, 80);
    EXPECT_EQ(whole.paper_samples, kInfinity);
    input.delta = {};
    input.batch = 5;
    EXPECT_NE(refusals([&] { advise(input); }).at(0).find("without noise"), std::string::npos);
    input.batch = 6;
    EXPECT_NE(refusals([&] { advise(input); }).at(0).find("5 rows to draw from"), std::string::npos);
}

TEST(Advice, ConfirmsAsSeldomAsSelectionAllows) {
    Index largest = 0;
    for (const Real oscillation : {0.0, 1.0, 1e3, 1e6, 1e9, 1e12}) {
        AdviceInput input = usual();
        input.variation = 0;
        input.oscillation = oscillation;
        const Advice advice = advise(input);
        EXPECT_EQ(advice.regret_rule, "D-conf");
        EXPECT_GT(advice.delta, counting_delta({2, 0.5, 12, advice.confirm, false}));
        EXPECT_LE(advice.regret, 4 * advice.tolerance * advice.tolerance);
        EXPECT_LE(static_cast<Real>(advice.confirm), 1 + std::ceil(std::log1p(advice.updates)));
        EXPECT_GE(advice.confirm, std::max(largest, Index{2}));
        largest = advice.confirm;
        if (advice.confirm == 2) continue;
        input.confirm = advice.confirm - 1;
        const Advice fewer = advise(input);
        EXPECT_GT(fewer.regret, 4 * fewer.tolerance * fewer.tolerance);
    }
    EXPECT_GT(largest, 2U);
}

TEST(Advice, KeepsConfirmationsThatAreProved) {
    AdviceInput input = usual();
    input.batch = 1;
    input.delta = 20;  // above 12 sqrt 2, below 24 sqrt 2
    const Advice advice = advise(input);
    EXPECT_EQ(advice.confirm, 1U);
    EXPECT_EQ(advice.regret_rule, "D-var");
    EXPECT_LT(advice.updates, kInfinity);
    input.delta = 16;
    EXPECT_THROW(advise(input), ConfigError);
}

TEST(Advice, MovesTheRightWay) {
    AdviceInput input = usual();
    input.confirm = 1;
    input.batch = 1;
    Real updates = kInfinity;
    for (const Real delta : {17.0, 20.0, 30.0, 60.0, 200.0}) {
        input.delta = delta;
        EXPECT_LT(advise(input).updates, updates);
        updates = advise(input).updates;
    }
    Real samples = 0;
    for (const Real noise : {0.1, 1.0, 2.0, 4.0}) {
        AdviceInput noisy = usual();
        noisy.delta = 30;
        noisy.base_noise = noise;
        EXPECT_GE(advise(noisy).fresh_samples, samples);
        samples = advise(noisy).fresh_samples;
    }
    // At one delta for all windows the regret falls like w^-2.
    AdviceInput narrow = usual();
    AdviceInput wide = usual();
    narrow.delta = wide.delta = 30;
    wide.window = 160;
    EXPECT_NEAR(advise(narrow).regret / advise(wide).regret, 100, 30);
    // Spider wins where the window is long and the tolerance fine.
    EXPECT_LT(advise(wide).spider.base_samples / advise(wide).fresh_samples,
              advise(narrow).spider.base_samples / advise(narrow).fresh_samples);
}

TEST(Advice, SharedNoiseIsNotLoweredByTheWindow) {
    AdviceInput input = usual();
    input.independent = false;
    input.batch = 4;
    const Advice advice = advise(input);
    EXPECT_DOUBLE_EQ(advice.sigma, 24);  // w sigma_0/sqrt b
    EXPECT_DOUBLE_EQ(advice.paper_samples, advice.fresh_samples);
    const Real rho = advice.tolerance;
    EXPECT_DOUBLE_EQ(advice.spider.restart_samples, 16 * std::ceil(72 / (rho * rho)));
}

TEST(Advice, ShowsWhereThePapersConditionFails) {
    // Step 4, L = 0.1, delta = sigma: (23) is met, and the loop need not end.
    AdviceInput input{.smoothness = 0.1, .base_noise = 1, .window = 1, .step = 4, .confirm = 1};
    const Advice advice = advise(input);
    EXPECT_DOUBLE_EQ(advice.paper.delta, std::sqrt(2 / (4 * 0.6)));
    EXPECT_FALSE(advice.paper.sound);
    EXPECT_LT(advice.paper.delta, stopping_delta({0.1, 4, 1, 1, false}));
    input.delta = 1;
    input.batch = 1;
    EXPECT_THROW(advise(input), ConfigError);
    EXPECT_GT(updates_on_the_circle(0.1, 4, 1, 1, 5000), 4999);
    // A short step: it asks for much more than is needed.
    input = usual();
    input.step = 0.01;
    const Advice careful = advise(input);
    EXPECT_TRUE(careful.paper.sound);
    EXPECT_FALSE(careful.paper.met);
    EXPECT_NEAR(careful.paper.delta, 12 * std::sqrt(2 / (0.01 * 0.98)), 1e-12);
    // At eta = 1/L it can never be met; 1/(2L) is where it asks for least.
    const Advice at_limit = advise(usual());
    EXPECT_DOUBLE_EQ(at_limit.paper.step, 0.25);
    EXPECT_DOUBLE_EQ(at_limit.paper.delta, 12 * std::sqrt(16.0));
    EXPECT_FALSE(at_limit.paper.met);
}

TEST(Advice, WithoutNoiseIsTheExactMethods) {
    AdviceInput input = usual();
    input.base_noise = 0;
    EXPECT_NE(refusals([&] { advise(input); }).at(0).find("noise = 0"), std::string::npos);
    input.delta = 2;
    const Advice advice = advise(input);
    EXPECT_EQ(advice.sigma, 0);
    EXPECT_DOUBLE_EQ(advice.updates, 16 * 0.5 / (0.25 * 4));  // w^2 (swing/w)/(gamma delta^2)
    EXPECT_NEAR(advice.regret, std::pow(3.0 / 16, 2), 1e-15);
}

TEST(Advice, RefusesEverythingThatIsWrongAtOnce) {
    const AdviceInput bad{.smoothness = -1,
                          .mean_squared_smoothness = kInfinity,
                          .base_noise = std::nan(""),
                          .window = 0,
                          .oscillation = -1,
                          .variation = 1e200,
                          .step = 0,
                          .delta = -3,
                          .batch = 0,
                          .confirm = 0};
    const auto violations = refusals([&] { advise(bad); });
    EXPECT_EQ(violations.size(), 10U);
    for (const char* name : {"smoothness = -1", "noise = nan", "window = 0", "swing = -1",
                             "variation = 1e+200", "step = 0", "delta = -3", "batch = 0", "confirm = 0"}) {
        EXPECT_TRUE(std::any_of(violations.begin(), violations.end(), [&](const std::string& text) {
            return text.find(name) != std::string::npos;
        })) << name;
    }
    AdviceInput input = usual();
    input.step = 1;
    EXPECT_NE(refusals([&] { advise(input); }).at(0).find("below 2/L = 1"), std::string::npos);
    input = usual();
    input.smoothness = 0;
    EXPECT_TRUE(refusals([&] { advise(input); }).empty());
    input.step = {};
    EXPECT_FALSE(refusals([&] { advise(input); }).empty());
    EXPECT_EQ(refusals([&] { check_condition({-1, 0, -1, 0, false}, 0, 0); }).size(), 6U);
}

}  // namespace
}  // namespace proxstream
