/// Losses that are code, and the built-in expectations: gradients, laws, constants, and the rate of the ramp.
#include "offline/sampler.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/row_fixtures.hpp"
#include "offline/function_loss.hpp"
#include "offline/offline_problem.hpp"
#include "offline/sample_draws.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::Source;

/// Every sampler, with other arguments than its own among them.
const std::vector<std::string>& texts() {
    static const std::vector<std::string> all = {
        "regression",
        "regression:features=7,active=3,noise=0.5,outliers=0.3,loss=huber:0.5",
        "regression:features=4,loss=(mlp:hidden=3)",
        "classification",
        "classification:features=6,loss=logistic,flips=0.2",
        "shifted-cosine",
        "shifted-cosine:a=2.5",
        "ramp",
        "ramp:features=1,noise=0.5,wave=3,power=0.5",
        "ramp:features=4,noise=2,wave=0.5,from=3",
    };
    return all;
}

Real value_of(const SampledLoss& loss, SampleId sample, ConstView x, Scratch& scratch) {
    std::vector<Real> unused(x.size());
    return loss.mean({&sample, 1}, x, unused, scratch);
}

/// Numbers as different purposes draw them.
std::vector<SampleId> draw_samples(Index count, DrawPurpose purpose = DrawPurpose::step) {
    SampleDraws draws(1, 0, purpose);
    const auto drawn = draws.draw(count);
    return {drawn.begin(), drawn.end()};
}

TEST(FunctionLoss, AveragesItsSamples) {
    // F(x, i) = i x^2 / 2
    FunctionLoss::Parts parts;
    parts.dimension = 1;
    parts.components = 4;
    parts.sample = [](SampleId i, ConstView x, View gradient) {
        gradient[0] = static_cast<Real>(i) * x[0];
        return static_cast<Real>(i) * x[0] * x[0] / 2;
    };
    const FunctionLoss sum(parts);
    Scratch scratch;
    const std::vector<Real> x = {2};
    std::vector<Real> gradient = {99};
    const std::vector<SampleId> samples = {3, 1, 3};
    EXPECT_DOUBLE_EQ(sum.mean(samples, x, gradient, scratch), 7.0 / 3 * 2);
    EXPECT_DOUBLE_EQ(gradient[0], 7.0 / 3 * 2);
    EXPECT_TRUE(sum.knows_f());
    EXPECT_DOUBLE_EQ(sum.f(x, gradient, scratch), 1.5 * 2);
    EXPECT_DOUBLE_EQ(gradient[0], 1.5 * 2);
    EXPECT_DOUBLE_EQ(sum.f(x, {}, scratch), 1.5 * 2);
    EXPECT_FALSE(sum.smoothness());
    parts.components = 0;
    EXPECT_FALSE(FunctionLoss(parts).knows_f());
    parts.exact = [](ConstView, View) { return 5; };
    EXPECT_TRUE(FunctionLoss(parts).knows_f());
    EXPECT_EQ(FunctionLoss(parts).f(x, {}, scratch), 5);
    parts.dimension = 0;
    EXPECT_THROW(FunctionLoss{parts}, ConfigError);
    EXPECT_THROW(FunctionLoss({.dimension = 2, .sample = {}}), ConfigError);
}

class Samplers : public testing::TestWithParam<std::string> {};

TEST_P(Samplers, GradientsAreDifferencesOfTheSameSample) {
    const Sampler sampler = parse_sampler(GetParam(), 1);
    const SampledLoss& loss = *sampler.loss;
    EXPECT_EQ(loss.components(), 0U);
    EXPECT_EQ(sampler.start.size(), loss.dimension());
    Source source;
    Scratch scratch;
    std::vector<Real> gradient(loss.dimension());
    for (const SampleId sample : draw_samples(5)) {
        std::vector<Real> x = source.point(loss.dimension());
        loss.mean({&sample, 1}, x, gradient, scratch);
        for (Index i = 0; i < x.size(); ++i) {
            constexpr Real kStep = 1e-5;
            const Real middle = x[i];
            x[i] = middle + kStep;
            const Real above = value_of(loss, sample, x, scratch);
            x[i] = middle - kStep;
            const Real below = value_of(loss, sample, x, scratch);
            x[i] = middle;
            EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-7) << i;
        }
    }
}

