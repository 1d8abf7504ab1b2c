/// A stretch of steps on a stand-in for the window, and the exact pass that confirms where they led, (T4):
/// the end is kept if the window fell by what (T3) says an accepted step is worth at least.
#pragma once

#include "solve/bend_test.hpp"
#include "solve/inner_solver.hpp"
#include "solve/panoc.hpp"

#include <algorithm>
#include <optional>

namespace proxstream {

class StandInStretch {
  public:
    /// `steps` goes on `stand_in`, which agrees with the model where the iterate is, until its gap is
    /// `aim` or the budget ends. False: there was no step, or all were taken back.
    template <Regulariser G, class Model, class StandIn>
    bool run(Panoc& steps, Model& model, StandIn& stand_in, const G& g, Real reference_step, Real target_gap,
             Real tolerance, const Budget& budget, Iterate& iterate, InnerReport& report, Cost& cost,
             Scratch& scratch) {
        if (!moved_) moved_.emplace(iterate);
        Iterate& moved = *moved_;
        moved = iterate;
        const InnerReport cheap =
            steps.solve(stand_in, g, reference_step, target_gap, budget, moved, cost, scratch);
        if (cheap.steps == 0 || cheap.status == SolveStatus::not_finite) return false;
        report.cheap_steps += cheap.steps;
        ++report.confirmations;
        const Real worth = reference_step / 2 * iterate.gap * iterate.gap;
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
        const Real counted_step = std::min(cheap.smallest_step, reference_step);
        report.count(counted_step, iterate.gap, std::min(needed, fall));
        report.path += cheap.path - counted_step * iterate.gap;
        iterate.point.swap(moved.point);
        iterate.regulariser = moved.regulariser;
        test_at(iterate, model.gradient(), g, reference_step, scratch);
        ++cost.prox;
        if (iterate.gap > tolerance) ++report.failed_confirmations;
        return true;
    }

  private:
    std::optional<Iterate> moved_;  // room for a stretch; nothing is kept in it
};

}  // namespace proxstream
