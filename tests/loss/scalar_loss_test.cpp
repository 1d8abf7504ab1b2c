#include "loss/scalar_loss.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Wide = long double;

/// A formula as its definition reads, without care for overflow: (r or m, c) -> phi.
struct Case {
    std::string name;
    ScalarFormula formula;
    TargetKind kind;
    std::function<Wide(Wide, Wide)> phi;
    bool bounded;  // stays finite at the ends of the number range
    Real level = 0.5;

    ScalarLoss loss(Real scale = 1) const { return {formula, scale, level}; }
};

Wide sigmoid_of(Wide m) {
    return 1 / (1 + std::exp(m));
}

/// The mean of max(-q t, (1-q) t) over [r - c, r + c], by the antiderivative.
Wide smoothed_pinball(Wide r, Wide c, Wide q) {
    const auto integral = [q](Wide t) { return t * t / 2 * (t < 0 ? -q : 1 - q); };
    return (integral(r + c) - integral(r - c)) / (2 * c);
}

const std::vector<Case>& cases() {
    using F = ScalarFormula;
    constexpr auto kNumber = TargetKind::number;
    constexpr auto kSign = TargetKind::sign;
    const auto square = [](Wide r, Wide c) { return (r / c) * (r / c); };
    static const std::vector<Case> all = {
        {"squared", F::squared, kNumber, [](Wide r, Wide) { return r * r / 2; }, false},
        {"huber", F::huber, kNumber,
         [](Wide r, Wide c) { return std::fabs(r) <= c ? r * r / 2 : c * std::fabs(r) - c * c / 2; }, false},
        {"cauchy", F::cauchy, kNumber, [=](Wide r, Wide c) { return c * c / 2 * std::log(1 + square(r, c)); },
         true},
        {"geman_mcclure", F::geman_mcclure, kNumber,
         [=](Wide r, Wide c) { return c * c / 2 * square(r, c) / (1 + square(r, c)); }, true},
        {"welsch", F::welsch, kNumber,
         [=](Wide r, Wide c) { return c * c / 2 * (1 - std::exp(-square(r, c))); }, true},
        {"tukey", F::tukey, kNumber,
         [=](Wide r, Wide c) {
             const Wide inside = std::max(Wide{0}, 1 - square(r, c));
             return c * c / 6 * (1 - inside * inside * inside);
         },
         true},
        {"absolute", F::absolute, kNumber, [](Wide r, Wide c) { return 2 * smoothed_pinball(r, c, 0.5L); },
         false},
        {"quantile", F::quantile, kNumber, [](Wide r, Wide c) { return smoothed_pinball(r, c, 0.875L); },
         false, 0.875},
        {"low_quantile", F::quantile, kNumber, [](Wide r, Wide c) { return smoothed_pinball(r, c, 0.0625L); },
         false, 0.0625},
        {"logistic", F::logistic, kSign, [](Wide m, Wide) { return std::log(1 + std::exp(-m)); }, true},
        {"sigmoid", F::sigmoid, kSign, [](Wide m, Wide) { return sigmoid_of(m); }, true},
        {"squared_sigmoid", F::squared_sigmoid, kSign,
         [](Wide m, Wide) { return sigmoid_of(m) * sigmoid_of(m); }, true},
        {"log_difference", F::log_difference, kSign,
         [](Wide m, Wide) { return std::log(1 + std::exp(-m)) - std::log(1 + std::exp(-m - 1)); }, true},
        {"tanh", F::tanh, kSign, [](Wide m, Wide) { return 1 - std::tanh(m); }, true},
        {"smoothed_hinge", F::smoothed_hinge, kSign,
         [](Wide m, Wide) { return m >= 1   ? 0
                                   : m <= 0 ? 0.5L - m
                                            : (1 - m) * (1 - m) / 2; }, true},
        {"negative_square", F::negative_square, TargetKind::none, [](Wide s, Wide) { return -s * s / 2; },
         false},
    };
    return all;
}

/// The argument of phi for a score and a target.
Wide argument(const Case& c, Wide score, Wide target) {
    if (c.kind == TargetKind::number) return score - target;
    return c.kind == TargetKind::sign ? target * score : score;
}

std::vector<Real> targets_of(const Case& c) {
    return c.kind == TargetKind::sign ? std::vector<Real>{-1, 1} : std::vector<Real>{0, 0.75, -3};
}

class ScalarLosses : public testing::TestWithParam<Case> {};

TEST_P(ScalarLosses, FollowTheirFormula) {
    const Case& c = GetParam();
    for (const Real scale : {0.3, 1.0, 2.5}) {
        for (const Real target : targets_of(c)) {
            for (Real score = -8; score <= 8; score += 0.0625) {
                const Wide wanted = c.phi(argument(c, score, target), scale);
                const LossPoint point = evaluate(c.loss(scale), score, target);
                EXPECT_NEAR(point.value, static_cast<Real>(wanted), 1e-14 * (1 + std::fabs(point.value)))
                    << c.name << " at " << score << ", target " << target << ", scale " << scale;
            }
        }
    }
}

