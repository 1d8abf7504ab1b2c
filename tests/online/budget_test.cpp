// How a round ends: on its budget with the gap really reached, at a tolerance below rounding, and what
// the automatic tolerance asks.

#include "online/trap_learner.hpp"
#include "support/naive.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

naive::Loss as_naive(const RowBlock& record) {
    return naive::row_loss(naive::Formula::cauchy, {record.values(0).begin(), record.values(0).end()},
                           record.target(0));
}

TEST(Budget, ReportsTheGapThatWasReached) {
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
            ASSERT_NEAR(report.exit_gap, naive::length(judge.gap(next)), 1e-12);
            if (report.status != RoundStatus::budget_exhausted) continue;
            ++exhausted;
            ASSERT_LE(report.steps, 3U);
            ASSERT_GT(report.exit_gap, report.tolerance);
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
        EXPECT_EQ(report.exit_gap, report.entry_gap);
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
                if (report.exit_gap == 0) continue;
                EXPECT_EQ(report.status, RoundStatus::budget_exhausted);
                EXPECT_LT(report.exit_gap, 1e-13);
            }
            EXPECT_LT(steps, 12 * 19'000U) << inner << ", " << regulariser;
        }
    }
}

}  // namespace
}  // namespace proxstream
