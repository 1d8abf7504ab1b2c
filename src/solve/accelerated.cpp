#include "solve/accelerated.hpp"

#include "solve/bend_test.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

/// A step from an extrapolated point.
struct Accelerated::Candidate {
    Candidate(Scratch::Frame& frame, Index n)
        : anchor(frame.take(n)), slope(frame.take(n)), point(frame.take(n)), move(frame.take(n)) {}
    View anchor;  // where the step starts
    View slope;   // the gradient there
    View point;   // where it leads
    View move;
    Real anchor_value = 0;
    Real next_momentum = 1;
};

InnerReport Accelerated::solve(const InnerProblem& problem, Iterate& iterate) {
    const BudgetMeter meter(problem.budget);
    if (step_ == 0) step_ = problem.reference_step;
    if (before_.size() != iterate.point.size()) {
        before_ = iterate.point;
        momentum_ = 1;
    }
    InnerReport report;
    while (iterate.gap > problem.tolerance) {
        if (meter.exhausted(report.attempts) || problem.at_rounding(iterate)) {
            report.status = SolveStatus::budget_exhausted;
            return report;
        }
        ++report.attempts;
        const bool plain = momentum_ == 1;
        if (try_once(problem, iterate, report)) {
            problem.test(iterate);
            if (!plain) report.count_confirmed(iterate.gap <= problem.tolerance);
        } else if (step_ < kSmallestStep * problem.reference_step) {
            report.status =
                problem.objective.trial_finite() ? SolveStatus::budget_exhausted : SolveStatus::not_finite;
            step_ = problem.reference_step;
            return report;
        }
    }
    return report;
}

/// False: the loss is not finite at the extrapolated point.
bool Accelerated::extrapolate(const InnerProblem& problem, const Iterate& iterate, Candidate& candidate) {
    SmoothObjective& objective = problem.objective;
    candidate.next_momentum = (1 + std::sqrt(1 + 4 * momentum_ * momentum_)) / 2;
    candidate.anchor_value = objective.value();
    copy(iterate.point, candidate.anchor);
    if (momentum_ == 1) {
        copy(objective.gradient(), candidate.slope);
        return true;
    }
    subtract(iterate.point, before_, candidate.move);
    axpy((momentum_ - 1) / candidate.next_momentum, candidate.move, candidate.anchor);
    candidate.anchor_value = objective.try_at(candidate.anchor, problem.scratch);
    if (!objective.trial_finite()) return false;
    copy(objective.trial_gradient(), candidate.slope);
    return true;
}

/// One candidate; false: it was not kept.
bool Accelerated::try_once(const InnerProblem& problem, Iterate& iterate, InnerReport& report) {
    SmoothObjective& objective = problem.objective;
    Scratch::Frame frame(problem.scratch);
    Candidate next(frame, iterate.point.size());
    const bool plain = momentum_ == 1;
    const Real step = step_;
    if (!extrapolate(problem, iterate, next)) {
        momentum_ = 1;
        return false;
    }
    step_along(next.anchor, -step, next.slope, next.point);
    const Real regulariser = problem.g.prox(next.point, step, next.point, problem.scratch);
    ++problem.cost.prox;
    const Real there = objective.try_at(next.point, problem.scratch);
    const bool finite = objective.trial_finite();
    subtract(next.point, next.anchor, next.move);
    const Real length_squared = squared_norm(next.move);
    const bool short_enough = finite && bends_little(next.anchor_value, next.slope, there,
                                                     objective.trial_gradient(), next.move, step);

    // How far the objective must fall, and how far rounding may hide that.
    const Real mapping = plain ? std::sqrt(length_squared) / step : iterate.gap;
    const Real worth = (plain ? step : std::min(step, problem.reference_step)) / 2 * mapping * mapping;
    const Real surplus = (objective.value() - there) + (iterate.regulariser - regulariser) - worth;
    const Real slack =
        rounding_slack(objective.value(), there) + rounding_slack(iterate.regulariser, regulariser);
    const bool kept = finite && (plain ? short_enough : surplus >= -slack);
    adapt(short_enough, kept, problem.reference_step);
    if (!kept) {
        momentum_ = 1;
        return false;
    }
    subtract(next.point, iterate.point, next.slope);
    report.count(step, mapping, worth + std::min(Real{0}, surplus));
    report.path += norm(next.slope) - step * mapping;
    before_ = iterate.point;
    copy(next.point, iterate.point);
    iterate.regulariser = regulariser;
    objective.accept_trial();
    // A step against the last move: momentum carries uphill.
    momentum_ = dot(next.move, next.slope) < 0 ? 1 : next.next_momentum;
    return true;
}

void Accelerated::adapt(bool short_enough, bool kept, Real reference_step) {
    if (!short_enough) {
        step_ *= options_.shrink;
        streak_ = 0;
        patience_ = std::min(4 * patience_, kMostPatience);
    } else if (kept && ++streak_ >= patience_) {
        streak_ = 0;
        patience_ = std::max(patience_ / 2, kLeastPatience);
        step_ = std::min(step_ * options_.grow, kLargestStep * reference_step);
    }
}

void Accelerated::serialise(StateArchive& archive) {
    archive.fields(Field{"step", step_}, Field{"streak", streak_});
    archive.field("patience", patience_, kMostPatience);
    archive.fields(Field{"momentum", momentum_}, Field{"before", before_});
}

}  // namespace proxstream
