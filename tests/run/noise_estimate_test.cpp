/// Estimates from records against definitions in plain loops, and against rows whose variance is known.
#include "run/noise_estimate.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"
#include "loss/row_fixtures.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

const AnyRegulariser& no_penalty() {
    static const AnyRegulariser zero = parse_regulariser("zero");
    return zero;
}

NoiseEstimate look_at(const std::vector<RowBlock>& records, const RowFamily& family,
                      const NoiseEstimateOptions& options = {}) {
    std::vector<Real> start(family.dimension());
    family.start(start, 1);
    return estimate_noise(records, family, no_penalty(), start, options);
}

/// Records of one constant feature 1: with the squared loss the gradient of a row at x is x - y, so the rows'
/// variance is that of their targets, everywhere.
std::vector<RowBlock> constant_feature(Index records, Index rows, Real deviation, std::uint64_t seed) {
    std::vector<RowBlock> all;
    for (Index i = 0; i < records; ++i) {
        RowBlock record;
        const std::vector<Real> one{1};
        for (Index row = 0; row < rows; ++row) {
            record.add_dense(one, 2 + deviation * normal({.seed = seed, .round = i, .sample = row}));
        }
        all.push_back(record);
    }
    return all;
}

std::unique_ptr<RowFamily> plain_squared(Index features) {
    return parse_loss("squared", {.features = features, .intercept = false});
}

TEST(UpperLimit, UsesStudentsQuantiles) {
    // Tables: t(0.95; 1) = 6.3138, t(0.975; 4) = 2.7764, t(0.99; 9) = 2.8214, t(0.95; 30) = 1.6973.
    EXPECT_NEAR(upper_limit(std::vector<Real>{0, 1}, 0.95), 0.5 + 6.3138 * 0.5, 1e-4);
    EXPECT_NEAR(upper_limit(std::vector<Real>{1, 2, 3, 4, 5}, 0.975), 3 + 2.7764 * std::sqrt(0.5), 1e-4);
    std::vector<Real> ten;
    for (int i = 0; i < 10; ++i) ten.push_back(i % 2);
    EXPECT_NEAR(upper_limit(ten, 0.99), 0.5 + 2.8214 * std::sqrt(0.25 / 9), 1e-4);
    std::vector<Real> many{0};
    for (int i = 0; i < 30; ++i) many.push_back(i % 2 == 0 ? 1 : -1);
    EXPECT_NEAR(upper_limit(many, 0.95), 1.6973 * std::sqrt(30.0 / 30 / 31), 1e-4);
    EXPECT_EQ(upper_limit(std::vector<Real>{2, 2, 2}, 0.95), 2);
}

TEST(NoiseEstimate, FindsTheVarianceOfRowsThatIsKnown) {
    const auto family = plain_squared(1);
    const auto records = constant_feature(400, 8, 3, 5);
    const NoiseEstimate estimate = look_at(records, *family);
    // 9 * 7/8 in the mean, with deviation 9 sqrt(2 * 7)/8 a record.
    const Real variance = estimate.base_noise * estimate.base_noise;
    const Real error = 9 * std::sqrt(14.0) / 8 / 20;
    EXPECT_NEAR(variance, 9 * 7.0 / 8, 3 * error);
    EXPECT_GT(estimate.base_noise_limit, estimate.base_noise);
    // Confidence 0.95 for four points together: t(0.9875; 399) = 2.2497.
    EXPECT_NEAR(estimate.base_noise_limit * estimate.base_noise_limit - variance, 2.2497 * error,
                0.4 * error);
    EXPECT_DOUBLE_EQ(estimate.smoothness, 1);
    EXPECT_DOUBLE_EQ(estimate.mean_squared_smoothness, 1);
    EXPECT_EQ(estimate.smoothness_source, NoiseEstimate::Source::proved);
    // Means of 8 targets differ with variance 2 * 9/8.
    EXPECT_NEAR(estimate.variation, std::sqrt(2 * 9.0 / 8), 0.15);
    EXPECT_FALSE(estimate.exact());
}

