#include "solve/auto_inner.hpp"

#include <algorithm>

namespace proxstream {

InnerReport AutoInner::solve(const InnerProblem& problem, Iterate& iterate) {
    // Passes of a round before PANOC takes over. Chosen on builtin:drift, ETTh1 and electricity among 4 to
    // 64, checked on four other streams: sooner costs loss where windows are short, later costs passes.
    constexpr std::uint64_t kShort = 8;
    const BudgetMeter meter(problem.budget);
    Budget first = problem.budget;
    first.max_steps = std::min(first.max_steps, kShort);
    InnerReport report = short_rounds_.solve(problem.within(first), iterate);
    // Backtracking that sees nothing but rounding ends before its budget.
    if (report.status != SolveStatus::budget_exhausted || report.attempts < kShort ||
        meter.exhausted(report.attempts))
        return report;
    report.add(long_rounds_.solve(problem.within(meter.rest(report.attempts)), iterate));
    return report;
}

}  // namespace proxstream
