// PANOC-type and accelerated steps: what they certify is there, one long call is many short ones, and
// numerical trouble is a status.

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "solve/accelerated.hpp"
#include "solve/backtracking.hpp"
#include "solve/bend_test.hpp"
#include "solve/curvature_pairs.hpp"
#include "solve/panoc.hpp"
#include "solve/test_models.hpp"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();

template <class Solver>
class FastSolver : public ::testing::Test {};

using FastSolvers = ::testing::Types<Panoc, Accelerated>;
TYPED_TEST_SUITE(FastSolver, FastSolvers);

const AnyRegulariser& kind(std::uint64_t sample) {
    static const AnyRegulariser kinds[] = {parse_regulariser("l1:0.05"), parse_regulariser("box:-1,1"),
                                           parse_regulariser("simplex"), parse_regulariser("l2ball:0.5"),
                                           parse_regulariser("group:0.1,size=2")};
    return kinds[sample % 5];
}

std::vector<Real> feasible(const AnyRegulariser& g, Index n, std::uint64_t sample) {
    Scratch scratch;
    std::vector<Real> start = gaussian(n, 52, sample);
    g.prox(start, 1, start, scratch);
    return start;
}

TYPED_TEST(FastSolver, EndsAtItsTestAndLowersTheObjectiveByWhatItCertifies) {
    Real tightest = 0;
    for (std::uint64_t sample = 0; sample < 500; ++sample) {
        const AnyRegulariser& g = kind(sample);
        const Index n = 2 * (1 + sample % 4);
        FormulaModel model = waves(n, sample, std::exp(normal({51, sample, 0, 0, 0})));
        const Real eta = std::exp(2 * normal({51, sample, 1, 0, 0}));  // needs no relation to L
        const Real tolerance = 1e-5;
        Scratch scratch;
        Iterate iterate = begin_at(model, g, feasible(g, n, sample), eta, scratch);
        const Real before = model.value() + iterate.regulariser;
        Cost cost;
        TypeParam solver;
        const InnerReport report = solver.solve({model, g, eta, tolerance, {}, scratch, cost}, iterate);

        ASSERT_EQ(report.status, SolveStatus::converged) << sample;
        std::vector<Real> gradient(n);
        const Real end = model.at(iterate.point, gradient) + g.value(iterate.point, scratch);
        ASSERT_TRUE(std::isfinite(end)) << sample;
        ASSERT_EQ(std::vector<Real>(model.gradient().begin(), model.gradient().end()), gradient);
        ASSERT_LE(norm(gap(g, iterate.point, gradient, eta)), tolerance * (1 + 1e-9));
        ASSERT_NEAR(end, model.value() + iterate.regulariser, 1e-12 * (1 + std::abs(end)));
        ASSERT_LE(report.certified_decrease, before - end + 1e-13 * (1 + std::abs(before))) << sample;
        ASSERT_GE(model.passes, report.steps);
        if (report.steps == 0) continue;
        // (T3): each step is worth what an accepted plain one is.
        const Real worth = std::min(eta, report.smallest_step) / 2 * tolerance * tolerance;
        ASSERT_LE(static_cast<Real>(report.steps) * worth, before - end + 1e-13) << sample;
        tightest = std::max(tightest, report.certified_decrease / (before - end));
    }
    EXPECT_GT(tightest, 0.5);
}

/// Everything that later steps could depend on.
template <class Solver>
std::string state_of(Solver& solver, Iterate& iterate) {
    StateArchive archive;
    archive.section("solver", solver);
    archive.section("iterate", iterate);
    return archive.seal();
}

TYPED_TEST(FastSolver, OneLongCallIsManyShortOnes) {
    for (std::uint64_t sample = 0; sample < 40; ++sample) {
        const AnyRegulariser& g = kind(sample);
        const Index n = 6;
        const Real eta = 0.05;
        const Real tolerance = 1e-9;
        Scratch scratch;
        FormulaModel long_model = waves(n, sample, 3);
        FormulaModel short_model = waves(n, sample, 3);
        Iterate whole = begin_at(long_model, g, feasible(g, n, sample), eta, scratch);
        Iterate pieces = begin_at(short_model, g, feasible(g, n, sample), eta, scratch);
        Cost cost;
        TypeParam long_solver;
        TypeParam short_solver;
        const InnerReport all = long_solver.solve({long_model, g, eta, tolerance, {}, scratch, cost}, whole);
        InnerReport sum;
        for (int call = 0; call < 10'000 && pieces.gap > tolerance; ++call) {
            const std::vector<Real> from = pieces.point;
            const Real before = short_model.value() + pieces.regulariser;
            const InnerReport one =
                short_solver.solve({short_model, g, eta, tolerance, {.max_steps = 1}, scratch, cost}, pieces);
            sum.add(one);
            ASSERT_NEAR(one.path, distance(from, pieces.point), 1e-15 * (1 + norm(from))) << sample;
            // What is not proved does not happen either: the objective never rises.
            ASSERT_LE(short_model.value() + pieces.regulariser,
                      before - one.certified_decrease + 1e-15 * (1 + std::abs(before)));
            ASSERT_GE(one.certified_decrease, -1e-14 * (1 + std::abs(before)));
            if (call % 7 == 3) reload(short_solver);
        }
        ASSERT_EQ(state_of(short_solver, pieces), state_of(long_solver, whole)) << sample;
        ASSERT_EQ(short_model.passes, long_model.passes) << sample;
        ASSERT_EQ(sum.steps, all.steps) << sample;
        ASSERT_NEAR(sum.path, all.path, 1e-12 * (1 + all.path)) << sample;
    }
}

