/// Windows of robust regression, for solvers that look at the rows of linear models.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"
#include "solve/test_models.hpp"
#include "window/carried_window.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace proxstream {

using RobustWindow = CarriedWindow;
inline constexpr Index kRobustFeatures = 120;

/// A model with five features that matter, and rows that are sometimes far off.
inline RowBlock robust_rows(Round t, Index rows, Real scale = 1) {
    RowBlock record(false);
    for (std::uint32_t row = 0; row < rows; ++row) {
        std::vector<Real> values(kRobustFeatures);
        Real target = 0.1 * normal({.seed = 2, .round = t, .record = row});
        for (Index i = 0; i < values.size(); ++i) {
            values[i] = normal({.seed = 1, .round = t, .record = row, .sample = i});
            if (i % 25 == 3) target += values[i] * (i % 2 == 0 ? 0.4 : -0.3);
            values[i] *= scale;
        }
        if (row % 10 == 9) target += 8;
        record.add_dense(values, target);
    }
    return record;
}

inline RobustWindow window_of(const char* loss, Round rounds, Real scale = 1) {
    const WindowWeights weights = WindowWeights::parse("8");
    const auto family = parse_loss(loss, {.features = kRobustFeatures, .intercept = false});
    RobustWindow window(family->make_batch(RobustWindow::slots(8)), kRobustFeatures, weights);
    Scratch scratch;
    const std::vector<Real> x(kRobustFeatures);
    for (Round t = 1; t <= rounds; ++t) {
        window.arrive(robust_rows(t, 30, scale), x, scratch);
        window.carry(x, scratch);
    }
    return window;
}

struct Solved {
    InnerReport report;
    Iterate iterate;
    Real before = 0;
    Real after = 0;
    std::uint64_t passes = 0;
};

template <class Solver>
Solved solve_with(Solver& solver, RobustWindow& window, const AnyRegulariser& g, Real eta, Real tolerance,
                  const Budget& budget = {}) {
    Scratch scratch;
    std::vector<Real> start(kRobustFeatures);
    g.prox(start, 1, start, scratch);
    Solved solved{.report = {}, .iterate = begin_at(window, g, start, eta, scratch)};
    solved.before = window.value() + solved.iterate.regulariser;
    const std::uint64_t first = window.cost().passes;
    Cost cost;
    solved.report = solver.solve({window, g, eta, tolerance, budget, scratch, cost}, solved.iterate);
    solved.after = window.value() + solved.iterate.regulariser;
    solved.passes = window.cost().passes - first;
    return solved;
}

/// A fresh pass at the end shows that it passes the test and lies as far down as was certified.
inline void expect_exact_end(const Solved& solved, RobustWindow& window, const AnyRegulariser& g, Real eta,
                             Real tolerance) {
    ASSERT_EQ(solved.report.status, SolveStatus::converged);
    Scratch scratch;
    const std::vector<Real>& end = solved.iterate.point;
    const Real value = window.try_at(end, scratch) + g.value(end, scratch);
    EXPECT_LE(norm(gap(g, end, window.trial_gradient(), eta)), tolerance * (1 + 1e-9));
    EXPECT_NEAR(value, solved.after, 1e-13);
    EXPECT_LE(solved.report.certified_decrease, solved.before - value + 1e-13);
}

}  // namespace proxstream
