// PANOC on a reduced model: the exit test and the certified decrease are exact. The naive twin, panoc without
// the reduced model, reaches the same end.

#include "proxstream/prox/regulariser_table.hpp"

#include "solve/panoc.hpp"
#include "solve/robust_window.hpp"
#include "solve/test_models.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr PanocOptions kWithoutReduction{.reduce = false};

TEST(SurrogatePhase, EndsAtTheExactTestAndLowersTheWindowByWhatItCertifies) {
    for (const char* loss : {"geman-mcclure", "cauchy", "huber:1", "squared"}) {
        for (const char* reg : {"l1:0.02", "simplex", "box:0,0.5", "group:0.05,size=4", "zero"}) {
            const AnyRegulariser g = parse_regulariser(reg);
            RobustWindow window = window_of(loss, 10);
            Panoc solver;
            const Real tolerance = 1e-7;
            SCOPED_TRACE(std::string(loss) + ", " + reg);
            const Solved solved = solve_with(solver, window, g, 0.2, tolerance);
            expect_exact_end(solved, window, g, 0.2, tolerance);
            EXPECT_GT(solved.report.certified_decrease, 0);
            EXPECT_GE(solved.report.cheap_steps, solved.report.confirmations);
            EXPECT_EQ(solved.passes, solved.report.attempts);
            RobustWindow twin_window = window_of(loss, 10);
            Panoc twin(kWithoutReduction);
            const Solved expected = solve_with(twin, twin_window, g, 0.2, tolerance);
            EXPECT_EQ(expected.report.status, solved.report.status);
            EXPECT_NEAR(solved.after, expected.after, 1e-3 * expected.after);
        }
    }
}

TEST(SurrogatePhase, VerifiesManyStepsByOnePass) {
    const AnyRegulariser g = parse_regulariser("simplex");
    RobustWindow window = window_of("geman-mcclure", 10);
    Panoc solver;
    const Solved solved = solve_with(solver, window, g, 0.2, 1e-9);
    ASSERT_EQ(solved.report.status, SolveStatus::converged);
    EXPECT_GT(solved.report.cheap_steps, 3 * solved.report.confirmations);
    RobustWindow twin_window = window_of("geman-mcclure", 10);
    Panoc twin(kWithoutReduction);
    EXPECT_LE(solve_with(twin, twin_window, g, 0.2, 1e-9).iterate.gap, 1e-9);
}

TEST(SurrogatePhase, IsLeftOutIfNumbersAreBeyondSinglePrecision) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    RobustWindow window = window_of("geman-mcclure", 10, 1e40);
    RobustWindow twin_window = window_of("geman-mcclure", 10, 1e40);
    Panoc solver;
    Panoc twin(kWithoutReduction);
    const Real eta = 0.2e-80;
    const Solved solved = solve_with(solver, window, g, eta, 1e33);
    const Solved expected = solve_with(twin, twin_window, g, eta, 1e33);
    EXPECT_EQ(solved.report.status, expected.report.status);
    EXPECT_EQ(solved.iterate.point, expected.iterate.point);
    EXPECT_EQ(solved.passes, expected.passes);
}

TEST(SurrogatePhase, KeepsToTheBudget) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    for (const std::uint64_t most : {1U, 2U, 3U, 5U, 10U, 30U}) {
        RobustWindow window = window_of("geman-mcclure", 10);
        Panoc solver;
        const Solved solved = solve_with(solver, window, g, 0.2, 1e-12, {.max_steps = most});
        const bool there = solved.iterate.gap <= 1e-12;
        EXPECT_EQ(solved.report.status, there ? SolveStatus::converged : SolveStatus::budget_exhausted);
        EXPECT_LE(solved.passes, most);
        EXPECT_GE(solved.passes + 2, most);
        EXPECT_LE(solved.after, solved.before);
    }
}

TEST(SurrogatePhase, EndsIfRoundingDecides) {
    const AnyRegulariser g = parse_regulariser("simplex");
    RobustWindow window = window_of("geman-mcclure", 10);
    RobustWindow twin_window = window_of("geman-mcclure", 10);
    Panoc solver;
    Panoc twin(kWithoutReduction);
    const Solved solved = solve_with(solver, window, g, 0.2, 0);
    const Solved expected = solve_with(twin, twin_window, g, 0.2, 0);
    EXPECT_EQ(solved.report.status, expected.report.status);
    EXPECT_LT(solved.passes, 2000U);
    EXPECT_LT(solved.iterate.gap, 1e-12);
}

TEST(SurrogatePhase, DoesNotDependOnEarlierReductions) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    RobustWindow asked = window_of("geman-mcclure", 10);
    RobustWindow fresh = window_of("geman-mcclure", 10);
    Scratch scratch;
    std::vector<Index> all(kRobustFeatures);
    for (Index i = 0; i < all.size(); ++i) all[i] = i;
    ASSERT_TRUE(asked.reduce(all, std::vector<Real>(kRobustFeatures), scratch));
    Panoc one;
    Panoc other;
    EXPECT_EQ(solve_with(one, asked, g, 0.2, 1e-8).iterate.point,
              solve_with(other, fresh, g, 0.2, 1e-8).iterate.point);
}

