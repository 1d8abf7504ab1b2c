/// The paper's inner loop: y <- T_eta(y; grad S(y)) with the reference step itself.
#pragma once

#include "solve/inner_solver.hpp"

namespace proxstream {

class ProxGrad {
  public:
    /// `smoothness` is the claimed L. Lemma "sufficient decrease": each step lowers S + g by at least
    /// eta (1 - eta L / 2) |P|^2; a run on which it does not is a proof that L was claimed too small.
    explicit ProxGrad(Real smoothness) : smoothness_(smoothness) {}

    StepClaim step_claim() const noexcept { return {.smoothness = smoothness_, .lambda = 0}; }

    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        const Real gain = reference_step * (1 - reference_step * smoothness_ / 2);  // gamma
        const BudgetMeter meter(budget);
        InnerReport report;
        while (iterate.gap > tolerance) {
            if (meter.exhausted(report.steps) ||
                iterate.gap <= gap_floor(iterate, model.gradient(), reference_step)) {
                report.status = SolveStatus::budget_exhausted;
                return report;
            }
            const Real gap = iterate.gap;
            model.try_at(iterate.forward, scratch);
            if (!model.trial_finite()) {
                report.status = SolveStatus::not_finite;
                return report;
            }
            model.accept_trial();
            iterate.point.swap(iterate.forward);
            iterate.regulariser = iterate.forward_regulariser;
            test_at(iterate, model.gradient(), g, reference_step, scratch);
            ++cost.prox;
            report.count(reference_step, gap, gain * gap * gap);
        }
        return report;
    }

    void serialise(StateArchive& /*checkpoint*/) {}  // nothing is kept between rounds

  private:
    Real smoothness_;  // L
};

}  // namespace proxstream
