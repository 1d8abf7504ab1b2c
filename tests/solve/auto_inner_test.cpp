// Who does the work: plain steps where they end a round, somebody better where they do not.

#include "solve/auto_inner.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "solve/test_models.hpp"
#include "solve/window_spider.hpp"

#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::vector<Real> steps(Index n) {
    std::vector<Real> solution(n);
    for (Index i = 0; i < n; i += 3) solution[i] = std::cos(static_cast<Real>(i)) + 2;
    return solution;
}

TEST(AutoInner, IsBacktrackingWhereRoundsAreShort) {
    const AnyRegulariser g = parse_regulariser("l1:0.05");
    Scratch scratch;
    Cost cost;
    AutoInner automatic;
    Backtracking plain;
    for (std::uint64_t sample = 0; sample < 50; ++sample) {
        FormulaModel model = waves(4, sample, 1);
        FormulaModel twin = waves(4, sample, 1);
        Iterate iterate = begin_at(model, g, gaussian(4, 52, sample), 0.3, scratch);
        Iterate other = begin_at(twin, g, gaussian(4, 52, sample), 0.3, scratch);
        const Real tolerance = 0.7 * iterate.gap;
        automatic.solve(model, g, 0.3, tolerance, Budget{}, iterate, cost, scratch);
        plain.solve(twin, g, 0.3, tolerance, Budget{}, other, cost, scratch);
        ASSERT_LE(model.passes, 16U);
        ASSERT_EQ(iterate.point, other.point);
        ASSERT_EQ(model.passes, twin.passes);
    }
}

TEST(AutoInner, FindsOutThatQuasiNewtonMovesPayInLongRounds) {
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    const std::vector<Real> solution = steps(40);
    Scratch scratch;
    Cost cost;
    AutoInner automatic;
    std::uint64_t passes = 0;
    std::uint64_t plain_passes = 0;
    for (int round = 0; round < 12; ++round) {
        FormulaModel model = quadratic_with_l1(solution, 0.3, 1000);
        FormulaModel twin = quadratic_with_l1(solution, 0.3, 1000);
        Iterate iterate = begin_at(model, g, std::vector<Real>(40), 1e-3, scratch);
        Iterate other = begin_at(twin, g, std::vector<Real>(40), 1e-3, scratch);
        const InnerReport report = automatic.solve(model, g, 1e-3, 1e-8, Budget{}, iterate, cost, scratch);
        ASSERT_EQ(report.status, SolveStatus::converged);
        ASSERT_LE(iterate.gap, 1e-8);
        Panoc().solve(twin, g, 1e-3, 1e-8, Budget{}, other, cost, scratch);
        if (round >= 4) {  // everybody has had a try
            passes += model.passes;
            plain_passes += twin.passes;
        }
    }
    EXPECT_LT(passes, plain_passes + plain_passes / 4);
}