TEST(SurrogatePhase, ContinuesFromASavedStateBitForBit) {
    const AnyRegulariser g = parse_regulariser("l1:0.02");
    Panoc whole;
    Panoc pieces;
    for (Round rounds = 8; rounds < 14; ++rounds) {
        RobustWindow window = window_of("geman-mcclure", rounds);
        RobustWindow twin = window_of("geman-mcclure", rounds);
        ASSERT_EQ(solve_with(whole, window, g, 0.2, 1e-6).iterate.point,
                  solve_with(pieces, twin, g, 0.2, 1e-6).iterate.point);
        reload(pieces);
    }
}

/// A function whose reduced model is the function itself, with noise of a given size in its gradient; the
/// noise may be NaN.
class NoisilyReduced final : public FormulaModel {
  public:
    NoisilyReduced(const FormulaModel& model, Real noise) : FormulaModel(model), noise_(noise) {}

    bool reduce(std::span<const Index> /*coordinates*/, ConstView x, Scratch& /*scratch*/) override {
        anchor_.assign(x.begin(), x.end());
        there_ = anchor_;
        slope_.resize(x.size());
        height_ = at(anchor_, slope_);
        return true;
    }
    Real reduced_bend(ConstView move, View change, Scratch& /*scratch*/) override {
        ++evaluations;
        step_along(anchor_, 1, move, there_);
        const Real value = at(there_, change);
        subtract(change, slope_, change);
        for (Index i = 0; i < change.size(); ++i)
            change[i] += noise_ * normal({86, evaluations, static_cast<std::uint32_t>(i), 0, 0});
        return value - height_ - dot(slope_, move);
    }
    std::uint64_t evaluations = 0;

  private:
    Real noise_;
    std::vector<Real> anchor_, there_, slope_;
    Real height_ = 0;
};

std::vector<Real> wavy_solution(Index n) {
    std::vector<Real> solution(n);
    for (Index i = 0; i < n; i += 2) solution[i] = std::cos(static_cast<Real>(i));
    return solution;
}

TEST(SurrogatePhase, TakesMovesPastKinksByTheEnvelope) {
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    std::uint64_t exact_passes = 0;
    std::uint64_t evaluations = 0;
    for (const Real condition : {30.0, 300.0, 3000.0}) {
        const Real eta = 1 / condition;
        Scratch scratch;
        Cost cost;
        NoisilyReduced model(quadratic_with_l1(wavy_solution(60), 0.3, condition), 0);
        FormulaModel twin = quadratic_with_l1(wavy_solution(60), 0.3, condition);
        Iterate iterate = begin_at(model, g, std::vector<Real>(60), eta, scratch);
        Iterate other = begin_at(twin, g, std::vector<Real>(60), eta, scratch);
        const InnerReport report = Panoc().solve({model, g, eta, 1e-8, {}, scratch, cost}, iterate);
        Panoc().solve({twin, g, eta, 1e-8, {}, scratch, cost}, other);
        EXPECT_EQ(report.status, SolveStatus::converged);
        EXPECT_LE(distance(iterate.point, other.point), 1e-4);
        exact_passes += twin.passes;
        evaluations += model.evaluations + model.passes;
    }
    EXPECT_LT(evaluations, exact_passes);
}

TEST(SurrogatePhase, EndsInExactTestsHoweverWrongTheReducedModelIs) {
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    for (const Real noise : {1e-6, 1e-2, 1.0, 1e3, std::numeric_limits<Real>::quiet_NaN()}) {
        SCOPED_TRACE(noise);
        Scratch scratch;
        Cost cost;
        NoisilyReduced model(quadratic_with_l1(wavy_solution(40), 0.3, 300), noise);
        const Real eta = 1.0 / 300;
        const Real tolerance = 1e-7;
        Iterate iterate = begin_at(model, g, std::vector<Real>(40), eta, scratch);
        const Real before = model.value() + iterate.regulariser;
        const InnerReport report = Panoc().solve({model, g, eta, tolerance, {}, scratch, cost}, iterate);
        EXPECT_EQ(report.status, SolveStatus::converged);
        std::vector<Real> gradient(40);
        const Real end = model.at(iterate.point, gradient) + g.value(iterate.point, scratch);
        EXPECT_LE(norm(gap(g, iterate.point, gradient, eta)), tolerance * (1 + 1e-9));
        EXPECT_LE(report.certified_decrease, before - end + 1e-12 * (1 + std::abs(before)));
        EXPECT_GT(report.confirmations, 0U);
    }
}

}  // namespace
}  // namespace proxstream