TEST(NoiseEstimate, ItsLimitHasTheStatedCoverage) {
    const auto family = plain_squared(1);
    int covered = 0;
    constexpr int kRuns = 400;
    for (int run = 0; run < kRuns; ++run) {
        const auto records = constant_feature(12, 4, 1, 100 + static_cast<std::uint64_t>(run));
        const NoiseEstimate estimate = look_at(records, *family, {.confidence = 0.9});
        if (estimate.base_noise_limit * estimate.base_noise_limit >= 0.75) ++covered;
    }
    // The same variance at all four points: the limit holds for each at 0.975, less what skewness costs.
    EXPECT_GE(covered, 0.9 * kRuns);
    EXPECT_LT(covered, kRuns);
}

struct Twin {
    Real variance = 0;
    Real variation = 0;
    Real loss = 0;
};

/// The definitions at one point, row by row and pair by pair.
Twin twin_at(const std::vector<RowBlock>& records, const RowFamily& family, const std::vector<Real>& x) {
    Scratch scratch;
    Twin twin;
    const Index n = records.size();
    std::vector<std::vector<Real>> gradients;
    for (const RowBlock& record : records) {
        std::vector<Real> whole(x.size());
        twin.loss += family.value_and_gradient(record, x, whole, scratch) / static_cast<Real>(n);
        for (Index row = 0; row < record.rows(); ++row) {
            RowBlock single(record.sparse());
            if (record.sparse()) {
                single.add_sparse(record.indices(row), record.values(row), record.target(row));
            } else {
                single.add_dense(record.values(row), record.target(row));
            }
            std::vector<Real> gradient(x.size());
            family.value_and_gradient(single, x, gradient, scratch);
            for (Index j = 0; j < x.size(); ++j) {
                twin.variance += std::pow(gradient[j] - whole[j], 2) / static_cast<Real>(record.rows() * n);
            }
        }
        for (const auto& other : gradients) {
            for (Index j = 0; j < x.size(); ++j) {
                twin.variation += 2 * std::pow(other[j] - whole[j], 2) / static_cast<Real>(n * (n - 1));
            }
        }
        gradients.push_back(whole);
    }
    return twin;
}

TEST(NoiseEstimate, AgreesWithTheDefinitionsOnEveryFamily) {
    for (const std::string& spec : fixtures::specs()) {
        const auto family = parse_loss(spec, {.features = fixtures::features_of(spec, 4)});
        fixtures::Source source{.seed = 9};
        std::vector<RowBlock> dense;
        std::vector<RowBlock> sparse;
        for (Index i = 0; i < 6; ++i) {
            const auto twins = fixtures::draw_record(*family, family->features(), 1 + i % 4, source);
            dense.push_back(twins.dense);
            sparse.push_back(twins.sparse);
        }
        const std::vector<Real> start = source.point(family->dimension());
        // A claimed L so large that the walk stays where it starts.
        const NoiseEstimateOptions still{.smoothness = 1e100};
        const NoiseEstimate estimate = estimate_noise(dense, *family, no_penalty(), start, still);
        const Twin twin = twin_at(dense, *family, start);
        EXPECT_NEAR(estimate.base_noise, std::sqrt(twin.variance), 1e-6 * estimate.base_noise) << spec;
        EXPECT_NEAR(estimate.variation, std::sqrt(twin.variation), 1e-6 * estimate.variation) << spec;
        EXPECT_LT(estimate.oscillation, 1e-6) << spec;
        const NoiseEstimate other = estimate_noise(sparse, *family, no_penalty(), start, still);
        EXPECT_NEAR(estimate.base_noise_limit, other.base_noise_limit, 1e-9 * estimate.base_noise_limit)
            << spec;
        EXPECT_EQ(estimate.fewest_rows, 1U);
        EXPECT_EQ(estimate.most_rows, 4U);
    }
}

