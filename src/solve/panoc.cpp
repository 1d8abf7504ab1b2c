#include "solve/panoc.hpp"

#include "proxstream/prox/prox_gradient_step.hpp"

#include "solve/bend_test.hpp"
#include "solve/reduced_objective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

constexpr std::uint64_t kStreak = 3;
constexpr Real kEnvelopeShare = 0.1;  // of F - phi_e, the least fall of phi_e
constexpr Real kRetreat = 4;          // how much shorter a move is tried after one without a finite loss
// In multiples of the reference step, as for backtracking.
constexpr Real kSmallestStep = 1e-15;
constexpr Real kLargestStep = 1e6;

// Surrogate phases.
constexpr std::uint64_t kExactSteps = 4;  // passes of a round before the first one
constexpr std::uint64_t kOverhead = 2;    // passes: one to prepare the reduced model, one to verify
constexpr std::uint64_t kLongest = 1024;  // steps of a phase
/// How far a phase brings the gap down. Beyond that, other coordinates may have to move.
constexpr Real kGain = 1e-3;
constexpr Real kNearly = 10;   // a phase that would leave a gap of so many tolerances continues
constexpr Real kTarget = 0.9;  // of the tolerance: the reduced model's own error must fit in as well

Real slack_of(const InnerProblem& problem, const Iterate& iterate, Real value, Real regulariser) {
    return rounding_slack(problem.objective.value(), value) +
           rounding_slack(iterate.regulariser, regulariser);
}

}  // namespace

/// The prox-gradient step e from a point.
struct Panoc::Outlook {
    Outlook(Scratch::Frame& frame, Index n) : forward(frame.take(n)), mapping(frame.take(n)) {}
    View forward;          // T_e
    View mapping;          // P_e
    Real norm = 0;         // |P_e|
    Real regulariser = 0;  // g(T_e)
};

/// The memory of one call.
struct Panoc::Walk {
    Walk(const InnerProblem& asked, Iterate& moved, Scratch::Frame& frame)
        : problem(asked),
          iterate(moved),
          candidate(frame.take(moved.point.size())),
          move(frame.take(moved.point.size())),
          here(frame, moved.point.size()),
          there(frame, moved.point.size()) {}
    const InnerProblem& problem;
    Iterate& iterate;
    View candidate;
    View move;
    Outlook here;
    Outlook there;
    Real looked_with = 0;  // the step of `here`; 0: of another point
    bool on_reduced_model = false;
};

/// What is known of the point that is tried.
struct Panoc::Candidate {
    bool quasi_newton = false;
    Real regulariser = 0;
    Real value = 0;
    bool finite = false;
    Real length = 0;
    Real fall = 0;
    Real slack = 0;
    Real worth = 0;  // the least fall
};

InnerReport Panoc::solve(const InnerProblem& problem, Iterate& iterate, Model model) {
    const BudgetMeter meter(problem.budget);
    Scratch::Frame frame(problem.scratch);
    Walk walk(problem, iterate, frame);
    walk.on_reduced_model = model == Model::reduced;
    bool reducible = model == Model::exact;
    if (reducible) problem.objective.forget_reduced();
    if (step_ == 0) step_ = problem.reference_step;
    if (before_.size() != iterate.point.size()) before_.clear();
    pairs_.prepare(iterate.point.size());
    InnerReport report;
    while (iterate.gap > problem.tolerance && report.status == SolveStatus::converged) {
        if (meter.exhausted(report.attempts) || problem.at_rounding(iterate)) {
            report.status = SolveStatus::budget_exhausted;
        } else if (reducible && report.attempts >= kExactSteps &&
                   !meter.exhausted(report.attempts + kOverhead)) {
            const std::uint64_t attempts = report.attempts;
            const Real step = step_;
            reducible = surrogate_phase(problem.within(meter.rest(attempts + kOverhead)), iterate, report);
            if (!reducible) step_ = std::max(step_, step);  // a wrong model may have shortened it
            if (report.attempts > attempts) walk.looked_with = 0;
        } else {
            try_once(walk, report);
        }
    }
    return report;
}

/// One candidate.
void Panoc::try_once(Walk& walk, InnerReport& report) {
    const InnerProblem& problem = walk.problem;
    Iterate& iterate = walk.iterate;
    ++report.attempts;  // a rejected candidate costs a pass too, so the budget counts it
    if (walk.looked_with != step_) {
        look(walk, iterate.point, problem.objective.gradient(), walk.here);
        walk.looked_with = step_;
    }
    Candidate candidate;
    candidate.quasi_newton = propose(iterate.point, walk.here, walk.candidate, problem.scratch);
    candidate.regulariser = walk.here.regulariser;
    if (candidate.quasi_newton) {  // back to the nearest point of dom g
        candidate.regulariser =
            problem.g.prox(walk.candidate, kUnitRoundoff * step_, walk.candidate, problem.scratch);
        ++problem.cost.prox;
    }
    if (!passes(walk, candidate)) {
        reject(walk, candidate, report);
        return;
    }
    report.count(step_, walk.here.norm, std::min(candidate.worth, candidate.fall));
    report.path += candidate.length - step_ * walk.here.norm;
    pairs_.add(iterate.point, walk.here.mapping, walk.candidate, walk.there.mapping);
    before_.assign(walk.here.forward.begin(), walk.here.forward.end());
    std::swap(walk.here, walk.there);
    problem.objective.accept_trial();
    copy(walk.candidate, iterate.point);
    iterate.regulariser = candidate.regulariser;
    trial_ = 0;
    radius_ = std::max(radius_, options_.reach * candidate.length);
    adapt(candidate.quasi_newton, problem.reference_step);
    problem.test(iterate);
    if (candidate.quasi_newton) report.count_confirmed(iterate.gap <= problem.tolerance);
}

