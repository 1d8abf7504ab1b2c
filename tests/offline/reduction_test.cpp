/// The time-smoothed reduction: its parameters, its two accounts, and that with exact gradients it is the
/// online learner on a stream that repeats one loss.
#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/function_family.hpp"
#include "proxstream/window/record_ring.hpp"

#include "offline/stochastic_setting.hpp"
#include "online/time_smoothed.hpp"
#include "solve/prox_grad.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using recorded::gap;
using recorded::make;
using recorded::mean_gradient;
using recorded::parameter;
using recorded::Setting;
using recorded::setting;
using recorded::Vector;
using recorded::vector_of;

TEST(Reduction, WithExactGradientsIsTheOnlineLearnerOnAConstantStream) {
    constexpr Index kDimension = 4;
    constexpr Index kWindow = 5;
    constexpr std::uint64_t kRounds = 9;
    constexpr Real kDelta = 0.02;
    constexpr Real kStep = 0.4;
    Setting s = setting(25, kDimension);
    const auto method = make("reduction:parameters=corrected,sigma=0,filled=no,w=5,T=9,delta=0.02,step=0.4",
                             {.problem = s.problem});

    using Batch = RecordRing<FunctionFamily>;
    const FunctionFamily family(kDimension);
    TimeSmoothedOptions options;
    options.window = kWindow;
    options.step = kStep;
    options.tolerance = Tolerance::fixed(kDelta);
    TimeSmoothed learner(s.problem.g, AnyBatch(Batch(family, CarriedWindow::slots(kWindow))), s.problem.start,
                         options, ProxGrad(2));
    const FunctionFamily::Record record = [&s](ConstView x, View gradient) {
        Scratch scratch;
        return s.loss->f(x, gradient, scratch);
    };

    Cost cost;
    std::uint64_t all_steps = 0;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
        const RoundReport report = learner.observe(record);
        // As many steps, then a test that passes.
        for (std::uint64_t k = 0; k < report.steps; ++k) {
            ASSERT_EQ(method->advance(cost), StepStatus::moved);
            ASSERT_FALSE(method->candidate());
        }
        const StepStatus last = method->advance(cost);
        ASSERT_EQ(last, round < kRounds ? StepStatus::moved : StepStatus::finished) << round;
        ASSERT_EQ(method->candidate(), round >= kWindow) << round;
        ASSERT_LT(distance(method->point(), learner.decide()), 1e-12) << round;
        all_steps += report.steps;
    }
    EXPECT_GT(all_steps, 20U);
    EXPECT_EQ(cost.prox, all_steps + kRounds);
    EXPECT_EQ(cost.passes, all_steps + kRounds);
    EXPECT_EQ(cost.base_samples, 25 * (all_steps + kRounds));
    // Over: nothing more is done.
    const Cost before = cost;
    EXPECT_EQ(method->advance(cost), StepStatus::finished);
    EXPECT_EQ(cost, before);
}

TEST(Reduction, KeepsBothAccountsAndWindowsFillUp) {
    // Of w = 3, round t < 3 holds t/3 of f: t answers of 7 samples each.
    Setting s = setting(0, 4);
    const auto method =
        make("reduction:w=3,T=6,filled=no,delta=1.5,samples=7,step=0.1,sigma0=1", {.problem = s.problem});
    Cost cost;
    std::uint64_t round = 1;
    for (int k = 0; k < 60; ++k) {
        const std::uint64_t copies = std::min<std::uint64_t>(round, 3);
        const Vector x = vector_of(method->point());
        const Cost before = cost;
        const StepStatus status = method->advance(cost);
        EXPECT_EQ((cost - before).oracle_calls, copies);
        EXPECT_EQ((cost - before).base_samples, 7 * copies);
        ASSERT_EQ(s.loss->calls.back().samples.size(), 7 * copies);
        // The test by hand: T = soft(x - eta G), G = copies/3 of the mean.
        const Vector gradient = mean_gradient(s.loss->calls.back().samples, x);
        Vector forward = x;
        Real square = 0;
        for (Index j = 0; j < x.size(); ++j) {
            const Real moved = x[j] - 0.1 * gradient[j] * static_cast<Real>(copies) / 3;
            forward[j] = std::copysign(std::max(std::fabs(moved) - 0.1 * 0.01, 0.0), moved);
            square += (x[j] - forward[j]) * (x[j] - forward[j]) / 0.01;
        }
        if (std::sqrt(square) <= 1.5 / 3) {
            ++round;
            ASSERT_EQ(vector_of(method->point()), x);
            if (round > 6) {
                EXPECT_EQ(status, StepStatus::finished);
                break;
            }
        } else {
            for (Index j = 0; j < x.size(); ++j) ASSERT_NEAR(method->point()[j], forward[j], 1e-13);
        }
        ASSERT_EQ(status, StepStatus::moved);
    }
    EXPECT_EQ(round, 7U);
    EXPECT_EQ(cost.base_samples, s.loss->evaluated);
}

