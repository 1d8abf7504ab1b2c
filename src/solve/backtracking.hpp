/// Prox-gradient steps that need no L: a line search finds the step e, while the exit test stays at the
/// reference step eta. By (T3) of docs/theory.md a step e >= eta accepted with lambda <= 1 lowers S + g by at
/// least (eta / 2) |P_eta|^2, so long steps cost nothing in the count bound.
#pragma once

#include "solve/inner_solver.hpp"

namespace proxstream {

struct BacktrackingOptions {
    Real lambda = 1;    // accept when S(y+) <= S(y) + <grad, d> + lambda |d|^2 / (2 e); in (0, 2)
    Real shrink = 0.5;  // after a rejection
    Real grow = 1.6;    // after kStreak acceptances in a row
};

class Backtracking {
  public:
    explicit Backtracking(const BacktrackingOptions& options = {}) : options_(options) {}

    InnerReport solve(const InnerProblem& problem, Iterate& iterate);
    StepClaim step_claim() const noexcept { return {.smoothness = 0, .lambda = options_.lambda}; }
    Real step_or(Real reference_step) const noexcept { return step_ == 0 ? reference_step : step_; }
    void serialise(StateArchive& archive);

    /// Counts a step of this length that did what an accepted step does.
    void reward(Real reference_step);

  private:
    static constexpr std::uint64_t kStreak = 3;
    // In multiples of the reference step. Linear losses accept any step, which would overflow.
    static constexpr Real kSmallestStep = 1e-15;
    static constexpr Real kLargestStep = 1e6;

    BacktrackingOptions options_;
    Real step_ = 0;  // e, kept between rounds: neighbouring windows curve alike
    std::uint64_t streak_ = 0;
};

}  // namespace proxstream