/// Evaluates the candidate. True: F falls enough there.
bool Panoc::passes(Walk& walk, Candidate& candidate) {
    SmoothObjective& objective = walk.problem.objective;
    const Iterate& iterate = walk.iterate;
    const bool quasi_newton = candidate.quasi_newton;
    candidate.value = objective.try_at(walk.candidate, walk.problem.scratch);
    candidate.finite = objective.trial_finite();
    candidate.fall = (objective.value() - candidate.value) + (iterate.regulariser - candidate.regulariser);
    candidate.slack = slack_of(walk.problem, iterate, candidate.value, candidate.regulariser);
    candidate.worth = quasi_newton
                          ? std::min(step_, walk.problem.reference_step) / 2 * iterate.gap * iterate.gap
                          : envelope_gap(walk.here, iterate.regulariser, objective.gradient());
    subtract(walk.candidate, iterate.point, walk.move);
    candidate.length = norm(walk.move);
    if (!candidate.finite) return false;
    if (!quasi_newton) {
        if (!bends_little(objective.value(), objective.gradient(), candidate.value,
                          objective.trial_gradient(), walk.move, step_))
            return false;
        look(walk, walk.candidate, objective.trial_gradient(), walk.there);
        return true;
    }
    look(walk, walk.candidate, objective.trial_gradient(), walk.there);
    bool kept = candidate.fall >= candidate.worth - candidate.slack;
    // Where rounding decides about the fall, gaps tell whether a quasi-Newton move was a good one.
    if (kept && candidate.worth <= candidate.slack) kept = walk.there.norm <= walk.here.norm;
    if (kept || !walk.on_reduced_model) return kept;
    // An exact pass verifies the end of a surrogate phase, so the envelope may decide on its way. It accepts
    // a move that has gone a little past a kink of g.
    return candidate.fall + envelope_gap(walk.there, candidate.regulariser, objective.trial_gradient()) >=
           (1 + kEnvelopeShare) * envelope_gap(walk.here, iterate.regulariser, objective.gradient()) -
               candidate.slack;
}

void Panoc::reject(Walk& walk, const Candidate& candidate, InnerReport& report) {
    if (candidate.quasi_newton) {
        ++trial_;
        radius_ = candidate.finite ? candidate.length : candidate.length / kRetreat;
        // Its pass is paid for: the curvature met on the way makes the next point a better one.
        if (candidate.finite)
            pairs_.add(walk.iterate.point, walk.here.mapping, walk.candidate, walk.there.mapping);
        return;
    }
    streak_ = 0;
    step_ *= options_.shrink;
    if (step_ >= kSmallestStep * walk.problem.reference_step) return;
    report.status = candidate.finite ? SolveStatus::budget_exhausted : SolveStatus::not_finite;
    step_ = walk.problem.reference_step;
    pairs_.forget();
}

/// Steps on the reduced model, verified by one exact pass. False: there is no reduced model, or it is of no
/// more use in this round. The budget is that of the steps.
bool Panoc::surrogate_phase(const InnerProblem& problem, Iterate& iterate, InnerReport& report) {
    const Index n = iterate.point.size();
    Scratch::Frame frame(problem.scratch);
    // Coordinates move that are not 0, or leave it in a step from here: the reference step, or the one in
    // use.
    const View ahead = frame.take(n);
    step_along(iterate.point, -step_, problem.objective.gradient(), ahead);
    problem.g.prox(ahead, step_, ahead, problem.scratch);
    ++problem.cost.prox;
    const std::span<Index> moving = frame.take<Index>(n);
    Index count = 0;
    for (Index i = 0; i < n; ++i) {
        if (iterate.point[i] != 0 || iterate.forward[i] != 0 || ahead[i] != 0) moving[count++] = i;
    }
    const View anchor = frame.take(n);
    copy(iterate.point, anchor);
    if (!problem.objective.reduce(moving.first(count), anchor, problem.scratch)) return false;
    ReducedObjective reduced(problem.objective, anchor, frame);
    const Real far = kGain * iterate.gap;
    InnerProblem surrogate{.objective = reduced,
                           .g = problem.g,
                           .reference_step = problem.reference_step,
                           .tolerance = far < kNearly * problem.tolerance ? kTarget * problem.tolerance : far,
                           .budget = problem.budget,
                           .scratch = problem.scratch,
                           .cost = problem.cost};
    surrogate.budget.max_steps = std::min(surrogate.budget.max_steps, kLongest);
    Iterate moved = iterate;
    const InnerReport steps = solve(surrogate, moved, Model::reduced);
    report.attempts += steps.attempts + kOverhead;
    return steps.steps > 0 && steps.status != SolveStatus::not_finite &&
           verify(problem, steps, iterate, moved, report);
}

