/// Windows of quadratic losses: the matrix of the window stands in for its rows, and an exact pass confirms
/// where steps on it led. The round ends only if the exact gap passes. Other losses, and rounds in which
/// that fails, are left to exact steps.
#pragma once

#include "solve/inner_solver.hpp"
#include "solve/panoc.hpp"
#include "solve/quadratic_model.hpp"
#include "solve/stand_in.hpp"

#include <concepts>
#include <cstdint>

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
                iterate.gap > tolerance && !meter.exhausted(0) ? model.curvature() : ConstView();
            // A second stretch mends what rounding of the matrix spoilt; a third would be as good as that
            // one.
            while (!matrix.empty() && confirmed < 2 && iterate.gap > tolerance &&
                   !meter.exhausted(confirmed)) {
                ++confirmed;
                Budget on_matrix = meter.rest(0);
                on_matrix.max_steps = kMostSteps;
                if (!stretch(model, matrix, g, reference_step, tolerance, on_matrix, iterate, report, cost,
                             scratch))
                    break;
            }
        }
        if (iterate.gap <= tolerance) return report;
        report.add(
            exact_.solve(model, g, reference_step, tolerance, meter.rest(confirmed), iterate, cost, scratch));
        return report;
    }

    void serialise(StateArchive& archive) {
        archive.section("model steps", on_model_);
        archive.section("exact steps", exact_);
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
        return stretch_.run(on_model_, model, quadratic, g, reference_step, kAim * tolerance, tolerance,
                            on_matrix, iterate, report, cost, scratch);
    }

    Panoc on_model_;
    Panoc exact_;
    StandInStretch stretch_;
};

}  // namespace proxstream
