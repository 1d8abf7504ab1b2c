// Steps within the plane of the last two moves: what they end with is exact, looking for the place takes no
// pass, and on quadratics they are conjugate gradients.

#include "solve/plane.hpp"

#include "solve/robust_window.hpp"
#include "solve/test_models.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(PlaneSteps, EndAtTheExactTestAndLowerTheWindowByWhatTheyCertify) {
    for (const char* loss : {"geman-mcclure", "cauchy", "huber:1", "squared", "welsch:2"}) {
        for (const char* reg : {"l1:0.02", "simplex", "box:0,0.5", "group:0.05,size=4", "zero"}) {
            const AnyRegulariser g = parse_regulariser(reg);
            RobustWindow window = window_of(loss, 10);
            PlaneSteps solver;
            const Real tolerance = 1e-7;
            SCOPED_TRACE(std::string(loss) + ", " + reg);
            const Solved solved = solve_with(solver, window, g, 0.2, tolerance);
            expect_exact_end(solved, window, g, 0.2, tolerance);
            EXPECT_EQ(solved.report.failed_confirmations + 1, solved.report.confirmations)
                << "no stretch was taken back, and the last step passed: " << loss << ", " << reg;
            EXPECT_GT(solved.report.certified_decrease, 0.1 * (solved.before - solved.after))
                << loss << ", " << reg;
            RobustWindow twin = window_of(loss, 10);
            Accelerated rival;
            const Solved expected = solve_with(rival, twin, g, 0.2, tolerance);
            EXPECT_NEAR(solved.after, expected.after, 1e-3 * expected.after) << loss << ", " << reg;
            EXPECT_LT(solved.report.steps, expected.report.steps) << loss << ", " << reg;
        }
    }
}

/// Steps that conjugate gradients take from 0 on a quadratic window.
std::uint64_t conjugate_gradients(RobustWindow& window, Real tolerance) {
    Scratch scratch;
    std::vector<Real> left(kRobustFeatures), bent(left);
    const auto gradient_at = [&](ConstView y, std::vector<Real>& out) {
        window.try_at(y, scratch);
        out.assign(window.trial_gradient().begin(), window.trial_gradient().end());
    };
    gradient_at(std::vector<Real>(kRobustFeatures), left);
    std::vector<Real> way(left), origin(left);
    std::uint64_t steps = 0;
    for (; norm(left) > tolerance; ++steps) {
        gradient_at(way, bent);
        subtract(bent, origin, bent);  // the matrix times the way
        const Real before = squared_norm(left);
        const Real share = before / dot(way, bent);
        axpy(-share, bent, left);
        scaled(squared_norm(left) / before, way, way);
        axpy(1, left, way);
    }
    return steps;
}

TEST(PlaneSteps, AreConjugateGradientsOnQuadratics) {
    const AnyRegulariser g = parse_regulariser("zero");
    RobustWindow window = window_of("squared", 10);
    RobustWindow twin = window_of("squared", 10);
    for (const Real tolerance : {1e-2, 1e-5, 1e-8, 1e-11}) {
        PlaneSteps solver;
        const Solved solved = solve_with(solver, window, g, 0.2, tolerance);
        ASSERT_EQ(solved.report.status, SolveStatus::converged);
        const std::uint64_t expected = conjugate_gradients(twin, tolerance);
        EXPECT_LE(solved.report.steps, expected + expected / 10 + 1) << tolerance;
        EXPECT_GE(solved.report.steps + 1, expected) << tolerance;
    }
}

TEST(PlaneSteps, LookForTheirPlacesWithoutAPass) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    RobustWindow window = window_of("geman-mcclure", 10);
    PlaneSteps solver;
    const Solved solved = solve_with(solver, window, g, 0.2, 1e-9);
    ASSERT_EQ(solved.report.status, SolveStatus::converged);
    EXPECT_GT(2 * solved.report.cheap_steps, solved.report.steps) << "most went on from the forward point";
    // Two a step, one to score and one for the gradient; one for a candidate that was refused, at most one in
    // three; and two a stretch, to begin and to confirm.
    const std::uint64_t stretches = 1 + solved.report.steps / PlaneSteps::kStretch;
    EXPECT_LE(solved.passes, 2 * solved.report.steps + solved.report.steps / 3 + 2 * (stretches + 1));
    EXPECT_GE(solved.passes, 2 * solved.report.steps + 2);
}