TEST_P(ScalarLosses, SlopeIsTheDerivative) {
    const Case& c = GetParam();
    for (const Real scale : {0.3, 1.0, 2.5}) {
        for (const Real target : targets_of(c)) {
            // Off the grid of kinks: phi'' jumps where |r| = c or m is 0 or 1.
            for (Real score = -7.987; score <= 8; score += 0.05) {
                const auto phi = [&](Wide s) { return c.phi(argument(c, s, target), scale); };
                const Wide h = 1e-5L;
                const Wide wide = (phi(score + 2 * h) - phi(score - 2 * h)) / (4 * h);
                const Wide narrow = (phi(score + h) - phi(score - h)) / (2 * h);
                const Wide wanted = narrow + (narrow - wide) / 3;
                EXPECT_NEAR(evaluate(c.loss(scale), score, target).slope, static_cast<Real>(wanted),
                            1e-11 * (1 + std::fabs(static_cast<Real>(wanted))))
                    << c.name << " at " << score << ", target " << target << ", scale " << scale;
            }
        }
    }
}

TEST_P(ScalarLosses, CurvatureBoundHoldsAndIsSharp) {
    const Case& c = GetParam();
    Real largest = 0;  // as a share of the bound
    for (const Real scale : {0.5, 1.0, 2.0}) {
        const Real bound = curvature_bound(c.loss(scale));
        for (const Real target : targets_of(c)) {
            const Real h = 1e-3;
            for (Real score = -12; score <= 12; score += h) {
                const Real before = evaluate(c.loss(scale), score, target).slope;
                const Real after = evaluate(c.loss(scale), score + h, target).slope;
                largest = std::max(largest, std::fabs(after - before) / h / bound);
            }
        }
    }
    EXPECT_LE(largest, 1 + 1e-9) << c.name;
    EXPECT_GE(largest, 1 - 1e-4) << c.name;
}

TEST_P(ScalarLosses, InfimumIsTheLeastValue) {
    const Case& c = GetParam();
    if (c.kind == TargetKind::none) return;
    for (const Real scale : {0.5, 1.0, 2.0}) {
        const Real infimum = proxstream::infimum(c.loss(scale));
        Real least = kInfinity;
        for (Real score = -60; score <= 60; score += 0.0625) {
            const Real value = evaluate(c.loss(scale), score, 1).value;
            EXPECT_GE(value, infimum) << c.name << " at " << score;
            least = std::min(least, value);
        }
        EXPECT_NEAR(least, infimum, 1e-15) << c.name;
        if (c.kind != TargetKind::number) continue;
        const LossPoint best = evaluate(c.loss(scale), best_residual(c.loss(scale)), 0);
        EXPECT_NEAR(best.value, infimum, 1e-15) << c.name;
        EXPECT_NEAR(best.slope, 0, 1e-15) << c.name;
    }
}

TEST_P(ScalarLosses, StayFiniteAtTheEndsOfTheNumberRange) {
    const Case& c = GetParam();
    const Real target = c.kind == TargetKind::sign ? 1 : 0;
    for (const Real scale : {0.5, 1.0}) {
        for (const Real size : {40.0, 700.0, 1e4, 1e77, 1e155, 1e300, std::numeric_limits<Real>::max()}) {
            for (const Real score : {-size, size}) {
                const LossPoint point = evaluate(c.loss(scale), score, target);
                EXPECT_TRUE(std::isfinite(point.slope)) << c.name << " at " << score;
                if (c.bounded) {
                    EXPECT_TRUE(std::isfinite(point.value) && point.value >= 0) << c.name << " at " << score;
                }
            }
        }
    }
}

TEST_P(ScalarLosses, KeepNaN) {
    const Case& c = GetParam();
    const LossPoint point = evaluate(c.loss(), std::numeric_limits<Real>::quiet_NaN(), 1);
    EXPECT_TRUE(std::isnan(point.value)) << c.name;
    EXPECT_TRUE(std::isnan(point.slope)) << c.name;
    if (c.kind == TargetKind::none) return;
    EXPECT_TRUE(std::isnan(evaluate(c.loss(), 1, std::numeric_limits<Real>::quiet_NaN()).value)) << c.name;
}

TEST_P(ScalarLosses, GiveTheSameBitsForManyRowsAtOnce) {
    const ScalarLoss loss = GetParam().loss(0.75);
    for (const Index rows : {0, 1, 4, 7, 8, 37}) {
        std::vector<Real> scores(rows), targets(rows), values(rows), slopes(rows);
        for (Index i = 0; i < rows; ++i) {
            scores[i] =
                normal({.seed = 5, .round = rows, .sample = i}) * std::pow(10, static_cast<Real>(i % 5) - 2);
            targets[i] = i % 3 == 0 ? 1 : -1;
        }
        if (rows > 8) {
            scores[2] = -0.0;
            scores[5] = std::numeric_limits<Real>::max();
            scores[6] = -std::numeric_limits<Real>::infinity();
        }
        evaluate(loss, scores, targets, values, slopes);
        for (Index i = 0; i < rows; ++i) {
            const LossPoint alone = evaluate(loss, scores[i], targets[i]);
            // Any NaN will do.
            const auto bits = [](Real value) {
                return std::isnan(value) ? 0 : 1 + std::bit_cast<std::uint64_t>(value);
            };
            EXPECT_EQ(bits(values[i]), bits(alone.value)) << scores[i];
            EXPECT_EQ(bits(slopes[i]), bits(alone.slope)) << scores[i];
        }
    }
}

