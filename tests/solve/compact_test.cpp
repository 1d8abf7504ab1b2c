// Steps on a copy of the coordinates in play: what they end with is exact, and what they cost is counted.

#include "solve/compact.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "solve/robust_window.hpp"
#include "solve/test_models.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(CompactSteps, EndAtTheExactTestAndLowerTheWindowByWhatTheyCertify) {
    for (const char* loss : {"geman-mcclure", "cauchy", "huber:1", "squared"}) {
        for (const char* reg : {"l1:0.02", "simplex", "box:0,0.5", "group:0.05,size=4", "zero"}) {
            const AnyRegulariser g = parse_regulariser(reg);
            RobustWindow window = window_of(loss, 10);
            CompactSteps solver;
            const Real tolerance = 1e-7;
            SCOPED_TRACE(std::string(loss) + ", " + reg);
            const Solved solved = solve_with(solver, window, g, 0.2, tolerance);
            expect_exact_end(solved, window, g, 0.2, tolerance);
            EXPECT_GT(solved.report.certified_decrease, 0);
            EXPECT_GE(solved.report.cheap_steps, solved.report.confirmations);
            EXPECT_GE(solved.passes, solved.report.cheap_steps);
            // Where exact steps lead.
            RobustWindow twin = window_of(loss, 10);
            Panoc exact;
            const Solved expected = solve_with(exact, twin, g, 0.2, tolerance);
            EXPECT_NEAR(solved.after, expected.after, 1e-3 * expected.after) << loss << ", " << reg;
        }
    }
}

TEST(CompactSteps, WorkOnTheCoordinatesInPlay) {
    const AnyRegulariser g = parse_regulariser("simplex");
    RobustWindow window = window_of("geman-mcclure", 10);
    CompactSteps solver;
    const Solved solved = solve_with(solver, window, g, 0.2, 1e-9);
    ASSERT_EQ(solved.report.status, SolveStatus::converged);
    EXPECT_LT(window.compact_share(), 0.3);
    EXPECT_GT(solver.passes_saved(), 0.3 * static_cast<Real>(solved.passes));
}

TEST(CompactSteps, LeaveNumbersBeyondSinglePrecisionToExactSteps) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    RobustWindow window = window_of("geman-mcclure", 10, 1e40);
    RobustWindow twin = window_of("geman-mcclure", 10, 1e40);
    CompactSteps solver;
    Panoc exact;
    const Real eta = 0.2e-80;
    const Solved solved = solve_with(solver, window, g, eta, 1e33);
    const Solved expected = solve_with(exact, twin, g, eta, 1e33);
    EXPECT_EQ(solved.report.status, expected.report.status);
    EXPECT_EQ(solved.iterate.point, expected.iterate.point);
}

TEST(CompactSteps, KeepToTheirBudget) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    for (const std::uint64_t most : {1U, 2U, 3U, 10U, 30U}) {
        RobustWindow window = window_of("geman-mcclure", 10);
        CompactSteps solver;
        const Solved solved = solve_with(solver, window, g, 0.2, 1e-12, {.max_steps = most});
        const bool there = solved.iterate.gap <= 1e-12;
        EXPECT_EQ(solved.report.status, there ? SolveStatus::converged : SolveStatus::budget_exhausted);
        EXPECT_LE(solved.passes, most);
        EXPECT_GE(solved.passes + 2, most);
        EXPECT_LE(solved.after, solved.before);
    }
}

TEST(CompactSteps, GiveUpWhereRoundingDecides) {
    const AnyRegulariser g = parse_regulariser("simplex");
    RobustWindow window = window_of("geman-mcclure", 10);
    RobustWindow twin = window_of("geman-mcclure", 10);
    CompactSteps solver;
    Panoc exact;
    const Solved solved = solve_with(solver, window, g, 0.2, 0);
    const Solved expected = solve_with(exact, twin, g, 0.2, 0);
    EXPECT_EQ(solved.report.status, expected.report.status);
    EXPECT_LT(solved.passes, 2000U);
    EXPECT_LT(solved.iterate.gap, 1e-12);
}

TEST(CompactSteps, DoNotDependOnWhatAWindowWasAskedBefore) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    RobustWindow asked = window_of("geman-mcclure", 10);
    RobustWindow fresh = window_of("geman-mcclure", 10);
    Scratch scratch;
    std::vector<Index> all(kRobustFeatures);
    for (Index i = 0; i < all.size(); ++i) all[i] = i;
    ASSERT_TRUE(asked.compact(all, std::vector<Real>(kRobustFeatures), scratch));
    CompactSteps one;
    CompactSteps other;
    EXPECT_EQ(solve_with(one, asked, g, 0.2, 1e-8).iterate.point,
              solve_with(other, fresh, g, 0.2, 1e-8).iterate.point);
}

TEST(CompactSteps, GoOnFromACheckpointBitForBit) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    CompactSteps whole;
    CompactSteps pieces;
    for (Round rounds = 8; rounds < 14; ++rounds) {
        RobustWindow window = window_of("geman-mcclure", rounds);
        RobustWindow twin = window_of("geman-mcclure", rounds);
        ASSERT_EQ(solve_with(whole, window, g, 0.2, 1e-6).iterate.point,
                  solve_with(pieces, twin, g, 0.2, 1e-6).iterate.point);
        reload(pieces);
    }
}

/// A stand-in that is what it stands for.
class ExactStandIn : public StandInModel {
  public:
    ExactStandIn(FormulaModel& model, Scratch::Frame& frame)
        : StandInModel(model.value(), model.gradient(), frame), model_(model) {}
    Real try_at(ConstView y, Scratch& /*scratch*/) {
        ++model_.passes;
        return trial_value_ = model_.at(y, trial_gradient_);
    }

  private:
    FormulaModel& model_;
};

TEST(StandIns, TakeMovesPastKinksByTheEnvelope) {
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    std::vector<Real> solution(60);
    for (Index i = 0; i < solution.size(); i += 2) solution[i] = std::cos(static_cast<Real>(i));
    std::uint64_t exact = 0;
    std::uint64_t standing_in = 0;
    for (const Real condition : {30.0, 300.0, 3000.0}) {
        const Real eta = 1 / condition;
        Scratch scratch;
        Cost cost;
        FormulaModel model = quadratic_with_l1(solution, 0.3, condition);
        FormulaModel twin = quadratic_with_l1(solution, 0.3, condition);
        Iterate iterate = begin_at(model, g, std::vector<Real>(60), eta, scratch);
        Iterate other = begin_at(twin, g, std::vector<Real>(60), eta, scratch);
        Panoc().solve(model, g, eta, 1e-9, Budget{}, iterate, cost, scratch);
        Scratch::Frame frame(scratch);
        ExactStandIn stand_in(twin, frame);
        const InnerReport report = Panoc().solve(stand_in, g, eta, 1e-9, Budget{}, other, cost, scratch);
        EXPECT_EQ(report.status, SolveStatus::converged);
        EXPECT_LE(distance(iterate.point, other.point), 1e-5);
        exact += model.passes;
        standing_in += twin.passes;
    }
    EXPECT_LT(standing_in, exact);
}

}  // namespace
}  // namespace proxstream
