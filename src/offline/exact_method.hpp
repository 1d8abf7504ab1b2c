/// An inner solver as an offline method: driven one kept step at a time on f itself, whose gradient is
/// therefore known at every point.
#pragma once

#include "offline/exact_model.hpp"
#include "offline/method_table.hpp"
#include "solve/inner_solver.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace proxstream {

/// Tells rounding from progress: neither the objective nor the gap has come down for very long.
class ProgressWatch {
  public:
    /// False: nothing to hope for.
    bool note(Real objective, Real gap) {
        if (objective < lowest_ - 32 * kUnitRoundoff * std::abs(lowest_) || gap < kGain * smallest_) {
            lowest_ = std::min(lowest_, objective);
            smallest_ = std::min(smallest_, gap);
            idle_ = 0;
        }
        return ++idle_ <= kPatience;
    }
    void serialise(StateArchive& archive) {
        archive.field("lowest", lowest_);
        archive.field("smallest", smallest_);
        archive.field("idle", idle_);
    }

  private:
    static constexpr std::uint64_t kPatience = 200;
    static constexpr Real kGain = 0.999;
    Real lowest_ = kInfinity;
    Real smallest_ = kInfinity;
    std::uint64_t idle_ = 0;
};

template <class Solver>
class ExactMethod final : public OfflineMethod {
  public:
    /// `step` is the one to begin with. `proves`: whether the solver's decreases are proved. `enough`: the
    /// gap at which a call of many candidates ends.
    ExactMethod(const OfflineProblem& problem, Solver solver, Real step, bool proves,
                std::vector<MethodParameter> parameters, Real enough = 0)
        : problem_(problem),
          model_(*problem.loss),
          solver_(std::move(solver)),
          first_step_(step),
          proves_(proves),
          parameters_(std::move(parameters)),
          enough_(enough),
          iterate_(problem.start) {}

    StepStatus advance(Cost& cost) override {
        const Cost before = model_.cost();
        const StepStatus status = step_once(cost);
        cost += model_.cost() - before;
        return status;
    }

    ConstView point() const override { return iterate_.point; }
    std::optional<Exact> exact() const override {
        if (!begun_) return std::nullopt;
        return Exact{.value = model_.value(), .gradient = model_.gradient()};
    }
    Real step() const override {
        if constexpr (requires { solver_.step_or(first_step_); }) return solver_.step_or(first_step_);
        return first_step_;
    }
    std::optional<Real> certified_decrease() const override {
        return proves_ ? std::optional(decrease_) : std::nullopt;
    }
    std::vector<MethodParameter> parameters() const override { return parameters_; }

    void serialise(StateArchive& archive) override {
        archive.field("begun", begun_);
        archive.section("model", model_);
        archive.section("iterate", iterate_);
        archive.section("solver", solver_);
        archive.section("watch", watch_);
        archive.field("decrease", decrease_);
    }

  private:
    /// Candidates until one is kept; there will be none where the solver finds its gap at the level of
    /// rounding, and does not even try, or gives its search up and goes back to the step it began with.
    StepStatus step_once(Cost& cost) {
        if (!begun_ && !begin(cost)) return StepStatus::not_finite;
        for (std::uint64_t idle = 0; idle < kMostIdle; ++idle) {
            const Real tried = step();
            const Real tolerance = iterate_.gap > enough_ ? enough_ : 0;  // asked again: go on
            const InnerReport report =
                solver_.solve(model_, problem_.g, first_step_, tolerance, Budget{.max_steps = kCandidates},
                              iterate_, cost, scratch_);
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

    bool begin(Cost& cost) {
        model_.try_at(iterate_.point, scratch_);
        iterate_.regulariser = problem_.g.value(iterate_.point, scratch_);
        if (!model_.trial_finite() || !std::isfinite(iterate_.regulariser)) return false;
        model_.accept_trial();
        test_at(iterate_, model_.gradient(), problem_.g, first_step_, scratch_);
        ++cost.prox;
        begun_ = true;
        return true;
    }

    /// One, or what a solver that steps on a copy needs for a stretch.
    static constexpr std::uint64_t kCandidates = [] {
        if constexpr (requires { Solver::kStretch; }) return Solver::kStretch;
        return std::uint64_t{1};
    }();
    /// More candidates than a solver tries with one and the same step.
    static constexpr std::uint64_t kMostIdle = 200;

    const OfflineProblem& problem_;
    ExactModel model_;
    Solver solver_;
    Real first_step_;
    bool proves_;
    std::vector<MethodParameter> parameters_;
    Real enough_;
    Iterate iterate_;
    ProgressWatch watch_;
    Real decrease_ = 0;
    bool begun_ = false;
    Scratch scratch_;
};

}  // namespace proxstream