TEST(NoiseEstimate, MeasuresCurvatureWhereNoBoundIsKnown) {
    const auto family = parse_loss("mlp:hidden=5,activation=tanh,task=regression", {.features = 3});
    fixtures::Source source{.seed = 4};
    std::vector<RowBlock> records;
    for (Index i = 0; i < 10; ++i) records.push_back(fixtures::draw_record(*family, 3, 5, source).dense);
    const NoiseEstimate estimate = look_at(records, *family);
    EXPECT_EQ(estimate.smoothness_source, NoiseEstimate::Source::measured);
    EXPECT_EQ(estimate.mean_squared_smoothness, 0);
    EXPECT_EQ(estimate.points, 4U);
    EXPECT_NE(estimate.smoothness_origin().find("not a bound"), std::string::npos);
    // Random directions near the start change gradients less than twice the steepest one found.
    std::vector<Real> start(family->dimension());
    family->start(start, 1);
    Scratch scratch;
    std::vector<Real> at(start.size());
    std::vector<Real> near(start.size());
    Real steepest = 0;
    for (const RowBlock& record : records) {
        std::vector<Real> moved = start;
        Real length = 0;
        for (Real& value : moved) {
            const Real by = 1e-3 * source.normal();
            value += by;
            length += by * by;
        }
        family->value_and_gradient(record, start, at, scratch);
        family->value_and_gradient(record, moved, near, scratch);
        Real change = 0;
        for (Index j = 0; j < at.size(); ++j) change += std::pow(near[j] - at[j], 2);
        steepest = std::max(steepest, std::sqrt(change / length));
    }
    EXPECT_GT(steepest, 0);
    EXPECT_LT(steepest, estimate.smoothness / 2);
    EXPECT_LT(estimate.smoothness, 100 * steepest);
    // The same draws give the same figures; the walk lowers the losses.
    EXPECT_EQ(look_at(records, *family).smoothness, estimate.smoothness);
    EXPECT_GT(estimate.oscillation, 0);
    EXPECT_GE(estimate.oscillation_limit, estimate.oscillation);
}

TEST(NoiseEstimate, TheSwingIsTheRangeOfLossesOverTheWalk) {
    // y = 2 everywhere: from x = 0 one step of 1/L = 1 reaches 2, and the loss falls from 2 to 0.
    const auto records = constant_feature(5, 3, 0, 1);
    const NoiseEstimate estimate = look_at(records, *plain_squared(1));
    EXPECT_DOUBLE_EQ(estimate.oscillation, 2);
    EXPECT_DOUBLE_EQ(estimate.oscillation_limit, 2);
    EXPECT_EQ(estimate.base_noise, 0);
    // A box keeps the walk at 1, where the loss is 1/2.
    const std::vector<Real> start{0};
    const NoiseEstimate kept =
        estimate_noise(records, *plain_squared(1), parse_regulariser("box:-1,1"), start, {});
    EXPECT_DOUBLE_EQ(kept.oscillation, 1.5);
    // The gradient at 0 is -2; the box lets a step of 1 go no further than 1.
    EXPECT_DOUBLE_EQ(estimate.gap, 2);
    EXPECT_DOUBLE_EQ(kept.gap, 1);
}

TEST(NoiseEstimate, RecordsOfOneRowAreExact) {
    const auto records = constant_feature(5, 1, 3, 1);
    const NoiseEstimate estimate = look_at(records, *plain_squared(1));
    EXPECT_TRUE(estimate.exact());
    EXPECT_EQ(estimate.base_noise_limit, 0);
    EXPECT_NE(estimate.base_noise_origin(0.95).find("exact"), std::string::npos);
}

TEST(NoiseEstimate, VeryLargeRecordsAreSampled) {
    const auto records = constant_feature(3, 5000, 2, 1);
    EXPECT_NEAR(look_at(records, *plain_squared(1)).base_noise, 2, 0.15);
}

TEST(NoiseEstimate, LeavesOutLossesThatAreNotFinite) {
    auto records = constant_feature(4, 2, 1, 1);
    const Real whole = look_at(records, *plain_squared(1)).base_noise;
    RowBlock wild;
    wild.add_dense(std::vector<Real>{1e200}, 1e200);
    records.insert(records.begin() + 1, wild);
    const NoiseEstimate estimate = look_at(records, *plain_squared(1));
    EXPECT_EQ(estimate.records, 4U);
    EXPECT_EQ(estimate.base_noise, whole);
    records.resize(2);
    EXPECT_THROW(look_at(records, *plain_squared(1)), ConfigError);
    EXPECT_THROW(look_at({}, *plain_squared(1)), ConfigError);
}

}  // namespace
}  // namespace proxstream
