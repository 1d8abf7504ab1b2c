#include "solve/inner_solver.hpp"

#include "proxstream/prox/prox_gradient_step.hpp"

#include <algorithm>

namespace proxstream {

BudgetMeter::BudgetMeter(const Budget& budget) : budget_(budget) {
    if (std::isfinite(budget_.max_seconds)) start_ = Clock::now();
}

bool BudgetMeter::exhausted(std::uint64_t steps) const {
    if (steps >= budget_.max_steps) return true;
    return std::isfinite(budget_.max_seconds) &&
           std::chrono::duration<double>(Clock::now() - start_).count() >= budget_.max_seconds;
}

Budget BudgetMeter::rest(std::uint64_t steps) const {
    Budget left = budget_;
    left.max_steps -= std::min(left.max_steps, steps);
    if (std::isfinite(budget_.max_seconds)) {
        const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
        left.max_seconds = std::max(0.0, budget_.max_seconds - spent);
    }
    return left;
}

void InnerReport::count(Real step, Real gap, Real decrease) {
    smallest_step = steps == 0 ? step : std::min(smallest_step, step);
    largest_step = std::max(largest_step, step);
    squared_gaps += gap * gap;
    certified_decrease += decrease;
    path += step * gap;
    ++steps;
}

void InnerReport::count_confirmed(bool passed) {
    ++cheap_steps;
    ++confirmations;
    if (!passed) ++failed_confirmations;
}

void InnerReport::add(const InnerReport& later) {
    status = later.status;
    if (later.steps > 0) {
        smallest_step = steps == 0 ? later.smallest_step : std::min(smallest_step, later.smallest_step);
        largest_step = std::max(largest_step, later.largest_step);
    }
    attempts += later.attempts;
    steps += later.steps;
    certified_decrease += later.certified_decrease;
    squared_gaps += later.squared_gaps;
    path += later.path;
    cheap_steps += later.cheap_steps;
    confirmations += later.confirmations;
    failed_confirmations += later.failed_confirmations;
}

void note_steps(const StepClaim& claim, RunHeader& header) {
    header.step_rule = claim.lambda > 0 ? StepRule::backtracking : StepRule::fixed;
    if (claim.lambda > 0) header.acceptance = claim.lambda;
    if (claim.smoothness > 0) header.smoothness = claim.smoothness;
}

void Iterate::serialise(StateArchive& archive) {
    archive.fixed("point", point);
    archive.fixed("forward", forward);
    archive.fixed("mapping", mapping);
    archive.fields(Field{"gap", gap}, Field{"regulariser", regulariser},
                   Field{"forward regulariser", forward_regulariser});
}

void test_at(Iterate& iterate, ConstView gradient, RegulariserRef g, Real reference_step, Scratch& scratch) {
    const ProxStep result = prox_gradient_step(g, iterate.point, gradient, reference_step,
                                               {iterate.forward, iterate.mapping}, scratch);
    iterate.gap = result.norm;
    iterate.forward_regulariser = result.regulariser;
}

Real gap_floor(ConstView point, Real gradient_norm, Real step) {
    return 4 * kUnitRoundoff * (norm(point) / step + gradient_norm);
}

void InnerProblem::test(Iterate& iterate) const {
    test_at(iterate, objective.gradient(), g, reference_step, scratch);
    ++cost.prox;
}

InnerProblem InnerProblem::within(const Budget& other) const {
    return {objective, g, reference_step, tolerance, other, scratch, cost};
}

InnerSolver& InnerSolver::operator=(const InnerSolver& other) {
    if (this != &other && !held_->assign(*other.held_)) held_ = other.held_->clone();
    return *this;
}

}  // namespace proxstream
