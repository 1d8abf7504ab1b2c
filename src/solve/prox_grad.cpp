#include "solve/prox_grad.hpp"

namespace proxstream {

InnerReport ProxGrad::solve(const InnerProblem& problem, Iterate& iterate) const {
    const Real eta = problem.reference_step;
    const Real gain = eta * (1 - eta * smoothness_ / 2);  // gamma
    const BudgetMeter meter(problem.budget);
    InnerReport report;
    while (iterate.gap > problem.tolerance) {
        if (meter.exhausted(report.attempts) || problem.at_rounding(iterate)) {
            report.status = SolveStatus::budget_exhausted;
            return report;
        }
        ++report.attempts;
        const Real gap = iterate.gap;
        problem.objective.try_at(iterate.forward, problem.scratch);
        if (!problem.objective.trial_finite()) {
            report.status = SolveStatus::not_finite;
            return report;
        }
        problem.objective.accept_trial();
        iterate.point.swap(iterate.forward);
        iterate.regulariser = iterate.forward_regulariser;
        problem.test(iterate);
        report.count(eta, gap, gain * gap * gap);
    }
    return report;
}

}  // namespace proxstream
