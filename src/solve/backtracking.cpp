#include "solve/backtracking.hpp"

#include "solve/bend_test.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

InnerReport Backtracking::solve(const InnerProblem& problem, Iterate& iterate) {
    SmoothObjective& objective = problem.objective;
    const BudgetMeter meter(problem.budget);
    if (step_ == 0) step_ = problem.reference_step;
    Scratch::Frame frame(problem.scratch);
    const View candidate = frame.take(iterate.point.size());
    const View move = frame.take(iterate.point.size());
    InnerReport report;
    while (iterate.gap > problem.tolerance) {
        if (meter.exhausted(report.attempts) || problem.at_rounding(iterate)) {
            report.status = SolveStatus::budget_exhausted;
            return report;
        }
        ++report.attempts;  // a rejected candidate costs a pass too, so the budget counts it
        step_along(iterate.point, -step_, objective.gradient(), candidate);
        const Real regulariser = problem.g.prox(candidate, step_, candidate, problem.scratch);
        ++problem.cost.prox;
        const auto [length_squared, slope] =
            move_between(iterate.point, candidate, objective.gradient(), move);
        const Real here = objective.value();
        const Real there = objective.try_at(candidate, problem.scratch);
        const Real upper_model = here + slope + options_.lambda * length_squared / (2 * step_);
        if (!objective.trial_finite() || there > upper_model + rounding_slack(here, there)) {
            streak_ = 0;
            step_ *= options_.shrink;
            if (step_ < kSmallestStep * problem.reference_step) {
                report.status =
                    objective.trial_finite() ? SolveStatus::budget_exhausted : SolveStatus::not_finite;
                step_ = problem.reference_step;
                return report;
            }
            continue;
        }
        objective.accept_trial();
        copy(candidate, iterate.point);
        iterate.regulariser = regulariser;
        // |P_e| = |d| / e, and the accepted step lowers S + g by e (1 - lambda / 2) |P_e|^2, less what the
        // test forgave: over many steps at rounding level the forgiven parts would add up.
        const Real forgiven = std::max(Real{0}, there - upper_model);
        report.count(step_, std::sqrt(length_squared) / step_,
                     (1 - options_.lambda / 2) * length_squared / step_ - forgiven);
        reward(problem.reference_step);
        problem.test(iterate);
    }
    return report;
}

void Backtracking::reward(Real reference_step) {
    if (step_ == 0) step_ = reference_step;
    if (++streak_ < kStreak) return;
    streak_ = 0;
    step_ = std::min(step_ * options_.grow, kLargestStep * reference_step);
}

void Backtracking::serialise(StateArchive& archive) {
    archive.fields(Field{"step", step_}, Field{"streak", streak_});
}

}  // namespace proxstream
