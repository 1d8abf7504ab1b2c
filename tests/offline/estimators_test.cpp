/// Every estimate against its definition, computed from the recorded evaluations of the loss.
#include "offline/estimators.hpp"

#include "offline/recorded_loss.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using recorded::Call;
using recorded::full_gradient;
using recorded::mean_gradient;
using recorded::RecordedLoss;
using recorded::Vector;

constexpr Index kEstimated = 5;
constexpr Real kRounding = 1e-13;

Vector point(int k) {
    Vector x(kEstimated);
    for (Index j = 0; j < kEstimated; ++j) x[j] = std::sin(1.3 * k + static_cast<Real>(j));
    return x;
}

void expect_near(ConstView a, const Vector& b, Real slack = kRounding) {
    ASSERT_EQ(a.size(), b.size());
    for (Index j = 0; j < b.size(); ++j) EXPECT_NEAR(a[j], b[j], slack) << j;
}

/// v = keep (v - grad(from)) + grad(to), by hand.
Vector corrected(const Vector& v, Real keep, const Vector& from, const Vector& to) {
    Vector out(v.size());
    for (Index j = 0; j < v.size(); ++j) out[j] = keep * (v[j] - from[j]) + to[j];
    return out;
}

/// The last two calls are of the same samples, at the two points.
void expect_same_samples(const RecordedLoss& loss, std::span<const SampleId> samples, const Vector& at,
                         const Vector& and_at) {
    ASSERT_GE(loss.calls.size(), 2U);
    const Call& first = loss.calls[loss.calls.size() - 2];
    const Call& second = loss.calls.back();
    EXPECT_TRUE(std::equal(samples.begin(), samples.end(), first.samples.begin(), first.samples.end()));
    EXPECT_EQ(first.samples, second.samples);
    EXPECT_EQ(first.x, at);
    EXPECT_EQ(second.x, and_at);
}

TEST(BatchGradients, CountTheirEvaluations) {
    const RecordedLoss loss(7, kEstimated);
    BatchGradients gradients(loss);
    Vector out(kEstimated);
    Cost cost;
    const std::vector<SampleId> batch = {3, 1, 3};
    ASSERT_TRUE(gradients.mean(batch, point(1), out, cost));
    expect_near(out, mean_gradient(batch, point(1)));
    EXPECT_EQ(cost.base_samples, 3U);
    EXPECT_EQ(cost.oracle_calls, 1U);
    EXPECT_EQ(cost.passes, 0U);
    ASSERT_TRUE(gradients.mean({}, point(1), out, cost));
    expect_near(out, full_gradient(7, point(1)));
    EXPECT_EQ(cost.base_samples, 10U);
    EXPECT_EQ(cost.oracle_calls, 1U);
    EXPECT_EQ(cost.passes, 1U);
    EXPECT_EQ(cost.base_samples, loss.evaluated);
}

