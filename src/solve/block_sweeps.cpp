#include "solve/block_sweeps.hpp"

#include <algorithm>

namespace proxstream {

InnerReport BlockSweeps::solve(const InnerProblem& problem, Iterate& iterate) {
    const BudgetMeter meter(problem.budget);
    InnerReport report;
    bool sweeping = true;
    while (sweeping && iterate.gap > problem.tolerance) {
        if (meter.exhausted(report.attempts)) {
            report.status = SolveStatus::budget_exhausted;
            return report;
        }
        const std::uint64_t tests = report.confirmations;
        sweeping = sweep(problem, iterate, report);
        if (sweeping || report.confirmations == tests) continue;
        sweeping = pay(problem, meter, iterate, report);
        if (report.status == SolveStatus::not_finite) return report;
        report.status = SolveStatus::converged;
    }
    if (iterate.gap > problem.tolerance) {
        report.add(exact_.solve(problem.within(meter.rest(report.attempts)), iterate));
    }
    return report;
}

/// The step was too long: tries shorter exact steps until one is accepted. False: none is.
bool BlockSweeps::pay(const InnerProblem& problem, const BudgetMeter& meter, Iterate& iterate,
                      InnerReport& report) {
    const std::uint64_t steps = report.steps;
    while (report.steps == steps && !meter.exhausted(report.attempts)) {
        Budget one = meter.rest(report.attempts);
        one.max_steps = 1;
        const Real step = exact_.step_or(problem.reference_step);
        report.add(exact_.solve(problem.within(one), iterate));
        if (report.status == SolveStatus::not_finite) return false;
        if (report.steps == steps && exact_.step_or(problem.reference_step) >= step) break;
    }
    return report.steps > steps;
}

/// One exact step, a sweep, one exact pass. False: there is no sweep, or it was rolled back.
bool BlockSweeps::sweep(const InnerProblem& problem, Iterate& iterate, InnerReport& report) {
    SmoothObjective& objective = problem.objective;
    Scratch& scratch = problem.scratch;
    const Real step = exact_.step_or(problem.reference_step);
    Scratch::Frame frame(scratch);
    const View y = frame.take(iterate.point.size());
    const View forward = frame.take(y.size());
    const View direction = frame.take(y.size());
    step_along(iterate.point, -step, objective.gradient(), y);
    const Real forward_regulariser = problem.g.prox(y, step, y, scratch);
    ++problem.cost.prox;
    subtract(y, iterate.point, direction);
    const Real length = norm(direction);
    // M_e >= |d|^2 / (2e), which the exact step's own test would prove.
    const Real promised = -dot(objective.gradient(), direction) - length * length / (2 * step) -
                          (forward_regulariser - iterate.regulariser);
    copy(y, forward);
    if (!objective.block_sweep(y, scratch)) return false;
    const Real regulariser = problem.g.value(y, scratch);
    const Real path = length + distance(y, forward);
    ++report.cheap_steps;
    ++report.confirmations;
    ++report.attempts;
    const Real here = objective.value() + iterate.regulariser;
    const Real there = objective.try_at(y, scratch) + regulariser;
    if (!objective.trial_finite() || !(there <= here - promised)) {
        ++report.failed_confirmations;
        return false;
    }
    objective.accept_trial();
    copy(y, iterate.point);
    iterate.regulariser = regulariser;
    report.count(step, length / step, promised);
    exact_.reward(problem.reference_step);
    report.path += path - length;
    problem.test(iterate);
    if (iterate.gap > problem.tolerance) ++report.failed_confirmations;
    return true;
}

}  // namespace proxstream
