/// Prox-gradient steps that need no L: the step e is found by trying, while the exit test stays at the
/// reference step eta. By (T3) of docs/theory.md a step e >= eta accepted with lambda <= 1 lowers S + g by at
/// least (eta / 2) |P_eta|^2, so long steps cost nothing in the count bound.
#pragma once

#include "proxstream/solve/bend_test.hpp"
#include "proxstream/solve/inner_solver.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

struct BacktrackingOptions {
    Real lambda = 1;    // accept when S(y+) <= S(y) + <grad, d> + lambda |d|^2 / (2 e); in (0, 2)
    Real shrink = 0.5;  // after a rejection
    Real grow = 1.6;    // after kStreak acceptances in a row
    /// Instead of growing blindly: the next step is what the curvature just met along the move allows,
    /// lambda |d|^2 / (2 (S(y+) - S(y) - <grad, d>)), at most `grow` times the last one.
    bool measured = false;
};

class Backtracking {
  public:
    explicit Backtracking(const BacktrackingOptions& options = {}) : options_(options) {}

    StepClaim step_claim() const noexcept { return {.smoothness = 0, .lambda = options_.lambda}; }
    /// The step it would try next.
    Real step_or(Real reference_step) const noexcept { return step_ == 0 ? reference_step : step_; }

    /// Somebody took that step and it did as well as it had to.
    void reward(Real reference_step) {
        if (step_ == 0) step_ = reference_step;
        if (++streak_ < kStreak) return;
        streak_ = 0;
        step_ = std::min(step_ * options_.grow, kLargestStep * reference_step);
    }

    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        const BudgetMeter meter(budget);
        if (step_ == 0) step_ = reference_step;
        Scratch::Frame frame(scratch);
        const View candidate = frame.take(iterate.point.size());
        const View move = frame.take(iterate.point.size());
        InnerReport report;
        std::uint64_t attempts = 0;
        while (iterate.residual_norm > tolerance) {
            if (meter.exhausted(attempts) ||
                iterate.residual_norm <= model_floor(iterate, model, reference_step)) {
                report.status = SolveStatus::budget_exhausted;
                return report;
            }
            ++attempts;  // a rejected candidate costs a pass too, so the budget counts it
            step_along(iterate.point, -step_, model.gradient(), candidate);
            const Real candidate_regulariser = g.prox(candidate, step_, candidate, scratch);
            ++cost.prox;
            const auto [length_squared, slope] =
                move_between(iterate.point, candidate, model.gradient(), move);
            const Real here = model.value();
            const Real there = model.try_at(candidate, scratch);
            const Real model_value = here + slope + options_.lambda * length_squared / (2 * step_);
            const Real slack = rounding_slack(here, there);
            if (!model.trial_finite() || !(there <= model_value + slack)) {
                streak_ = 0;
                step_ *= options_.shrink;
                if (step_ < kSmallestStep * reference_step) {
                    report.status =
                        model.trial_finite() ? SolveStatus::budget_exhausted : SolveStatus::not_finite;
                    step_ = reference_step;
                    return report;
                }
                continue;
            }
            model.accept_trial();
            copy(candidate, iterate.point);
            iterate.regulariser = candidate_regulariser;
            // |P_e| = |d| / e, and the accepted step lowers S + g by e (1 - lambda / 2) |P_e|^2, less what
            // the test forgave: over many steps at rounding level the forgiven parts would add up.
            const Real forgiven = std::max(Real{0}, there - model_value);
            report.count(step_, std::sqrt(length_squared) / step_,
                         (1 - options_.lambda / 2) * length_squared / step_ - forgiven);
            adapt(there - here - slope, length_squared, reference_step);
            test_at(iterate, model.gradient(), g, reference_step, scratch);
            ++cost.prox;
        }
        return report;
    }

    void exchange(Checkpoint& checkpoint) {
        checkpoint.exchange("step", step_);
        checkpoint.exchange("streak", streak_);
    }

  private:
    /// After an acceptance. `bend` is how far the model ran above its tangent along the move.
    void adapt(Real bend, Real length_squared, Real reference_step) {
        if (!options_.measured) {
            reward(reference_step);
            return;
        }
        const Real roof = kLargestStep * reference_step;
        const Real allowed = bend > 0 ? options_.lambda * length_squared / (2 * bend) : roof;
        step_ = std::min({kSafety * allowed, step_ * options_.grow, roof});
    }

    static constexpr std::uint64_t kStreak = 3;
    static constexpr Real kSafety = 0.9;  // the next move will not point the same way
    // In multiples of the reference step. Linear losses accept any step: without a roof it would overflow.
    static constexpr Real kSmallestStep = 1e-15;
    static constexpr Real kLargestStep = 1e6;

    BacktrackingOptions options_;
    Real step_ = 0;  // e, kept between rounds: neighbouring windows curve alike
    std::uint64_t streak_ = 0;
};

}  // namespace proxstream
