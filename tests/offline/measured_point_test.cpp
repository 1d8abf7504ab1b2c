/// The referee: exact where f is known, and intervals that cover what they should where it is not.
#include "proxstream/prox/prox_gradient_step.hpp"

#include "offline/fit_setting.hpp"

#include <string>

namespace proxstream {
namespace {

using fit_setting::hidden;
using fit_setting::sampler_problem;
using fit_setting::sum_problem;

TEST(Measure, IsExactWhereFIsKnown) {
    const OfflineProblem problem = sum_problem();
    const std::vector<Real> x{0.5, 0, -0.25, 2};
    Scratch scratch;
    Cost cost;
    const MeasuredPoint point = measure(problem, x, {}, {7, 3}, cost, scratch);
    std::vector<Real> gradient(4), forward(4), difference(4);
    EXPECT_EQ(point.loss, problem.loss->f(x, gradient, scratch));
    EXPECT_DOUBLE_EQ(point.regulariser, 0.01 * 2.75);
    EXPECT_EQ(point.gap, prox_gradient_step(problem.g, x, gradient, problem.reference_step,
                                            {forward, difference}, scratch)
                             .norm);
    EXPECT_EQ(point.gap_error, 0);
    EXPECT_EQ(point.nonzeros, 3U);
    EXPECT_EQ(cost.base_samples, 50U);
    EXPECT_EQ(cost.passes, 1U);
}

struct Share {
    Real gap = 0;
    Real loss = 0;
};

/// Of tests with different seeds, how many intervals hold the truth.
Share covered(const std::string& sampler, const std::vector<Real>& x, Real confidence,
              const std::string& g = "zero") {
    constexpr std::uint64_t kSeeds = 400;
    Share share;
    Scratch scratch;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const OfflineProblem known = sampler_problem(sampler, seed, g);
        Cost cost;
        const MeasuredPoint truth = measure(known, x, {}, {0, seed}, cost, scratch);
        EXPECT_EQ(cost.base_samples, 0U);
        const MeasuredPoint point =
            measure(hidden(known), x, {.samples = 160, .confidence = confidence}, {5, seed}, cost, scratch);
        EXPECT_EQ(cost.base_samples, 160U);
        EXPECT_GT(point.gap_error, 0);
        if (point.gap_low() <= truth.gap && truth.gap <= point.gap_high()) share.gap += Real{1} / kSeeds;
        if (std::abs(point.loss - truth.loss) <= point.loss_error) share.loss += Real{1} / kSeeds;
    }
    return share;
}

TEST(Measure, IntervalsHaveTheStatedCoverage) {
    // Noise along one direction, far from rest: the interval is as wide as it has to be and no wider.
    for (const Real confidence : {0.8, 0.95, 0.99}) {
        SCOPED_TRACE(confidence);
        const Real slack = 3.3 * std::sqrt(confidence * (1 - confidence) / 400);
        const Share cosine = covered("shifted-cosine:a=0.5", {1.2}, confidence);
        EXPECT_NEAR(cosine.gap, confidence, slack);
        EXPECT_NEAR(cosine.loss, confidence, slack);
        const Share ramp = covered("ramp:features=2", {-0.7, 0.7}, confidence);
        EXPECT_NEAR(ramp.gap, confidence, slack);
        EXPECT_NEAR(ramp.loss, confidence, slack);
        // At rest, and where P sees a part of the noise, it is on the safe side.
        EXPECT_GE(covered("shifted-cosine:a=0.5", {0}, confidence).gap, confidence - slack);
        EXPECT_GE(covered("ramp:features=5", {0.7, 0, 0, 0, 0.01}, confidence, "l1:0.05").gap,
                  confidence - slack);
    }
}

TEST(Measure, TestsHaveSamplesOfTheirOwn) {
    const OfflineProblem problem = hidden(sampler_problem("ramp:features=2"));
    const std::vector<Real> x{0.7, 0.9};
    Scratch scratch;
    Cost cost;
    const auto gap = [&](std::uint64_t test, std::uint64_t seed, Index samples) {
        return measure(problem, x, {.samples = samples}, {test, seed}, cost, scratch).gap;
    };
    EXPECT_EQ(gap(0, 1, 64), gap(0, 1, 64));
    EXPECT_NE(gap(0, 1, 64), gap(1, 1, 64));
    EXPECT_NE(gap(0, 1, 64), gap(0, 2, 64));
    // More samples, a narrower interval: by the root.
    const MeasuredPoint few = measure(problem, x, {.samples = 1024}, {1, 1}, cost, scratch);
    const MeasuredPoint many = measure(problem, x, {.samples = 65'536}, {1, 1}, cost, scratch);
    EXPECT_NEAR(few.gap_error / many.gap_error, 8, 3);
}

TEST(Measure, SamplesThatAreNotFiniteShow) {
    FunctionLoss::Parts parts;
    parts.dimension = 1;
    parts.sample = [](SampleId sample, ConstView, View gradient) {
        gradient[0] = sample % 5 == 0 ? std::nan("") : 1;
        return Real{1};
    };
    OfflineProblem problem{.loss = std::make_shared<FunctionLoss>(std::move(parts)),
                           .g = parse_regulariser("zero"),
                           .start = {0},
                           .reference_step = 1};
    Scratch scratch;
    Cost cost;
    EXPECT_FALSE(std::isfinite(measure(problem, problem.start, {}, {0, 1}, cost, scratch).gap));
}

}  // namespace
}  // namespace proxstream
