/// Prox-gradient steps that need no L: the step e is found by trying, while the exit test stays at the
/// reference step eta. By (T3) of docs/theory.md a step e >= eta accepted with lambda <= 1 lowers S + g by at
/// least (eta / 2) |P_eta|^2, so long steps cost nothing in the count bound.
#pragma once

#include "solve/bend_test.hpp"
#include "solve/inner_solver.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

/// How the next step follows from one that was accepted.
enum class NextStep : std::uint8_t {
    /// `grow` times as long, after kStreak acceptances.
    longer,
    /// What the curvature just met along the move allows, lambda |d|^2 / (2 (S(y+) - S(y) - <grad, d>)), at
    /// most `grow` times the last one.
    met,
    /// From what the gradient changed by along the move (adaptive prox-gradient; Latafat, Themelis, Stella &
    /// Patrinos 2023). For convex S that converges without a test; here the test stays, as the safeguard that
    /// keeps the count bound, and few candidates fail it.
    adaptive,
};

struct BacktrackingOptions {
    Real lambda = 1;    // accept when S(y+) <= S(y) + <grad, d> + lambda |d|^2 / (2 e); in (0, 2)
    Real shrink = 0.5;  // after a rejection
    Real grow = 1.6;    // after kStreak acceptances in a row
    NextStep next = NextStep::longer;
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
        while (iterate.gap > tolerance) {
            if (meter.exhausted(attempts) || iterate.gap <= model_floor(iterate, model, reference_step)) {
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
            bool accepted = model.trial_finite() && there <= model_value + slack;
            if (options_.next == NextStep::adaptive && model.trial_finite()) {
                // Its gradients are at hand: they decide where values are too coarse.
                accepted = bends_little(here, model.gradient(), there, model.trial_gradient(), move,
                                        step_ / options_.lambda);
            }
            if (!accepted) {
                streak_ = 0;
                previous_step_ = 0;
                step_ *= options_.shrink;
                if (step_ < kSmallestStep * reference_step) {
                    report.status =
                        model.trial_finite() ? SolveStatus::budget_exhausted : SolveStatus::not_finite;
                    step_ = reference_step;
                    return report;
                }
                continue;
            }
            Move met{.bend = there - here - slope, .length_squared = length_squared};
            if (options_.next == NextStep::adaptive) {
                met.turn = distance(model.trial_gradient(), model.gradient());
                met.turn_along = dot(model.trial_gradient(), move) - slope;
            }
            model.accept_trial();
            copy(candidate, iterate.point);
            iterate.regulariser = candidate_regulariser;
            // |P_e| = |d| / e, and the accepted step lowers S + g by e (1 - lambda / 2) |P_e|^2, less what
            // the test forgave: over many steps at rounding level the forgiven parts would add up.
            const Real forgiven = std::max(Real{0}, there - model_value);
            report.count(step_, std::sqrt(length_squared) / step_,
                         (1 - options_.lambda / 2) * length_squared / step_ - forgiven);
            adapt(met, reference_step);
            test_at(iterate, model.gradient(), g, reference_step, scratch);
            ++cost.prox;
        }
        return report;
    }

    void serialise(StateArchive& archive) {
        archive.field("step", step_);
        archive.field("previous step", previous_step_);
        archive.field("streak", streak_);
    }

  private:
    /// What an accepted move d met.
    struct Move {
        Real bend = 0;        // how far the model ran above its tangent
        Real turn = 0;        // |grad(y+) - grad(y)|
        Real turn_along = 0;  // <grad(y+) - grad(y), d>
        Real length_squared = 0;
    };

    void adapt(const Move& move, Real reference_step) {
        const Real roof = kLargestStep * reference_step;
        const Real step = step_;
        switch (options_.next) {
            case NextStep::longer:
                reward(reference_step);
                return;
            case NextStep::met: {
                const Real allowed =
                    move.bend > 0 ? options_.lambda * move.length_squared / (2 * move.bend) : roof;
                step_ = std::min({kSafety * allowed, step_ * options_.grow, roof});
                break;
            }
            case NextStep::adaptive: {
                // 2 ((e L)^2 - e l), with L = |turn| / |d| and l = <turn, d> / |d|^2.
                const Real excess =
                    2 * step * (step * move.turn * move.turn - move.turn_along) / move.length_squared;
                const Real growth = previous_step_ > 0 ? std::sqrt(1 + step / previous_step_) : 1;
                const Real factor = excess > 0 ? std::min(growth, 1 / std::sqrt(excess)) : growth;
                step_ = std::clamp(step * factor, kSmallestStep * reference_step, roof);
                break;
            }
        }
        previous_step_ = step;
    }

    static constexpr std::uint64_t kStreak = 3;
    static constexpr Real kSafety = 0.9;  // the next move will not point the same way
    // In multiples of the reference step. Linear losses accept any step: without a roof it would overflow.
    static constexpr Real kSmallestStep = 1e-15;
    static constexpr Real kLargestStep = 1e6;

    BacktrackingOptions options_;
    Real step_ = 0;           // e, kept between rounds: neighbouring windows curve alike
    Real previous_step_ = 0;  // the one before it; 0: none, or it was refused
    std::uint64_t streak_ = 0;
};

}  // namespace proxstream