TEST(AutoInner, DoesNotLeaveAHardRoundToWhoeverWasBestInEasyOnes) {
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    const std::vector<Real> solution = steps(40);
    Scratch scratch;
    Cost cost;
    AutoInner automatic;
    const auto play = [&](Real condition) {
        FormulaModel model = quadratic_with_l1(solution, 0.3, condition);
        const Real eta = 1 / condition;
        Iterate iterate = begin_at(model, g, std::vector<Real>(40), eta, scratch);
        automatic.solve(model, g, eta, 1e-8, Budget{}, iterate, cost, scratch);
        EXPECT_LE(iterate.gap, 1e-8);
        return model.passes;
    };
    for (int round = 0; round < 5; ++round) play(20);
    const std::uint64_t hard = play(10'000);
    FormulaModel twin = quadratic_with_l1(solution, 0.3, 10'000);
    Iterate other = begin_at(twin, g, std::vector<Real>(40), 1e-4, scratch);
    Panoc().solve(twin, g, 1e-4, 1e-8, Budget{}, other, cost, scratch);
    EXPECT_LT(hard, 5 * twin.passes);
}

TEST(AutoInner, TakesHarderRoundsForHarderAndNotForTheFaultOfWhoIsBest) {
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    const std::vector<Real> solution = steps(40);
    Scratch scratch;
    Cost cost;
    AutoInner automatic;
    Panoc best;
    std::uint64_t passes = 0, its_passes = 0;
    for (int round = 0; round < 20; ++round) {
        const Real condition = round < 10 ? 100 : 1e5;
        const Real eta = 1 / condition;
        FormulaModel model = quadratic_with_l1(solution, 0.3, condition);
        FormulaModel twin = quadratic_with_l1(solution, 0.3, condition);
        Iterate iterate = begin_at(model, g, std::vector<Real>(40), eta, scratch);
        Iterate other = begin_at(twin, g, std::vector<Real>(40), eta, scratch);
        automatic.solve(model, g, eta, 1e-8, Budget{}, iterate, cost, scratch);
        best.solve(twin, g, eta, 1e-8, Budget{}, other, cost, scratch);
        ASSERT_LE(iterate.gap, 1e-8);
        if (round < 10) continue;
        passes += model.passes;
        its_passes += twin.passes;
    }
    EXPECT_LT(passes, 2 * its_passes);
}

TEST(AutoInner, KeepsToItsBudgetAndSaysSo) {
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    Scratch scratch;
    for (const std::uint64_t most : {1U, 16U, 17U, 40U}) {
        FormulaModel model = quadratic_with_l1(steps(40), 0.3, 1000);
        Iterate iterate = begin_at(model, g, std::vector<Real>(40), 1e-3, scratch);
        const std::uint64_t before = model.passes;
        Cost cost;
        AutoInner automatic;
        const InnerReport report =
            automatic.solve(model, g, 1e-3, 1e-12, Budget{.max_steps = most}, iterate, cost, scratch);
        EXPECT_EQ(report.status, SolveStatus::budget_exhausted);
        EXPECT_EQ(model.passes - before, most);
    }
}

TEST(AutoInner, GoesOnFromACheckpointBitForBit) {
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    const std::vector<Real> solution = steps(40);
    Scratch scratch;
    Cost cost;
    AutoInner whole;
    AutoInner pieces;
    for (int round = 0; round < 8; ++round) {
        const auto play = [&](AutoInner& inner) {
            FormulaModel model = quadratic_with_l1(solution, 0.3, 100);
            Iterate iterate = begin_at(model, g, std::vector<Real>(40, 0.1 * round), 1e-3, scratch);
            inner.solve(model, g, 1e-3, 1e-7, Budget{}, iterate, cost, scratch);
            return iterate.point;
        };
        ASSERT_EQ(play(whole), play(pieces)) << round;
        reload(pieces);
    }
}

/// A window of quadratics |y - c_i|^2 h_i / 2 that counts the records it is asked about.
struct CountedWindow {
    explicit CountedWindow(Index count) : weights(count, 1 / static_cast<Real>(count)), whole(3) {}
    Index size() const { return weights.size(); }
    std::span<const Real> live_weights() const { return weights; }
    ConstView gradient() const { return whole; }
    void weighted_gradient(std::span<const Real> asked, ConstView y, View out, Scratch& /*scratch*/) {
        fill(out, 0);
        for (Index i = 0; i < asked.size(); ++i) {
            if (asked[i] == 0) continue;
            ++records;
            for (Index k = 0; k < out.size(); ++k) out[k] += asked[i] * slope(i, y[k], k);
        }
    }
    Real slope(Index record, Real y, Index k) const {
        const auto r = static_cast<Real>(record);
        return (1 + std::sin(r)) * (y - std::cos(r + static_cast<Real>(k))) + std::sin(y * r) / 4;
    }
    std::vector<Real> weights;
    std::vector<Real> whole;
    std::uint64_t records = 0;
};

TEST(WindowSpider, FollowsItsRecursionWithTwoRootsOfTheWindowARecord) {
    const Index count = 100;
    CountedWindow window(count);
    Scratch scratch;
    WindowSpider spider(0, 0);
    ASSERT_TRUE(spider.worthwhile(window));
    EXPECT_FALSE(spider.worthwhile(CountedWindow(9)));
    const std::vector<Real> anchor{0.1, -0.4, 1};
    window.weighted_gradient(window.weights, anchor, window.whole, scratch);
    window.records = 0;
    spider.begin(window, anchor, scratch);
    ASSERT_EQ(spider.updates(), 10U);
    EXPECT_EQ(window.records, 0U);
    std::vector<Real> expected = window.whole;
    std::vector<Real> before = anchor;
    std::vector<Real> estimate(3);
    for (Index update = 0; update < spider.updates(); ++update) {
        std::vector<Real> y = before;
        for (Real& entry : y) entry += 0.01;
        spider.gradient(window, y, estimate, scratch);
        for (Index k = 0; k < 3; ++k) {
            for (Index i = update % 10; i < count; i += 10) {
                expected[k] += (window.slope(i, y[k], k) - window.slope(i, before[k], k)) / 10;
            }
        }
        EXPECT_LE(distance(estimate, expected), 1e-13) << update;
        before = y;
    }
    EXPECT_EQ(window.records, 20 * spider.updates());
    // After ten updates every record has been looked at once: the estimate is near the truth.
    std::vector<Real> truth(3);
    window.weighted_gradient(window.weights, before, truth, scratch);
    EXPECT_LT(distance(estimate, truth), 0.3 * distance(window.whole, truth));
}

}  // namespace
}  // namespace proxstream