TEST(Reduction, HasTheParametersOfTheCorollaryAsStated) {
    Setting s = setting(0, 4);
    const auto method = make("reduction:parameters=paper,sigma0=2,sigma=2,variation=3",
                             {.problem = s.problem, .epsilon = 0.5});
    // L = 2, eta = 1/6, delta^2 = 2 eta sigma^2/(1 - 3 eta) = 8/3, w = ceil(2 sqrt((8/3 + 28 + 3)/0.25)).
    EXPECT_NEAR(method->step(), 1.0 / 6, 1e-15);
    EXPECT_NEAR(parse_real(parameter(*method, "delta"), ""), std::sqrt(8.0 / 3), 1e-12);
    EXPECT_EQ(parameter(*method, "w"), "24");
    EXPECT_EQ(parameter(*method, "T"), "48");
    EXPECT_EQ(parameter(*method, "samples"), "576");  // (sigma_0 w/sigma)^2
    EXPECT_EQ(parameter(*method, "base samples an estimate"), "13824");
    EXPECT_FALSE(method->candidate());
}

TEST(Reduction, CorrectedReductionReachesEpsilon) {
    constexpr Real kEpsilon = 0.25;
    Setting s = setting(0, 3);
    const auto method = make("reduction:sigma0=1", {.problem = s.problem, .epsilon = kEpsilon});
    // c = 1/2: delta = 4, w = 5/0.25, and one round with a window that begins filled.
    EXPECT_EQ(parameter(*method, "delta"), "4");
    EXPECT_EQ(parameter(*method, "w"), "20");
    EXPECT_EQ(parameter(*method, "T"), "1");
    EXPECT_EQ(parameter(*method, "samples"), "20");
    EXPECT_EQ(parse_real(parameter(*make("reduction:sigma0=1,answers=literal",
                                         {.problem = s.problem, .epsilon = kEpsilon}),
                                   "samples"),
                         ""),
              400);
    Cost cost;
    StepStatus status = StepStatus::moved;
    while (status == StepStatus::moved && cost.prox < 500) status = method->advance(cost);
    EXPECT_EQ(status, StepStatus::finished);
    EXPECT_TRUE(method->candidate());
    EXPECT_EQ(cost.oracle_calls, 20 * cost.prox);
    EXPECT_EQ(cost.base_samples, 400 * cost.prox);
    // By fresh samples: the gap of their mean, and its own noise.
    Vector forward(3), difference(3), gradient = recorded::full_gradient(20'000, vector_of(method->point()));
    Scratch scratch;
    const Real reached =
        prox_gradient_step(s.problem.g, method->point(), gradient, 0.5, {forward, difference}, scratch).norm;
    EXPECT_LE(reached, kEpsilon);
}

TEST(Reduction, TakesTheSumItselfWhereAnswersWouldTakeMore) {
    Setting s = setting(30, 4);
    const auto method =
        make("reduction:w=4,T=6,filled=no,delta=0.5,samples=10,sigma0=1", {.problem = s.problem});
    Cost cost;
    StepStatus status = StepStatus::moved;
    while (status == StepStatus::moved && cost.prox < 500) status = method->advance(cost);
    EXPECT_EQ(status, StepStatus::finished);
    EXPECT_EQ(cost.base_samples, s.loss->evaluated);
    // 10 and 20 samples in rounds 1 and 2, then passes.
    for (const recorded::Call& call : s.loss->calls) {
        EXPECT_TRUE(call.samples.empty() || call.samples.size() == 10 || call.samples.size() == 20);
    }
    EXPECT_TRUE(s.loss->calls.back().samples.empty());
    EXPECT_LE(gap(s.problem, vector_of(method->point())), 0.5 / 4 * (1 + 1e-9));
}

TEST(Reduction, StopsAtTheRoundingFloor) {
    Setting s = setting(20, 3);
    const auto method = make("reduction:sigma=0,w=1,delta=1e-300", {.problem = s.problem});
    Cost cost;
    StepStatus status = StepStatus::moved;
    while (status == StepStatus::moved && cost.prox < 20'000) status = method->advance(cost);
    EXPECT_EQ(status, StepStatus::stalled);
    EXPECT_LT(gap(s.problem, vector_of(method->point())), 1e-13);
}

}  // namespace
}  // namespace proxstream