TEST_P(Samplers, ABatchIsTheMeanOfItsSamplesForAnyNumberOfThreads) {
    const auto loss = parse_sampler(GetParam(), 1).loss;
    Source source{.seed = 2};
    Scratch scratch;
    const Index n = loss->dimension();
    const std::vector<Real> x = source.point(n);
    const std::vector<SampleId> samples = draw_samples(700);
    std::vector<Real> gradient(n);
    std::vector<Real> wanted(n, 0);
    std::vector<Real> one(n);
    Real value = 0;
    for (const SampleId& sample : samples) {
        value += loss->mean({&sample, 1}, x, one, scratch) / 700;
        axpy(1.0 / 700, one, wanted);
    }
    const Real found = loss->mean(samples, x, gradient, scratch);
    EXPECT_NEAR(found, value, 1e-11 * (1 + std::fabs(value)));
    EXPECT_LE(distance(gradient, wanted), 1e-11 * (1 + norm(wanted)));
    set_threads(3);
    EXPECT_EQ(loss->mean(samples, x, one, scratch), found);
    set_threads(1);
    EXPECT_EQ(one, gradient);
}

TEST_P(Samplers, SeedsChangeTheSamplesAndNotTheLaw) {
    const Sampler one = parse_sampler(GetParam(), 1);
    const Sampler two = parse_sampler(GetParam(), 2);
    EXPECT_EQ(one.start, two.start);
    Source source{.seed = 3};
    Scratch scratch;
    const Index n = one.loss->dimension();
    const std::vector<Real> x = source.point(n);
    std::vector<Real> first(n);
    std::vector<Real> second(n);
    const std::vector<SampleId> samples = draw_samples(4000);
    const Real value = one.loss->mean(samples, x, first, scratch);
    EXPECT_NE(two.loss->mean(samples, x, second, scratch), value);
    EXPECT_LE(distance(first, second), 0.2 * (1 + norm(first)));
    const std::vector<SampleId> others = draw_samples(4000, DrawPurpose::test);
    EXPECT_NE(one.loss->mean(others, x, second, scratch), value);
    EXPECT_LE(distance(first, second), 0.2 * (1 + norm(first)));
    if (!one.loss->knows_f()) return;
    EXPECT_NEAR(one.loss->f(x, second, scratch), value, 0.2);
    EXPECT_LE(distance(first, second), 0.1);
}

/// What is said of L, Lb, the worst sample, the noise and the infimum, at random pairs of points.
TEST_P(Samplers, ConstantsHold) {
    const Sampler sampler = parse_sampler(GetParam(), 1);
    const SampledLoss& loss = *sampler.loss;
    const auto facts = loss.smoothness();
    ASSERT_EQ(facts.has_value(), GetParam().find("mlp") == std::string::npos);
    if (!facts) return;
    EXPECT_TRUE(facts->proved);
    Source source{.seed = 4};
    Scratch scratch;
    const Index n = loss.dimension();
    std::vector<Real> at_x(n);
    std::vector<Real> at_y(n);
    std::vector<Real> exact(n);
    const std::vector<SampleId> samples = draw_samples(1000);
    for (int trial = 0; trial < 10; ++trial) {
        const std::vector<Real> x = source.point(n, 2);
        std::vector<Real> y = source.point(n, trial % 2 == 0 ? 2 : 0.01);
        if (trial % 2 != 0) axpy(1, x, y);
        const Real apart = distance(x, y);
        Real squares = 0;
        Real noise = 0;
        if (loss.knows_f()) {
            EXPECT_GE(loss.f(y, at_y, scratch), loss.infimum());
            EXPECT_GE(loss.f(x, exact, scratch), loss.infimum());
            EXPECT_LE(distance(exact, at_y), facts->mean * apart * (1 + 1e-9));
        }
        for (const SampleId& sample : samples) {
            loss.mean({&sample, 1}, x, at_x, scratch);
            loss.mean({&sample, 1}, y, at_y, scratch);
            const Real change = distance(at_x, at_y) / apart;
            EXPECT_LE(change, facts->largest * (1 + 1e-9));
            squares += change * change / 1000;
            if (loss.knows_f()) noise += std::pow(distance(at_x, exact), 2) / 1000;
        }
        EXPECT_LE(std::sqrt(squares), 1.15 * facts->mean_square);
        if (!loss.knows_f()) continue;
        EXPECT_LE(std::sqrt(noise), 1.15 * sampler.noise);
        // The ramp's noise is the same everywhere.
        EXPECT_GE(std::sqrt(noise), GetParam().starts_with("ramp") ? 0.85 * sampler.noise : 0);
    }
}