TYPED_TEST(FastSolver, FindsAKnownSolution) {
    const Index n = 40;
    std::vector<Real> solution(n);
    for (Index i = 0; i < n; i += 3) solution[i] = std::cos(static_cast<Real>(i)) + 2;
    const AnyRegulariser g = parse_regulariser("l1:0.3");
    Scratch scratch;
    FormulaModel model = quadratic_with_l1(solution, 0.3, 100);
    Iterate iterate = begin_at(model, g, std::vector<Real>(n), 1e-3, scratch);
    Cost cost;
    TypeParam solver;
    const InnerReport report =
        solver.solve({model, g, 1e-3, 1e-10, {.max_steps = 20'000}, scratch, cost}, iterate);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_LT(distance(iterate.point, solution), 1e-7);
    for (Index i = 0; i < n; ++i) EXPECT_EQ(iterate.point[i] == 0, solution[i] == 0) << i;

    FormulaModel plain_model = quadratic_with_l1(solution, 0.3, 100);
    Iterate plain = begin_at(plain_model, g, std::vector<Real>(n), 1e-3, scratch);
    Backtracking backtracking;
    backtracking.solve({plain_model, g, 1e-3, 1e-10, {.max_steps = 200'000}, scratch, cost}, plain);
    EXPECT_LT(3 * model.passes, 2 * plain_model.passes);
}

TYPED_TEST(FastSolver, GoesRoundPlacesWithoutALoss) {
    // The loss is NaN outside a ball that long steps leave.
    const AnyRegulariser g = parse_regulariser("l1:0.01");
    FormulaModel model(2, [](ConstView y, View gradient) {
        const Real size = squared_norm(y);
        scaled(2, y, gradient);
        gradient[0] -= 1;
        return size > 4 ? kNone : size - y[0];
    });
    Scratch scratch;
    Iterate iterate = begin_at(model, g, {-1, 1}, 50, scratch);
    Cost cost;
    TypeParam solver;
    const InnerReport report = solver.solve({model, g, 50, 1e-9, {}, scratch, cost}, iterate);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_NEAR(iterate.point[0], 0.495, 1e-8);
    EXPECT_NEAR(iterate.point[1], 0, 1e-8);
}

TYPED_TEST(FastSolver, SaysSoWhereNoPlaceHasALossAndStays) {
    const AnyRegulariser g = parse_regulariser("zero");
    FormulaModel model(2, [](ConstView y, View gradient) {
        fill(gradient, 1);
        return y[0] == 3 ? Real{0} : kNone;
    });
    Scratch scratch;
    Iterate iterate = begin_at(model, g, {3, 1}, 1, scratch);
    Cost cost;
    TypeParam solver;
    const InnerReport report = solver.solve({model, g, 1, 1e-9, {}, scratch, cost}, iterate);
    EXPECT_EQ(report.status, SolveStatus::not_finite);
    EXPECT_EQ(iterate.point, (std::vector<Real>{3, 1}));
    EXPECT_EQ(report.certified_decrease, 0);
}

TYPED_TEST(FastSolver, NeedsNoLoss) {
    const AnyRegulariser g = parse_regulariser("l1:0.5");
    FormulaModel model(3, [](ConstView /*y*/, View gradient) {
        fill(gradient, 0);
        return Real{0};
    });
    Scratch scratch;
    Iterate iterate = begin_at(model, g, {5, -2, 0}, 1, scratch);
    Cost cost;
    TypeParam solver;
    const InnerReport report = solver.solve({model, g, 1, 0, {}, scratch, cost}, iterate);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(iterate.point, (std::vector<Real>{0, 0, 0}));
    EXPECT_LE(report.certified_decrease, 3.5);
}

TYPED_TEST(FastSolver, KeepsItsStepFiniteOnLinearLosses) {
    const AnyRegulariser g = parse_regulariser("box:-1,1");
    Scratch scratch;
    Cost cost;
    TypeParam solver;
    for (int round = 0; round < 3000; ++round) {
        const Real slope = round % 2 == 0 ? 1 : -1;
        FormulaModel model(1, [slope](ConstView y, View gradient) {
            gradient[0] = slope;
            return slope * y[0];
        });
        Iterate iterate = begin_at(model, g, {slope}, 0.5, scratch);
        const InnerReport report = solver.solve({model, g, 0.5, 1e-3, {}, scratch, cost}, iterate);
        ASSERT_EQ(report.status, SolveStatus::converged);
        ASSERT_TRUE(std::isfinite(report.largest_step));
        ASSERT_NEAR(iterate.point[0], -slope, 1e-3);
    }
}

TYPED_TEST(FastSolver, StopsWithItsBudget) {
    const AnyRegulariser g = parse_regulariser("l1:0.01");
    FormulaModel model = waves(8, 3, 1);
    Scratch scratch;
    Iterate iterate = begin_at(model, g, gaussian(8, 52, 3), 0.01, scratch);
    Cost cost;
    TypeParam solver;
    const InnerReport report = solver.solve({model, g, 0.01, 0, {.max_steps = 3}, scratch, cost}, iterate);
    EXPECT_EQ(report.status, SolveStatus::budget_exhausted);
    EXPECT_LE(report.steps, 3U);
    EXPECT_LE(model.passes, 6U);
}

TYPED_TEST(FastSolver, FindsItsWayWhereValuesOnlyRound) {
    // Values of this size tell no two points near the solution apart; gradients do.
    const Index n = 20;
    std::vector<Real> solution(n);
    for (Index i = 0; i < n; i += 2) solution[i] = 1 + static_cast<Real>(i % 5);
    const FormulaModel plain = quadratic_with_l1(solution, 0.2, 30);
    for (const Real offset : {1e4, 1e8, 1e12}) {
        FormulaModel model(n, [&](ConstView y, View gradient) { return offset + plain.at(y, gradient); });
        const AnyRegulariser g = parse_regulariser("l1:0.2");
        Scratch scratch;
        Iterate iterate = begin_at(model, g, std::vector<Real>(n), 1e-2, scratch);
        Cost cost;
        TypeParam solver;
        const InnerReport report =
            solver.solve({model, g, 1e-2, 1e-9, {.max_steps = 5'000}, scratch, cost}, iterate);
        EXPECT_EQ(report.status, SolveStatus::converged) << offset << ' ' << iterate.gap;
        EXPECT_LT(distance(iterate.point, solution), 1e-7) << offset;
    }
}

TEST(BendTest, UsesGradientsIfValuesRound) {
    // f = 1e6 + c x^2 / 2 with c = 1: steps up to 1 are short enough, whatever the length of the move.
    for (const Real x : {1e3, 1.0, 1e-3, 1e-9}) {
        for (const Real step : {0.5, 0.99, 1.01, 2.0}) {
            const std::vector<Real> move{-step * x};
            const std::vector<Real> gradient{x};
            const std::vector<Real> next_gradient{x + move[0]};
            const Real value = 1e6 + x * x / 2;
            const Real next_value = 1e6 + next_gradient[0] * next_gradient[0] / 2;
            EXPECT_EQ(bends_little(value, gradient, next_value, next_gradient, move, step), step < 1)
                << x << ' ' << step;
        }
    }
}

TEST(BendTest, RefusesAValueThatClearlyRose) {
    // A bounded loss at its limit: the gradient is gone, and with it the sign of too long a move.
    const Bend saturated{
        .value = 0, .next_value = 0.125, .slope = -1e-21, .next_slope = 0, .length_squared = 1e-22};
    EXPECT_FALSE(bends_little(saturated, 0.1));
    const Bend flat{.value = 0.0625,
                    .next_value = 0.0625,
                    .slope = -3.9e-12,
                    .next_slope = 0,
                    .length_squared = 1.82e-22};
    EXPECT_FALSE(bends_little(flat, 4.66e-11));
}

// ---- what PANOC remembers

TEST(CurvaturePairs, SatisfyTheSecantEquationOfTheNewest) {
    const Index n = 5;
    CurvaturePairs pairs(3);
    pairs.prepare(n);
    const std::vector<Real> origin(n);
    std::vector<Real> move, bend;
    for (std::uint64_t k = 0; k < 5; ++k) {  // more than there is room for
        move = gaussian(n, 70, k);
        bend = move;
        for (Index i = 0; i < n; ++i) bend[i] *= static_cast<Real>(1 + i);
        pairs.add(origin, origin, move, bend);
    }
    std::vector<Index> all{0, 1, 2, 3, 4};
    std::vector<Real> out(n);
    Scratch scratch;
    ASSERT_TRUE(pairs.newton_move(bend, all, out, scratch));
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(out[i], -move[i], 1e-12);
    EXPECT_NEAR(pairs.newest_step(), dot(move, bend) / squared_norm(bend), 1e-15);

    // On some coordinates: as if there were no others.
    const std::vector<Index> some{1, 4};
    std::vector<Real> part(2);
    ASSERT_TRUE(pairs.newton_move(bend, some, part, scratch));
    EXPECT_NEAR(part[0], -move[1], 1e-12);
    EXPECT_NEAR(part[1], -move[4], 1e-12);

    StateArchive saved;
    saved.section("pairs", pairs);
    StateArchive loaded(saved.seal(), "test");
    CurvaturePairs again(3);
    loaded.section("pairs", again);
    std::vector<Real> same(n);
    ASSERT_TRUE(again.newton_move(bend, all, same, scratch));
    EXPECT_EQ(same, out);
}

TEST(CurvaturePairs, SkipNegativeAndNonFiniteCurvature) {
    CurvaturePairs pairs(4);
    pairs.prepare(2);
    const std::vector<Real> origin(2);
    const std::vector<Index> all{0, 1};
    std::vector<Real> out(2);
    Scratch scratch;
    EXPECT_FALSE(pairs.newton_move(origin, all, out, scratch));
    EXPECT_EQ(pairs.newest_step(), kInfinity);
    pairs.add(origin, origin, std::vector<Real>{1, 0}, std::vector<Real>{-1, 0.5});
    pairs.add(origin, origin, std::vector<Real>{1, 0}, std::vector<Real>{kNone, 0});
    EXPECT_FALSE(pairs.newton_move(std::vector<Real>{1, 1}, all, out, scratch));
    EXPECT_EQ(pairs.newest_step(), kInfinity);
    pairs.add(origin, origin, std::vector<Real>{1, 0}, std::vector<Real>{2, 0});
    ASSERT_TRUE(pairs.newton_move(std::vector<Real>{1, 1}, all, out, scratch));
    EXPECT_EQ(out, (std::vector<Real>{-0.5, -0.5}));
    pairs.prepare(3);  // another dimension: forgotten
    EXPECT_EQ(pairs.newest_step(), kInfinity);
}

TEST(Panoc, IsNotBoldOnTheWordOfRounding) {
    // Curvature is remembered from a flat model; the next one is steep, and too far up to tell a move that is
    // a thousand times too long by its values.
    const AnyRegulariser g = parse_regulariser("zero");
    const auto bowl = [](Real curvature, Real offset) {
        return FormulaModel(2, [=](ConstView y, View gradient) {
            scaled(curvature, y, gradient);
            return offset + curvature * squared_norm(y) / 2;
        });
    };
    Scratch scratch;
    Cost cost;
    Panoc solver;
    FormulaModel flat = bowl(1e-3, 0);
    Iterate first = begin_at(flat, g, {1, 2}, 0.5, scratch);
    solver.solve({flat, g, 0.5, 1e-9, {}, scratch, cost}, first);
    FormulaModel steep = bowl(1, 1e8);
    Iterate second = begin_at(steep, g, {1e-7, 2e-7}, 0.5, scratch);
    for (int step = 0; step < 100 && second.gap > 1e-12; ++step) {
        const Real before = second.gap;
        solver.solve({steep, g, 0.5, 1e-12, {.max_steps = 1}, scratch, cost}, second);
        ASSERT_LE(second.gap, before) << step;
    }
    EXPECT_LE(second.gap, 1e-12);
}

TEST(Panoc, ConvergesFasterThanLinearlyOnceGHoldsItsCoordinates) {
    const Index n = 12;
    std::vector<Real> solution(n);
    for (Index i = 0; i < n; i += 4) solution[i] = 1 + static_cast<Real>(i);
    const AnyRegulariser g = parse_regulariser("l1:0.2");
    FormulaModel model = quadratic_with_l1(solution, 0.2, 1000);
    Scratch scratch;
    Iterate iterate = begin_at(model, g, std::vector<Real>(n), 1e-3, scratch);
    Cost cost;
    Panoc solver({.memory = 12});
    const InnerReport report = solver.solve({model, g, 1e-3, 1e-11, {}, scratch, cost}, iterate);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_LT(distance(iterate.point, solution), 1e-9);
    EXPECT_LT(model.passes, 150U);
}

}  // namespace
}  // namespace proxstream
