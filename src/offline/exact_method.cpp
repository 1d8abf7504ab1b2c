#include "offline/exact_method.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {

bool ProgressWatch::note(Real objective, Real gap) {
    constexpr std::uint64_t kPatience = 200;
    constexpr Real kGain = 0.999;
    if (objective < lowest_ - 32 * kUnitRoundoff * std::abs(lowest_) || gap < kGain * smallest_) {
        lowest_ = std::min(lowest_, objective);
        smallest_ = std::min(smallest_, gap);
        idle_ = 0;
    }
    return ++idle_ <= kPatience;
}

void ProgressWatch::serialise(StateArchive& archive) {
    archive.fields(Field{"lowest", lowest_}, Field{"smallest", smallest_}, Field{"idle", idle_});
}

ExactMethod::ExactMethod(const OfflineProblem& problem, ExactPlan plan)
    : problem_(problem), plan_(std::move(plan)), model_(*problem.loss), iterate_(problem.start) {}

StepStatus ExactMethod::advance(Cost& cost) {
    const Cost before = model_.cost();
    const StepStatus status = step_once(cost);
    cost += model_.cost() - before;
    return status;
}

std::optional<ExactMethod::Exact> ExactMethod::exact() const {
    if (!begun_) return std::nullopt;
    return Exact{.value = model_.value(), .gradient = model_.gradient()};
}

void ExactMethod::serialise(StateArchive& archive) {
    archive.fields(Field{"begun", begun_}, Field{"model", model_}, Field{"iterate", iterate_},
                   Field{"solver", plan_.solver}, Field{"watch", watch_}, Field{"decrease", decrease_});
}

/// Tries candidates until one is kept. None will be if the solver finds its gap at the level of rounding, or
/// gives its search up and returns to its first step.
StepStatus ExactMethod::step_once(Cost& cost) {
    constexpr std::uint64_t kMostIdle =
        200;  // more candidates than a solver tries with one and the same step
    if (!begun_ && !begin(cost)) return StepStatus::not_finite;
    for (std::uint64_t idle = 0; idle < kMostIdle; ++idle) {
        const Real tried = step();
        const InnerProblem problem{
            .objective = model_,
            .g = problem_.g,
            .reference_step = plan_.step,
            .tolerance = iterate_.gap > plan_.epsilon ? plan_.epsilon : 0,  // asked again: continue
            .budget = {.max_steps = plan_.candidates},
            .scratch = scratch_,
            .cost = cost};
        const InnerReport report = plan_.solver.solve(problem, iterate_);
        if (report.steps == 0) {
            if (report.status == SolveStatus::not_finite) return StepStatus::not_finite;
            if (step() > tried) break;
            if (step() < tried) idle = 0;
            continue;
        }
        decrease_ += report.certified_decrease;
        const Real objective = model_.value() + iterate_.regulariser;
        return watch_.note(objective, iterate_.gap) ? StepStatus::moved : StepStatus::stalled;
    }
    return StepStatus::stalled;
}

bool ExactMethod::begin(Cost& cost) {
    model_.try_at(iterate_.point, scratch_);
    iterate_.regulariser = problem_.g.value(iterate_.point, scratch_);
    if (!model_.trial_finite() || !std::isfinite(iterate_.regulariser)) return false;
    model_.accept_trial();
    test_at(iterate_, model_.gradient(), problem_.g, plan_.step, scratch_);
    ++cost.prox;
    begun_ = true;
    return true;
}

}  // namespace proxstream