/// The end is kept if the objective fell by what (T3) says an accepted step is worth at least. False: it was
/// not kept, or it shows that rounding decides.
bool Panoc::verify(const InnerProblem& problem, const InnerReport& steps, Iterate& iterate, Iterate& moved,
                   InnerReport& report) {
    SmoothObjective& objective = problem.objective;
    const Real eta = problem.reference_step;
    report.cheap_steps += steps.steps;
    ++report.confirmations;
    const Real gap = iterate.gap;
    const Real here = objective.value() + iterate.regulariser;
    const Real value = objective.try_at(moved.point, problem.scratch);
    const Real fall = (objective.value() - value) + (iterate.regulariser - moved.regulariser);
    const Real slack = slack_of(problem, iterate, value, moved.regulariser);
    const Real needed = std::min(steps.smallest_step / eta, Real{1}) * (eta / 2 * gap * gap);
    if (!objective.trial_finite() || !(fall >= needed - slack)) {
        ++report.failed_confirmations;
        return false;
    }
    objective.accept_trial();
    const Real counted_step = std::min(steps.smallest_step, eta);
    report.count(counted_step, gap, std::min(needed, fall));
    report.path += steps.path - counted_step * gap;
    iterate.point.swap(moved.point);
    iterate.regulariser = moved.regulariser;
    problem.test(iterate);
    if (iterate.gap > problem.tolerance) ++report.failed_confirmations;
    const Real there = objective.value() + iterate.regulariser;
    // A phase that has not reached its target may have seen nothing but the model's error.
    return iterate.gap < gap / 2 ||
           (steps.status == SolveStatus::converged && there < here - rounding_slack(here, there));
}

void Panoc::look(const Walk& walk, ConstView x, ConstView gradient, Outlook& from) const {
    const ProxStep seen = prox_gradient_step(walk.problem.g, x, gradient, step_, {from.forward, from.mapping},
                                             walk.problem.scratch);
    from.norm = seen.norm;
    from.regulariser = seen.regulariser;
    ++walk.problem.cost.prox;
}

/// m_e = F - phi_e, which is at least (e/2) |P_e|^2; the maximum guards that bound against rounding.
Real Panoc::envelope_gap(const Outlook& from, Real regulariser, ConstView gradient) const {
    const Real least = step_ / 2 * from.norm * from.norm;
    return std::max(least, step_ * dot(gradient, from.mapping) - least + (regulariser - from.regulariser));
}

/// Writes the next candidate; false: it is the forward-backward point.
bool Panoc::propose(ConstView x, const Outlook& here, View candidate, Scratch& scratch) {
    copy(here.forward, candidate);
    if (trial_ >= options_.trials) return false;
    Scratch::Frame frame(scratch);
    const std::span<Index> all = frame.take<Index>(x.size());
    Index count = 0;
    for (Index i = 0; i < x.size(); ++i) {
        // A coordinate on which two forward-backward points agree to the last bit is held by g (a zero of L1,
        // a bound of a box). It stays there, and the others have their own curvature.
        if (before_.empty() || before_[i] != here.forward[i]) all[count++] = i;
    }
    const std::span<const Index> free = all.first(count);
    const View move = frame.take(count);
    const bool bends = pairs_.newton_move(here.mapping, free, move, scratch);
    const Real length = bends ? norm(move) : 0;
    if (!(length > 0 && std::isfinite(length))) {
        trial_ = options_.trials;
        return false;
    }
    const Real share = std::min(Real{1}, radius_ / length);  // tau
    for (Index k = 0; k < count; ++k) {
        Real& y = candidate[free[k]];
        y = share * (x[free[k]] + move[k]) + (1 - share) * y;
    }
    return true;
}

/// Quasi-Newton moves never test the step e, so it is bounded by the curvature they met.
void Panoc::adapt(bool quasi_newton, Real reference_step) {
    const Real allowed = pairs_.newest_step();
    if (quasi_newton && step_ > allowed) step_ = std::max(allowed, std::min(step_, reference_step));
    if (++streak_ < kStreak) return;
    streak_ = 0;
    step_ = std::min(step_ * options_.grow, kLargestStep * reference_step);
}

void Panoc::serialise(StateArchive& archive) {
    archive.fields(Field{"step", step_}, Field{"streak", streak_});
    archive.field("trial", trial_, options_.trials);
    archive.fields(Field{"radius", radius_}, Field{"before", before_}, Field{"pairs", pairs_});
}

}  // namespace proxstream