std::string test_name(const testing::TestParamInfo<std::string>& row) {
    std::string name = std::to_string(row.index) + "_" + row.param;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, Samplers, testing::ValuesIn(texts()), test_name);

TEST(SamplerTable, EveryRowIsTested) {
    for (const SamplerRow& row : samplers()) {
        EXPECT_NE(std::find(texts().begin(), texts().end(), row.name), texts().end()) << row.name;
        EXPECT_TRUE(row.usage.starts_with(row.name)) << row.name;
        EXPECT_FALSE(row.formula.empty() || row.help.empty()) << row.name;
    }
}

TEST(SamplerTable, RefusesInvalidTexts) {
    for (const char* text :
         {"", "rump", "ramp:power=0", "ramp:noise=-1", "ramp:wave=0", "ramp:features=0", "ramp:3",
          "ramp:from=nan", "regression:active=30", "regression:loss=logistic", "regression:outliers=2",
          "regression:lose=huber", "classification:loss=squared", "classification:flips=-1",
          "classification:loss=nothing", "shifted-cosine:a=-1", "shifted-cosine:b=1"}) {
        EXPECT_THROW(parse_sampler(text, 1), ConfigError) << text;
    }
}

/// Iterations of exact gradient descent until |grad f|^2 <= eps.
Real descent_steps(const Sampler& sampler, Real eps) {
    Scratch scratch;
    std::vector<Real> x = sampler.start;
    std::vector<Real> gradient(x.size());
    for (Real k = 0;; ++k) {
        sampler.loss->f(x, gradient, scratch);
        if (squared_norm(gradient) <= eps) return k;
        axpy(-1, gradient, x);
    }
}

TEST(Ramp, TakesGradientDescentAsLongAsTheWorstCase) {
    const Sampler ramp = parse_sampler("ramp", 1);
    const Real many = descent_steps(ramp, 1e-4);
    const Real few = descent_steps(ramp, 1e-2);
    EXPECT_NEAR(std::log(many / few) / std::log(1e-4 / 1e-2), -1, 0.05) << few << ' ' << many;
}

TEST(Regression, IsMinimisedNearTheTruth) {
    const Sampler sampler = parse_sampler("regression:features=6,active=2,noise=0.1,outliers=0.1", 1);
    const OfflineProblem problem =
        make_offline_problem(sampler.loss, parse_regulariser("zero"), sampler.start);
    EXPECT_EQ(problem.reference_step, 1);
    Scratch scratch;
    std::vector<Real> x = problem.start;
    std::vector<Real> gradient(x.size());
    SampleDraws draws(1, 0, DrawPurpose::step);
    for (int k = 0; k < 300; ++k) {
        problem.loss->mean(draws.draw(100), x, gradient, scratch);
        axpy(-0.5, gradient, x);
    }
    // Two weights of size 0.5 to 1.5, far from each other.
    for (Index i = 0; i < x.size(); ++i) {
        EXPECT_EQ(std::fabs(x[i]) > 0.4, i == 0 || i == 3) << i;
        EXPECT_EQ(std::fabs(x[i]) < 0.1, i != 0 && i != 3) << i;
    }
}

}  // namespace
}  // namespace proxstream
