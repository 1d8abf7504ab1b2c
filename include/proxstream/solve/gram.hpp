/// Windows of quadratic losses: the matrix of the window stands for its rows, a solver works on that, and one
/// exact pass confirms where it got to, (T4): it is kept if the window fell by what (T3) says an accepted
/// step is worth at least, and the round ends only if the exact residual passes. Other losses, and rounds in
/// which that fails, are left to exact steps.
#pragma once

#include "proxstream/solve/bend_test.hpp"
#include "proxstream/solve/inner_solver.hpp"
#include "proxstream/solve/panoc.hpp"
#include "proxstream/solve/quadratic_model.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>

namespace proxstream {

/// A window that may know its second derivative.
template <class M>
concept KnowsCurvature = requires(M& model) {
    { model.curvature() } -> std::same_as<ConstView>;
};

class GramSteps {
  public:
    StepClaim step_claim() const noexcept { return exact_.step_claim(); }

    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        const BudgetMeter meter(budget);
        InnerReport report;
        std::uint64_t confirmed = 0;
        if constexpr (KnowsCurvature<Model>) {
            const ConstView matrix =
                iterate.residual_norm > tolerance && !meter.exhausted(0) ? model.curvature() : ConstView();
            // A second stretch mends what rounding of the matrix spoilt; a third would be as good as that
            // one.
            while (!matrix.empty() && confirmed < 2 && iterate.residual_norm > tolerance &&
                   !meter.exhausted(confirmed)) {
                ++confirmed;
                Budget on_matrix = meter.rest(0);
                on_matrix.max_steps = kMostSteps;
                if (!stretch(model, matrix, g, reference_step, tolerance, on_matrix, iterate, report, cost,
                             scratch))
                    break;
            }
        }
        if (iterate.residual_norm <= tolerance) return report;
        report.add(
            exact_.solve(model, g, reference_step, tolerance, meter.rest(confirmed), iterate, cost, scratch));
        return report;
    }

    void exchange(Checkpoint& checkpoint) {
        checkpoint.part("model steps", on_model_);
        checkpoint.part("exact steps", exact_);
    }

  private:
    static constexpr std::uint64_t kMostSteps = 10'000;  // on the matrix, a stretch
    static constexpr Real kAim = 0.5;  // of the tolerance, on the matrix: its rounding is not the window's

    /// False: it was taken back.
    template <Regulariser G, class Model>
    bool stretch(Model& model, ConstView matrix, const G& g, Real reference_step, Real tolerance,
                 const Budget& on_matrix, Iterate& iterate, InnerReport& report, Cost& cost,
                 Scratch& scratch) {
        Scratch::Frame frame(scratch);
        const View anchor = frame.take(iterate.point.size());
        copy(iterate.point, anchor);
        QuadraticModel quadratic(model.value(), model.gradient(), anchor, matrix, frame);
        if (!moved_) moved_.emplace(iterate);
        Iterate& moved = *moved_;
        moved = iterate;
        const InnerReport cheap =
            on_model_.solve(quadratic, g, reference_step, kAim * tolerance, on_matrix, moved, cost, scratch);
        if (cheap.steps == 0 || cheap.status == SolveStatus::not_finite) return false;
        report.cheap_steps += cheap.steps;
        ++report.confirmations;
        const Real worth = reference_step / 2 * iterate.residual_norm * iterate.residual_norm;
        const Real value = model.try_at(moved.point, scratch);
        const Real fall = (model.value() - value) + (iterate.regulariser - moved.regulariser);
        const Real slack =
            rounding_slack(model.value(), value) + rounding_slack(iterate.regulariser, moved.regulariser);
        const Real needed = std::min(cheap.smallest_step / reference_step, Real{1}) * worth;
        if (!model.trial_finite() || !(fall >= needed - slack)) {
            ++report.failed_confirmations;
            return false;
        }
        model.accept_trial();
        report.count(std::min(cheap.smallest_step, reference_step), iterate.residual_norm,
                     std::min(needed, fall));
        report.path += cheap.path - std::min(cheap.smallest_step, reference_step) * iterate.residual_norm;
        iterate.point.swap(moved.point);
        iterate.regulariser = moved.regulariser;
        test_at(iterate, model.gradient(), g, reference_step, scratch);
        ++cost.prox;
        if (iterate.residual_norm > tolerance) ++report.failed_confirmations;
        return true;
    }

    Panoc on_model_;
    Panoc exact_;
    std::optional<Iterate> moved_;  // room for a stretch; nothing is kept in it
};

}  // namespace proxstream