TEST(PlaneSteps, KeepToTheirBudget) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    for (const std::uint64_t most : {1U, 2U, 3U, 10U, 30U}) {
        RobustWindow window = window_of("geman-mcclure", 10);
        PlaneSteps solver;
        const Solved solved = solve_with(solver, window, g, 0.2, 0, {.max_steps = most});
        EXPECT_EQ(solved.report.status, SolveStatus::budget_exhausted);
        EXPECT_LE(solved.report.steps, most);
        EXPECT_LE(solved.passes, 3 * most + 2);
        EXPECT_LT(solved.after, solved.before);
        EXPECT_LE(solved.report.certified_decrease, solved.before - solved.after + 1e-13);
    }
}

TEST(PlaneSteps, GiveUpWhereRoundingDecides) {
    for (const char* reg : {"simplex", "l1:0.02", "zero"}) {
        const AnyRegulariser g = parse_regulariser(reg);
        RobustWindow window = window_of("geman-mcclure", 10);
        PlaneSteps solver;
        const Solved solved = solve_with(solver, window, g, 0.2, 0, {.max_steps = 3000});
        EXPECT_EQ(solved.report.status, SolveStatus::budget_exhausted);
        EXPECT_LT(solved.iterate.gap, 1e-11) << reg;
        EXPECT_LE(solved.after, solved.before);
    }
}

TEST(PlaneSteps, GoOnFromACheckpointBitForBit) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    PlaneSteps whole;
    PlaneSteps pieces;
    for (Round rounds = 8; rounds < 14; ++rounds) {
        RobustWindow window = window_of("geman-mcclure", rounds);
        RobustWindow twin = window_of("geman-mcclure", rounds);
        const Solved expected = solve_with(whole, window, g, 0.2, 1e-6);
        ASSERT_EQ(expected.iterate.point, solve_with(pieces, twin, g, 0.2, 1e-6).iterate.point);
        reload(pieces);
    }
}

TEST(PlaneSteps, SayWhereNoStepHasALossAndStay) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    RobustWindow window = window_of("squared", 10);
    PlaneSteps solver;
    const Solved solved = solve_with(solver, window, g, 1e200, 1e-190);  // scores overflow
    EXPECT_EQ(solved.report.status, SolveStatus::not_finite);
    EXPECT_EQ(solved.iterate.point, std::vector<Real>(kRobustFeatures));
    EXPECT_EQ(solved.after, solved.before);
}

TEST(PlaneSteps, AreAcceleratedOnesWhereThereAreNoScores) {
    const AnyRegulariser g = parse_regulariser("l1:0.01");
    FormulaModel model = waves(8, 3, 1);
    FormulaModel twin = waves(8, 3, 1);
    Scratch scratch;
    Iterate iterate = begin_at(model, g, gaussian(8, 52, 3), 0.01, scratch);
    Iterate other = begin_at(twin, g, gaussian(8, 52, 3), 0.01, scratch);
    Cost cost;
    PlaneSteps().solve(model, g, 0.01, 1e-6, Budget{}, iterate, cost, scratch);
    Accelerated().solve(twin, g, 0.01, 1e-6, Budget{}, other, cost, scratch);
    EXPECT_EQ(iterate.point, other.point);
    EXPECT_EQ(model.passes, twin.passes);
}

/// Scores that drift: every other question is answered as if they were elsewhere.
class Drifting : public RobustWindow {
  public:
    explicit Drifting(RobustWindow window) : RobustWindow(std::move(window)) {}
    Real value_at_scores(ConstView scores, View slopes, Scratch& scratch) {
        return RobustWindow::value_at_scores(scores, slopes, scratch) - 1e-3 * static_cast<Real>(asked_++);
    }

  private:
    int asked_ = 0;
};

TEST(PlaneSteps, AreTakenBackWhereAPassDoesNotFindWhatTheyClaim) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    Drifting window(window_of("geman-mcclure", 10));
    Scratch scratch;
    Cost cost;
    Iterate iterate = begin_at(window, g, std::vector<Real>(kRobustFeatures), 0.2, scratch);
    const Real before = window.value() + iterate.regulariser;
    PlaneSteps solver;
    const InnerReport report = solver.solve(window, g, 0.2, 1e-7, Budget{}, iterate, cost, scratch);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(report.steps > 0, report.certified_decrease > 0);
    EXPECT_GT(report.failed_confirmations, 0U);
    EXPECT_LE(report.certified_decrease, before - (window.value() + iterate.regulariser) + 1e-13);
    EXPECT_LE(norm(gap(g, iterate.point, window.gradient(), 0.2)), 1e-7 * (1 + 1e-9));
}

}  // namespace
}  // namespace proxstream
