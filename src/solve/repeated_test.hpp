/// Algorithm 2's inner loop: prox-gradient steps along estimates of the window's gradient, and an exit test
/// that only several estimates together may pass.
#pragma once

#include "solve/prox_grad.hpp"

#include <algorithm>
#include <chrono>

namespace proxstream {

/// An estimate that ends the loop was chosen for passing, so its noise is not what it was when drawn. With
/// `confirm` = m the loop ends only where m independent estimates at one point all pass, and steps along the
/// first that does not ((D-conf), section 16 of docs/theory.md). m = 1 is the paper's loop.
class RepeatedTest {
  public:
    RepeatedTest(Real smoothness, std::uint64_t confirm) : steps_(smoothness), confirm_(confirm) {}

    StepClaim step_claim() const noexcept { return steps_.step_claim(); }
    std::uint64_t confirm() const noexcept { return confirm_; }

    /// Moves the iterate whose first estimate has been tested. The report's decrease is that of exact
    /// gradients.
    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        const auto begun = std::chrono::steady_clock::now();
        InnerReport report;
        Budget rest = budget;
        for (;;) {
            const InnerReport steps =
                steps_.solve(model, g, reference_step, tolerance, rest, iterate, cost, scratch);
            report.add(steps);
            rest.max_steps -= std::min(rest.max_steps, steps.steps);
            if (report.status != SolveStatus::converged ||
                confirmed(model, g, reference_step, tolerance, iterate, report, cost, scratch)) {
                return report;
            }
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
            rest.max_seconds = std::max(0.0, budget.max_seconds - spent.count());
        }
    }

  private:
    /// False: an estimate did not pass; it is the one the iterate now holds.
    template <Regulariser G, class Model>
    bool confirmed(Model& model, const G& g, Real reference_step, Real tolerance, Iterate& iterate,
                   InnerReport& report, Cost& cost, Scratch& scratch) {
        for (std::uint64_t passed = 1; passed < confirm_; ++passed) {
            model.redraw_at(iterate.point, scratch);
            if (!model.trial_finite()) {
                report.status = SolveStatus::not_finite;
                return true;
            }
            model.accept_trial();
            test_at(iterate, model.gradient(), g, reference_step, scratch);
            ++cost.prox;
            ++report.confirmations;
            if (iterate.gap > tolerance) {
                ++report.failed_confirmations;
                return false;
            }
        }
        return true;
    }

    ProxGrad steps_;
    std::uint64_t confirm_;
};

}  // namespace proxstream
