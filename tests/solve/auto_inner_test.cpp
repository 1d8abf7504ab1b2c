// The default solver: backtracking in short rounds, PANOC in long ones.

#include "solve/auto_inner.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "solve/test_models.hpp"

#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::vector<Real> steps(Index n) {
    std::vector<Real> solution(n);
    for (Index i = 0; i < n; i += 3) solution[i] = std::cos(static_cast<Real>(i)) + 2;
    return solution;
}

TEST(AutoInner, IsBacktrackingInShortRounds) {
    const AnyRegulariser g = parse_regulariser("l1:0.05");
    Scratch scratch;
    Cost cost;
    Index short_rounds = 0;
    for (std::uint64_t sample = 0; sample < 50; ++sample) {
        AutoInner automatic;
        Backtracking plain;
        FormulaModel model = waves(4, sample, 1);
        FormulaModel twin = waves(4, sample, 1);
        Iterate iterate = begin_at(model, g, gaussian(4, 52, sample), 0.3, scratch);
        Iterate other = begin_at(twin, g, gaussian(4, 52, sample), 0.3, scratch);
        const Real tolerance = 0.7 * iterate.gap;
        automatic.solve({model, g, 0.3, tolerance, {}, scratch, cost}, iterate);
        plain.solve({twin, g, 0.3, tolerance, {}, scratch, cost}, other);
        if (twin.passes > 8) continue;
        ++short_rounds;
        ASSERT_EQ(iterate.point, other.point);
        ASSERT_EQ(model.passes, twin.passes);
    }
    EXPECT_GT(short_rounds, 30U);
}

TEST(AutoInner, IsPanocInLongRounds) {
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    const std::vector<Real> solution = steps(40);
    Scratch scratch;
    Cost cost;
    AutoInner automatic;
    Panoc panoc;
    for (int round = 0; round < 12; ++round) {
        const Real condition = round < 6 ? 100 : 1e4;
        const Real eta = 1 / condition;
        FormulaModel model = quadratic_with_l1(solution, 0.3, condition);
        FormulaModel twin = quadratic_with_l1(solution, 0.3, condition);
        Iterate iterate = begin_at(model, g, std::vector<Real>(40), eta, scratch);
        Iterate other = begin_at(twin, g, std::vector<Real>(40), eta, scratch);
        const InnerReport report = automatic.solve({model, g, eta, 1e-8, {}, scratch, cost}, iterate);
        ASSERT_EQ(report.status, SolveStatus::converged);
        ASSERT_LE(iterate.gap, 1e-8);
        ASSERT_EQ(report.attempts, model.passes);
        panoc.solve({twin, g, eta, 1e-8, {}, scratch, cost}, other);
        ASSERT_LT(model.passes, twin.passes + twin.passes / 4 + 32) << round;
    }
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
            automatic.solve({model, g, 1e-3, 1e-12, {.max_steps = most}, scratch, cost}, iterate);
        EXPECT_EQ(report.status, SolveStatus::budget_exhausted);
        EXPECT_EQ(model.passes - before, most);
    }
}

TEST(AutoInner, ContinuesFromASavedStateBitForBit) {
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
            inner.solve({model, g, 1e-3, 1e-7, {}, scratch, cost}, iterate);
            return iterate.point;
        };
        ASSERT_EQ(play(whole), play(pieces)) << round;
        reload(pieces);
    }
}

}  // namespace
}  // namespace proxstream
