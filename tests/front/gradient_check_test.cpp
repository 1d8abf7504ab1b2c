#include "proxstream/gradient_check.hpp"

#include "front/front_fixtures.hpp"

#include <gtest/gtest.h>

namespace proxstream::front_test {
namespace {

Real huber(Real r, Real& slope) {
    slope = std::abs(r) <= 1 ? r : std::copysign(Real{1}, r);
    return std::abs(r) <= 1 ? r * r / 2 : std::abs(r) - 0.5;
}

struct Honest {
    const char* name;
    std::function<Real(Real x, Real& slope)> loss;
};

/// Losses with corners, in a derivative too.
std::vector<Honest> bent_losses() {
    return {
        {"huber", huber},
        {"absolute",
         [](Real x, Real& d) {
             d = x > 0 ? 1 : x < 0 ? -1 : 0;
             return std::abs(x);
         }},
        {"hinge",
         [](Real x, Real& d) {
             d = x < 1 ? -1 : 0;
             return std::max(Real{0}, 1 - x);
         }},
        {"steep kink",
         [](Real x, Real& d) {
             d = x >= 0 ? 1000 : -1;
             return x >= 0 ? 1000 * x : -x;
         }},
        {"root of cube",
         [](Real x, Real& d) {
             d = std::copysign(1.5 * std::sqrt(std::abs(x)), x);
             return std::pow(std::abs(x), 1.5);
         }},
    };
}

std::vector<Honest> smooth_losses() {
    return {
        {"cube",
         [](Real x, Real& d) {
             d = 3 * x * x;
             return x * x * x;
         }},
        {"seventh power",
         [](Real x, Real& d) {
             d = 7 * std::pow(x, 6);
             return std::pow(x, 7);
         }},
        {"well",
         [](Real x, Real& d) {
             d = 2 * x * std::exp(-x * x);
             return 1 - std::exp(-x * x);
         }},
        {"narrow well",
         [](Real x, Real& d) {
             const Real e = std::exp(-1e6 * x * x);
             d = 2e6 * x * e;
             return 1 - e;
         }},
        {"wave",
         [](Real x, Real& d) {
             d = 100 * std::cos(100 * x);
             return std::sin(100 * x);
         }},
        {"exponential",
         [](Real x, Real& d) {
             d = 5 * std::exp(5 * x);
             return std::exp(5 * x);
         }},
        {"logarithm",
         [](Real x, Real& d) {
             d = 1 / x;
             return std::log(x);
         }},
        {"large offset",
         [](Real x, Real& d) {
             d = 1e-3 * std::cos(x);
             return 1e6 + 1e-3 * std::sin(x);
         }},
        {"single precision",
         [](Real x, Real& d) {
             d = static_cast<float>(std::cos(x));
             return Real{static_cast<float>(100 + std::sin(x))};
         }},
        {"constant",
         [](Real, Real& d) {
             d = 0;
             return 3.0;
         }},
        {"tiny",
         [](Real x, Real& d) {
             d = 1e-12 * x;
             return 0.5e-12 * x * x;
         }},
    };
}

std::vector<Honest> honest_losses() {
    std::vector<Honest> losses = bent_losses();
    for (Honest& loss : smooth_losses()) losses.push_back(loss);
    return losses;
}

TEST(GradientCheck, CorrectGradientsAgreeAtCornersAndElsewhere) {
    for (const Honest& honest : honest_losses()) {
        std::vector<Real> places{0, 1, -1, 1e-5, 1 - 1e-5, 1 + 1e-7, -1e-6, 0.5, 30, -1000, 1e-300};
        for (Index i = 0; i < 300; ++i) places.push_back(3 * normal({.seed = 8, .sample = i}));
        for (const Real place : places) {
            const auto loss = [&](ConstView x, View gradient) {
                Real total = 0;
                for (Index i = 0; i < x.size(); ++i) total += honest.loss(x[i], gradient[i]);
                return total;
            };
            const Real x[] = {place, 0.3, -place};
            std::vector<Real> unused(3);
            if (!std::isfinite(loss(x, unused))) continue;
            const GradientReport report = check_gradient(loss, x);
            ASSERT_TRUE(report.agrees()) << honest.name << " at " << place << ": " << report.text();
        }
    }
}

TEST(GradientCheck, WrongGradientsAreFoundWithTheCoordinateAndBothNumbers) {
    const Real x[] = {0.3, 2, -0.7, 0.1};
    const std::vector<std::function<void(View)>> mistakes{
        [](View g) { g[2] = -g[2]; },  // sign
        [](View g) { g[2] *= 2; },     // factor
        [](View g) { g[2] = 0; },      // forgotten
        [](View g) { g[2] += 0.05; },  // offset
    };
    for (const auto& mistake : mistakes) {
        const auto loss = [&](ConstView at, View gradient) {
            const Real value = track(std::vector<Real>(at.size()), at, gradient);
            mistake(gradient);
            return value;
        };
        const GradientReport report = check_gradient(loss, x);
        EXPECT_FALSE(report.agrees());
        for (const auto& entry : report.entries) EXPECT_EQ(entry.agrees, entry.coordinate != 2);
        EXPECT_NEAR(report.entries[2].measured, -0.7 / 1.49, 1e-6);
        EXPECT_NE(report.text().find("coordinate 2"), std::string::npos);
    }
}

TEST(GradientCheck, APointWhereTheLossIsNotFiniteIsRefused) {
    const Real x[] = {1};
    EXPECT_THROW(check_gradient(
                     [](ConstView, View g) {
                         g[0] = 0;
                         return kInfinity;
                     },
                     x),
                 ConfigError);
    EXPECT_THROW(check_gradient({}, x), ConfigError);
}

TEST(GradientCheck, TheLearnerReportsAWrongGradientInItsFirstRounds) {
    for (const Index wrong : {Index{0}, Index{17}, Index{39}}) {
        OnlineLearner learner({.dimension = 40, .window = 4});
        const std::vector<Real> before(learner.decision().begin(), learner.decision().end());
        const std::vector<Real> at(40, 0.5);
        try {
            learner.observe([&](ConstView x, View gradient) {
                const Real value = track(at, x, gradient);
                gradient[wrong] = -gradient[wrong];
                return value;
            });
            FAIL() << "coordinate " << wrong;
        } catch (const GradientMismatch& mismatch) {
            EXPECT_EQ(mismatch.coordinate(), wrong);
            EXPECT_NEAR(mismatch.given(), 0.4, 1e-12);
            EXPECT_NEAR(mismatch.measured(), -0.4, 1e-4);
        }
        EXPECT_EQ(learner.rounds(), 0U);
        EXPECT_EQ(learner.step(), 0);
        EXPECT_TRUE(std::equal(before.begin(), before.end(), learner.decision().begin()));
    }
}

TEST(GradientCheck, CanBeSwitchedOff) {
    OnlineLearner learner({.dimension = 1, .window = 2, .check_gradients = false});
    const RoundReport& report = learner.observe([](ConstView x, View gradient) {
        gradient[0] = -x[0];
        return x[0] * x[0] + 1;
    });
    EXPECT_NE(report.status, RoundStatus::refused);
}

TEST(GradientCheck, TheLearnerNeverReportsACorrectGradient) {
    for (const Honest& honest : honest_losses()) {
        OnlineLearner learner(
            {.dimension = 4, .regulariser = Box(-2, 2), .start = {1, 1, 1, 1}, .window = 3});
        for (Round t = 1; t <= 4; ++t) {
            learner.observe([&](ConstView x, View gradient) {
                Real total = 0;
                for (Index i = 0; i < x.size(); ++i) total += honest.loss(x[i], gradient[i]);
                return total;
            });
        }
        SUCCEED() << honest.name;
    }
}

}  // namespace
}  // namespace proxstream::front_test
