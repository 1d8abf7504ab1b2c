// How a round ends: on its budget with the residual really reached, at a tolerance below rounding, and what
// the automatic tolerance asks.

#include "online/trap_learner.hpp"
#include "support/naive.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

naive::Loss as_naive(const RowBlock& record) {
    return naive::row_loss(naive::Formula::cauchy, {record.values(0).begin(), record.values(0).end()},
                           record.target(0));
}

TEST(Budget, EndsARoundWithTheResidualReallyReached) {
    for (const char* inner : {"prox-grad", "backtracking"}) {
        Calls calls;
        Configuration setup;
        setup.inner = inner;
        setup.tolerance = Tolerance::fixed(1e-7);
        setup.budget.max_steps = 3;
        const auto learner = make("time-smoothed", setup, &calls);
        naive::Player judge(naive::l1(0.01), naive::Vector(4), {.window = 5, .step = 0.4, .delta = 1e9});
        Round exhausted = 0;
        for (Round t = 1; t <= 40; ++t) {
            const RowBlock record = honest(4, 6, t);
            judge.play(as_naive(record));  // never moves: holds the window only
            const RoundReport report = learner->observe(record);
            const naive::Vector next(learner->decide().begin(), learner->decide().end());
            ASSERT_NEAR(report.exit_residual, naive::length(judge.residual(next)), 1e-12);
            if (report.status != RoundStatus::budget_exhausted) continue;
            ++exhausted;
            ASSERT_LE(report.steps, 3U);
            ASSERT_GT(report.exit_residual, report.tolerance);
        }
        EXPECT_GT(exhausted, 20U) << inner;
    }
}

TEST(Budget, CountsSeconds) {
    for (const char* inner : {"prox-grad", "backtracking"}) {
        Calls calls;
        Configuration setup;
        setup.inner = inner;
        setup.tolerance = Tolerance::fixed(1e-7);
        setup.budget.max_seconds = 0;
        const auto learner = make("time-smoothed", setup, &calls);
        const RoundReport report = learner->observe(honest(4, 7, 1));
        EXPECT_EQ(report.status, RoundStatus::budget_exhausted);
        EXPECT_EQ(report.steps, 0U);
        EXPECT_EQ(report.exit_residual, report.entry_residual);
        EXPECT_EQ(report.movement, 0);
    }
}

TEST(Tolerance, BelowRoundingEndsAtTheFloor) {
    for (const char* inner : {"prox-grad", "backtracking"}) {
        for (const char* regulariser : {"l1:0.01", "box:-0.3,0.3", "simplex"}) {
            Calls calls;
            Configuration setup;
            setup.inner = inner;
            setup.regulariser = regulariser;
            setup.start.assign(4, 0.25);
            setup.tolerance = Tolerance::fixed(1e-300);
            setup.budget.max_steps = 20'000;
            const auto learner = make("time-smoothed", setup, &calls);
            std::uint64_t steps = 0;
            for (Round t = 1; t <= 12; ++t) {
                const RoundReport report = learner->observe(honest(4, 8, t));
                steps += report.steps;
                if (report.exit_residual == 0) continue;
                EXPECT_EQ(report.status, RoundStatus::budget_exhausted);
                EXPECT_LT(report.exit_residual, 1e-13);
            }
            EXPECT_LT(steps, 12 * 19'000U) << inner << ", " << regulariser;
        }
    }
}

TEST(Tolerance, AutomaticIsTheMedianOfRecentChangesWithAFloor) {
    Tolerance tolerance = Tolerance::automatic();  // factor 2 from w = 16 on
    std::vector<Real> seen;
    Round floored = 0;
    for (Round t = 1; t <= 700; ++t) {
        const Real change = uniform({9, t, 0, 0, 0}) * (t < 300 ? 1 : 0.1);
        if (t % 6 == 0) {  // a round that is refused after the tolerance was asked for
            tolerance.next(50, 1000 * change);
            tolerance.take_back();
        }
        if (t % 10 == 0) {  // a point held still is not remembered
            tolerance.next(50, 0);
            if (t % 20 == 0) tolerance.take_back();
        }
        seen.push_back(change);
        std::vector<Real> recent(seen.end() - static_cast<std::ptrdiff_t>(std::min<Round>(t, 200)),
                                 seen.end());
        std::ranges::sort(recent);
        Real total = 0;
        for (const Real value : seen) total += value;
        const Real mean = total / static_cast<Real>(t);
        // The fall of the changes at t = 300 brings the floor, a quarter of the whole run's mean, into play.
        floored += mean / 4 > recent[recent.size() / 2] ? 1 : 0;
        ASSERT_DOUBLE_EQ(tolerance.next(50, change), 2 * std::max(recent[recent.size() / 2], mean / 4)) << t;
    }
    EXPECT_GT(floored, 50U);
    EXPECT_EQ(Tolerance::automatic().next(5, 1), 0.3);
    EXPECT_EQ(Tolerance::automatic(4).next(5, 1), 4);
    EXPECT_EQ(Tolerance::fixed(2).next(8, 1), 0.25);
    EXPECT_FALSE(Tolerance::none().promises_exit());
}

}  // namespace
}  // namespace proxstream