TEST_P(ScalarLosses, HaveTheDeclaredTargets) {
    EXPECT_EQ(target_kind(GetParam().formula), GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(All, ScalarLosses, testing::ValuesIn(cases()),
                         [](const auto& row) { return row.param.name; });

TEST(ScalarLoss, LimitsOfTheBoundedOnes) {
    const Real huge = std::numeric_limits<Real>::max();
    EXPECT_EQ(evaluate({ScalarFormula::log_difference}, -huge, 1).value, 1);
    EXPECT_EQ(evaluate({ScalarFormula::log_difference}, huge, 1).value, 0);
    EXPECT_EQ(evaluate({ScalarFormula::sigmoid}, -huge, 1).value, 1);
    EXPECT_EQ(evaluate({ScalarFormula::tanh}, -huge, 1).value, 2);
    EXPECT_EQ(evaluate({ScalarFormula::logistic}, -huge, 1).value, huge);
    EXPECT_EQ(evaluate({ScalarFormula::geman_mcclure, 2}, huge, 0).value, 2);
    EXPECT_EQ(evaluate({ScalarFormula::welsch, 2}, huge, 0).value, 2);
    EXPECT_EQ(evaluate({ScalarFormula::tukey, 3}, huge, 0).value, 1.5);
    // c^2 log(|r|/c) although (r/c)^2 is far beyond the number range.
    EXPECT_NEAR(evaluate({ScalarFormula::cauchy, 0.5}, 1e308, 0).value,
                0.25 * (308 * std::log(10.0) + std::log(2.0)), 1e-12);
}

TEST(ScalarLoss, TinyMarginsKeepTheirRelativeAccuracy) {
    // At m = 40 these are of the order 1e-18: formulas that subtract numbers near 1 would return 0.
    const Wide s = sigmoid_of(40);
    EXPECT_NEAR(evaluate({ScalarFormula::sigmoid}, 40, 1).value / static_cast<Real>(s), 1, 1e-13);
    EXPECT_NEAR(evaluate({ScalarFormula::tanh}, 20, 1).value / static_cast<Real>(2 * s), 1, 1e-13);
    const Wide difference = std::exp(-40.0L) * (1 - std::exp(-1.0L));
    EXPECT_NEAR(evaluate({ScalarFormula::log_difference}, 40, 1).value / static_cast<Real>(difference), 1,
                1e-13);
    EXPECT_NEAR(evaluate({ScalarFormula::log_difference}, 40, 1).slope / static_cast<Real>(-difference), 1,
                1e-13);
}

TEST(ScalarLoss, ScaleHasToBePositiveAndFinite) {
    for (const Real scale : {0.0, -1.0, kInfinity, std::numeric_limits<Real>::quiet_NaN()}) {
        EXPECT_THROW(check_parameters({ScalarFormula::huber, scale}), ConfigError);
    }
    EXPECT_NO_THROW(check_parameters({ScalarFormula::huber, 1e-6}));
}

TEST(ScalarLoss, RoundedKinksAreExactBeyondTheWidth) {
    // Sums of powers of two: no rounding.
    const Real width = 0.125;
    for (const Real r : {-4.0, -0.25, 0.25, 4.0}) {
        EXPECT_EQ(evaluate({ScalarFormula::absolute, width}, r, 0).value, std::fabs(r));
        EXPECT_EQ(evaluate({ScalarFormula::quantile, width, 0.75}, r, 0).value, r < 0 ? -0.75 * r : r / 4);
        EXPECT_EQ(evaluate({ScalarFormula::quantile, width, 0.75}, r, 0).slope, r < 0 ? -0.75 : 0.25);
    }
    EXPECT_EQ(evaluate({ScalarFormula::absolute, width}, 0, 0).value, width / 2);
    EXPECT_EQ(evaluate({ScalarFormula::quantile, width, 0.75}, 0, 0).value, width / 4);
}

TEST(ScalarLoss, LevelHasToLieBetweenZeroAndOne) {
    for (const Real level : {0.0, 1.0, -0.5, 90.0, std::numeric_limits<Real>::quiet_NaN()})
        EXPECT_THROW(check_parameters({ScalarFormula::quantile, 1, level}), ConfigError);
    EXPECT_NO_THROW(check_parameters({ScalarFormula::quantile, 1, 0.999}));
}

}  // namespace
}  // namespace proxstream