TEST(BatchGradients, LargeBatchesAreTheMeanOfTheirDraws) {
    const RecordedLoss loss(0, 2);
    BatchGradients gradients(loss);
    SampleDraws draws(3, 0, DrawPurpose::step);
    Vector out(2);
    Cost cost;
    const std::uint64_t count = 20'001;  // two pieces and a part
    ASSERT_TRUE(gradients.mean_of_draws(draws, count, 5, Vector{0.3, -0.2}, out, cost));
    EXPECT_EQ(cost.base_samples, count);
    EXPECT_EQ(cost.oracle_calls, 5U);
    ASSERT_EQ(loss.calls.size(), 3U);
    std::vector<SampleId> all;
    for (const Call& call : loss.calls) all.insert(all.end(), call.samples.begin(), call.samples.end());
    ASSERT_EQ(all.size(), count);
    expect_near(out, mean_gradient(all, {0.3, -0.2}), 1e-12);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

TEST(GradientEstimate, CorrectionAtAnAnchorIsThatOfSvrg) {
    const RecordedLoss loss(9, kEstimated);
    GradientEstimate svrg(loss);
    Cost cost;
    ASSERT_TRUE(svrg.begin(Batch{}, point(0), cost));
    const std::vector<SampleId> batch = {8, 2, 2, 5};
    Vector out(kEstimated);
    ASSERT_TRUE(svrg.correct(batch, point(0), point(1), out, cost));
    expect_same_samples(loss, batch, point(1), point(0));
    expect_near(out, corrected(full_gradient(9, point(0)), 1, mean_gradient(batch, point(0)),
                               mean_gradient(batch, point(1))));
    EXPECT_EQ(cost.base_samples, 9U + 2 * 4U);
    EXPECT_EQ(cost.base_samples, loss.evaluated);
    ASSERT_TRUE(svrg.correct({}, point(0), point(1), out, cost));
    expect_near(out, full_gradient(9, point(1)));
    EXPECT_EQ(cost.base_samples, 9U + 2 * 4U + 9U);
}

TEST(GradientEstimate, OfOneSampleIsUnbiasedOverAllOfThem) {
    constexpr std::uint64_t kCount = 6;
    const RecordedLoss loss(kCount, kEstimated);
    BatchGradients gradients(loss);
    GradientEstimate svrg(loss);
    Cost cost;
    ASSERT_TRUE(svrg.begin(Batch{}, point(0), cost));
    Vector out(kEstimated), plain(kEstimated), reduced(kEstimated);
    for (SampleId id = 0; id < kCount; ++id) {
        const std::vector<SampleId> batch = {id};
        ASSERT_TRUE(gradients.mean(batch, point(1), out, cost));
        for (Index j = 0; j < kEstimated; ++j) plain[j] += out[j] / kCount;
        ASSERT_TRUE(svrg.correct(batch, point(0), point(1), out, cost));
        for (Index j = 0; j < kEstimated; ++j) reduced[j] += out[j] / kCount;
    }
    expect_near(plain, full_gradient(kCount, point(1)));
    expect_near(reduced, full_gradient(kCount, point(1)));
}

TEST(GradientEstimate, ExpectedChangeIsThatOfItsDefinition) {
    // E v = beta (v + grad f(to) - grad f(from)) + (1 - beta) grad f(to) for the hybrid, over both batches;
    // (1 - beta) (v - grad f(from)) + grad f(to) for STORM; beta = 0 of it for the recursive one.
    constexpr std::uint64_t kCount = 4;
    constexpr Real kBeta = 0.3;
    const RecordedLoss loss(kCount, kEstimated);
    const Vector v = mean_gradient({1}, point(0));
    Vector hybrid(kEstimated), storm(kEstimated), recursive(kEstimated);
    for (SampleId id = 0; id < kCount; ++id) {
        for (SampleId second = 0; second < kCount; ++second) {
            Cost cost;
            GradientEstimate h(loss);
            GradientEstimate s(loss);
            GradientEstimate r(loss);
            const std::vector<SampleId> one = {1}, batch = {id}, fresh = {second};
            ASSERT_TRUE(h.begin(one, point(0), cost) && s.begin(one, point(0), cost) &&
                        r.begin(one, point(0), cost));
            ASSERT_TRUE(h.follow(batch, fresh, kBeta, point(0), point(1), cost));
            ASSERT_TRUE(s.follow(batch, 1 - kBeta, point(0), point(1), cost));
            ASSERT_TRUE(r.follow(batch, 1, point(0), point(1), cost));
            for (Index j = 0; j < kEstimated; ++j) {
                hybrid[j] += h.value()[j] / (kCount * kCount);
                storm[j] += s.value()[j] / (kCount * kCount);
                recursive[j] += r.value()[j] / (kCount * kCount);
            }
        }
    }
    const Vector from = full_gradient(kCount, point(0));
    const Vector to = full_gradient(kCount, point(1));
    expect_near(recursive, corrected(v, 1, from, to));
    expect_near(storm, corrected(v, 1 - kBeta, from, to));
    Vector mixed = corrected(v, 1, from, to);
    for (Index j = 0; j < kEstimated; ++j) mixed[j] = kBeta * mixed[j] + (1 - kBeta) * to[j];
    expect_near(hybrid, mixed);
}

TEST(GradientEstimate, FollowsSarahsRecursionOverManySteps) {
    const RecordedLoss loss(11, kEstimated);
    GradientEstimate estimator(loss);
    SampleDraws draws(5, 11, DrawPurpose::step);
    Cost cost;
    ASSERT_TRUE(estimator.begin(Batch{}, point(0), cost));
    Vector v = full_gradient(11, point(0));
    for (int k = 1; k < 20; ++k) {
        const std::span<const SampleId> drawn = draws.draw(3);
        const std::vector<SampleId> batch(drawn.begin(), drawn.end());
        ASSERT_TRUE(estimator.follow(drawn, 1, point(k - 1), point(k), cost));
        expect_same_samples(loss, batch, point(k), point(k - 1));
        v = corrected(v, 1, mean_gradient(batch, point(k - 1)), mean_gradient(batch, point(k)));
        expect_near(estimator.value(), v, 1e-12);
    }
    EXPECT_EQ(cost.base_samples, 11U + 19 * 2 * 3U);
    EXPECT_EQ(cost.base_samples, loss.evaluated);
    EXPECT_EQ(cost.oracle_calls, 19 * 2U);
    // The whole sum needs no difference.
    ASSERT_TRUE(estimator.follow({}, 1, point(19), point(20), cost));
    expect_near(estimator.value(), full_gradient(11, point(20)));
    EXPECT_EQ(cost.base_samples, 11U + 19 * 2 * 3U + 11U);
}

TEST(GradientEstimate, FollowsStormsRecursion) {
    const RecordedLoss loss(0, kEstimated);
    GradientEstimate estimator(loss);
    const std::vector<SampleId> first = {100, 7}, batch = {4, 9, 4};
    Cost cost;
    ASSERT_TRUE(estimator.begin(first, point(0), cost));
    ASSERT_TRUE(estimator.follow(batch, 1 - 0.25, point(0), point(1), cost));
    expect_same_samples(loss, batch, point(1), point(0));
    expect_near(estimator.value(), corrected(mean_gradient(first, point(0)), 0.75,
                                             mean_gradient(batch, point(0)), mean_gradient(batch, point(1))));
    EXPECT_EQ(cost.base_samples, 2U + 6U);
}

TEST(GradientEstimate, FollowsTheHybridRecursionWithASecondBatch) {
    const RecordedLoss loss(0, kEstimated);
    GradientEstimate estimator(loss);
    const std::vector<SampleId> first = {5}, batch = {1, 2}, fresh = {3, 8, 6};
    Cost cost;
    ASSERT_TRUE(estimator.begin(first, point(0), cost));
    ASSERT_TRUE(estimator.follow(batch, fresh, 0.9, point(0), point(1), cost));
    ASSERT_EQ(loss.calls.size(), 4U);
    EXPECT_EQ(loss.calls[1].samples, batch);
    EXPECT_EQ(loss.calls[2].samples, batch);
    EXPECT_EQ(loss.calls[3].samples, fresh);
    Vector v = corrected(mean_gradient(first, point(0)), 1, mean_gradient(batch, point(0)),
                         mean_gradient(batch, point(1)));
    const Vector second = mean_gradient(fresh, point(1));
    for (Index j = 0; j < kEstimated; ++j) v[j] = 0.9 * v[j] + (1 - 0.9) * second[j];
    expect_near(estimator.value(), v);
    EXPECT_EQ(cost.base_samples, loss.evaluated);
}

TEST(GradientEstimate, StaysAfterAValueThatIsNotFinite) {
    RecordedLoss loss(0, kEstimated);
    GradientEstimate estimator(loss);
    const std::vector<SampleId> batch = {1, 2};
    Cost cost;
    ASSERT_TRUE(estimator.begin(batch, point(0), cost));
    const Vector before(estimator.value().begin(), estimator.value().end());
    loss.broken_from = loss.calls.size() + 1;  // the second of the two gradients
    EXPECT_FALSE(estimator.follow(batch, 1, point(0), point(1), cost));
    EXPECT_EQ(Vector(estimator.value().begin(), estimator.value().end()), before);
    EXPECT_EQ(cost.base_samples, loss.evaluated);
}

TEST(SampleDraws, WithoutRepetitionEverySetIsAsLikely) {
    // 3 of 5: ten sets, each drawn about as often; all of 5 is all of them.
    SampleDraws draws(9, 5, DrawPurpose::step);
    std::map<std::vector<SampleId>, int> sets;
    constexpr int kDraws = 5000;
    for (int i = 0; i < kDraws; ++i) {
        const std::span<const SampleId> drawn = draws.draw_distinct(3);
        ASSERT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
        ++sets[{drawn.begin(), drawn.end()}];
    }
    ASSERT_EQ(sets.size(), 10U);
    for (const auto& [set, times] : sets) {
        ASSERT_EQ(std::set<SampleId>(set.begin(), set.end()).size(), 3U);
        EXPECT_LT(set.back(), 5U);
        EXPECT_NEAR(times, 0.1 * kDraws, 100);  // five deviations
    }
    const std::span<const SampleId> all = draws.draw_distinct(5);
    EXPECT_EQ(std::vector<SampleId>(all.begin(), all.end()), (std::vector<SampleId>{0, 1, 2, 3, 4}));
}

TEST(GradientNoise, OfAllComponentsIsTheDeviationItself) {
    constexpr std::uint64_t kCount = 50;
    const RecordedLoss loss(kCount, kEstimated);
    Cost cost;
    Scratch scratch;
    const GradientNoise noise = measure_gradient_noise(loss, point(2), 1000, 1, cost, scratch);
    const Vector mean = full_gradient(kCount, point(2));
    Real squares = 0, length = 0;
    for (SampleId id = 0; id < kCount; ++id) {
        const Vector gradient = mean_gradient({id}, point(2));
        for (Index j = 0; j < kEstimated; ++j) squares += (gradient[j] - mean[j]) * (gradient[j] - mean[j]);
    }
    for (const Real v : mean) length += v * v;
    EXPECT_NEAR(noise.deviation, std::sqrt(squares / kCount), 1e-12);
    EXPECT_NEAR(noise.gradient, std::sqrt(length), 1e-12);
    EXPECT_EQ(noise.samples, kCount);
    EXPECT_EQ(cost.base_samples, kCount);
    EXPECT_EQ(loss.evaluated, kCount);
}

TEST(GradientNoise, OfAPartEstimatesIt) {
    const RecordedLoss loss(0, kEstimated);
    Cost cost;
    Scratch scratch;
    const Real few = measure_gradient_noise(loss, point(2), 500, 1, cost, scratch).deviation;
    const Real many = measure_gradient_noise(loss, point(2), 5000, 2, cost, scratch).deviation;
    EXPECT_NEAR(few, many, 0.1 * many);
    EXPECT_GT(many, 0.1);
}

}  // namespace
}  // namespace proxstream
