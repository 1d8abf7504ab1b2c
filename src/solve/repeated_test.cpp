#include "solve/repeated_test.hpp"

namespace proxstream {

InnerReport RepeatedTest::solve(EstimatedObjective& window, const InnerProblem& problem,
                                Iterate& iterate) const {
    const BudgetMeter meter(problem.budget);
    InnerReport report;
    for (;;) {
        report.add(steps_.solve(problem.within(meter.rest(report.attempts)), iterate));
        if (report.status != SolveStatus::converged || confirmed(window, problem, iterate, report)) {
            return report;
        }
    }
}

/// False: an estimate did not pass; it is the one the iterate now holds.
bool RepeatedTest::confirmed(EstimatedObjective& window, const InnerProblem& problem, Iterate& iterate,
                             InnerReport& report) const {
    for (std::uint64_t passed = 1; passed < confirm_; ++passed) {
        window.redraw_at(iterate.point, problem.scratch);
        if (!window.trial_finite()) {
            report.status = SolveStatus::not_finite;
            return true;
        }
        window.accept_trial();
        problem.test(iterate);
        ++report.confirmations;
        if (iterate.gap > problem.tolerance) {
            ++report.failed_confirmations;
            return false;
        }
    }
    return true;
}

}  // namespace proxstream
