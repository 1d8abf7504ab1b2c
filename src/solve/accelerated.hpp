/// Accelerated prox-gradient for functions that need not be convex: steps from an extrapolated point (Beck &
/// Teboulle 2009), kept only where the objective falls enough, else a plain step from where it stands (the
/// monitor of Li & Lin 2015), with a step that is found by trying and a momentum that starts anew when it
/// has ceased to help (O'Donoghue & Candes 2015).
#pragma once

#include "solve/bend_test.hpp"
#include "solve/inner_solver.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

struct AcceleratedOptions {
    Real shrink = 0.5;  // of the step, where f bends more than it allows
    Real grow = 1.6;    // after so many acceptances in a row that trying is worth it
};

/// Enough is what (T3) proves of an accepted plain step, (min(eta, e)/2) |P_eta|^2: so the count bound of
/// backtracking holds for extrapolated steps too. Those cost two passes, one for the gradient at the
/// extrapolated point and one where they lead. Both are charged when the step is not kept.
class Accelerated {
  public:
    explicit Accelerated(const AcceleratedOptions& options = {}) : options_(options) {}

    StepClaim step_claim() const noexcept { return {.smoothness = 0, .lambda = 1}; }
    /// The step it would try next.
    Real step_or(Real reference_step) const noexcept { return step_ == 0 ? reference_step : step_; }

    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        const BudgetMeter meter(budget);
        if (step_ == 0) step_ = reference_step;
        if (before_.size() != iterate.point.size()) {
            before_ = iterate.point;
            momentum_ = 1;
        }
        InnerReport report;
        std::uint64_t attempts = 0;
        while (iterate.gap > tolerance) {
            if (meter.exhausted(attempts) ||
                iterate.gap <= gap_floor(iterate, model.gradient(), reference_step)) {
                report.status = SolveStatus::budget_exhausted;
                return report;
            }
            ++attempts;
            const bool plain = momentum_ == 1;
            if (try_once(model, g, reference_step, iterate, report, cost, scratch)) {
                test_at(iterate, model.gradient(), g, reference_step, scratch);
                ++cost.prox;
                if (!plain) report.count_confirmed(iterate.gap <= tolerance);
            } else if (step_ < kSmallestStep * reference_step) {
                report.status =
                    model.trial_finite() ? SolveStatus::budget_exhausted : SolveStatus::not_finite;
                step_ = reference_step;
                return report;
            }
        }
        return report;
    }

    void serialise(StateArchive& archive) {
        archive.field("step", step_);
        archive.field("streak", streak_);
        archive.field("patience", patience_, kMostPatience);
        archive.field("momentum", momentum_);
        archive.list("before", before_);
    }

  private:
    /// One candidate; false: it was not kept.
    template <Regulariser G, class Model>
    bool try_once(Model& model, const G& g, Real reference_step, Iterate& iterate, InnerReport& report,
                  Cost& cost, Scratch& scratch) {
        Scratch::Frame frame(scratch);
        const View anchor = frame.take(iterate.point.size());
        const View slope = frame.take(anchor.size());
        const View candidate = frame.take(anchor.size());
        const View move = frame.take(anchor.size());
        const Real next_momentum = (1 + std::sqrt(1 + 4 * momentum_ * momentum_)) / 2;
        const bool plain = momentum_ == 1;
        const Real step = step_;
        Real anchor_value = model.value();
        copy(iterate.point, anchor);
        if (plain) {
            copy(model.gradient(), slope);
        } else {
            subtract(iterate.point, before_, move);
            axpy((momentum_ - 1) / next_momentum, move, anchor);
            anchor_value = model.try_at(anchor, scratch);
            if (!model.trial_finite()) {
                momentum_ = 1;
                return false;
            }
            copy(model.trial_gradient(), slope);
        }
        step_along(anchor, -step, slope, candidate);
        const Real candidate_regulariser = g.prox(candidate, step, candidate, scratch);
        ++cost.prox;
        const Real there = model.try_at(candidate, scratch);
        subtract(candidate, anchor, move);
        const Real length_squared = squared_norm(move);
        const bool short_enough = model.trial_finite() && bends_little(anchor_value, slope, there,
                                                                       model.trial_gradient(), move, step);

        // What the objective has to fall by, and what it may miss that by: rounding.
        const Real mapping = plain ? std::sqrt(length_squared) / step : iterate.gap;
        const Real worth = (plain ? step : std::min(step, reference_step)) / 2 * mapping * mapping;
        const Real gap = (model.value() - there) + (iterate.regulariser - candidate_regulariser) - worth;
        const Real forgivable =
            rounding_slack(model.value(), there) + rounding_slack(iterate.regulariser, candidate_regulariser);
        const bool kept = model.trial_finite() && (plain ? short_enough : gap >= -forgivable);
        if (!short_enough) {
            step_ *= options_.shrink;
            streak_ = 0;
            patience_ = std::min(4 * patience_, kMostPatience);
        }
        if (!kept) {
            momentum_ = 1;
            return false;
        }
        subtract(candidate, iterate.point, slope);
        report.count(step, mapping, worth + std::min(Real{0}, gap));
        report.path += norm(slope) - step * mapping;
        before_ = iterate.point;
        copy(candidate, iterate.point);
        iterate.regulariser = candidate_regulariser;
        model.accept_trial();
        // A step against the way it came: momentum carries uphill.
        momentum_ = dot(move, slope) < 0 ? 1 : next_momentum;
        if (short_enough && ++streak_ >= patience_) {
            streak_ = 0;
            patience_ = std::max(patience_ / 2, kLeastPatience);
            step_ = std::min(step_ * options_.grow, kLargestStep * reference_step);
        }
        return true;
    }

    static constexpr std::uint64_t kLeastPatience = 3;
    static constexpr std::uint64_t kMostPatience = 1000;
    // In multiples of the reference step, as for backtracking.
    static constexpr Real kSmallestStep = 1e-15;
    static constexpr Real kLargestStep = 1e6;

    AcceleratedOptions options_;
    Real step_ = 0;  // e
    std::uint64_t streak_ = 0;
    /// Acceptances in a row before a longer step is tried. Momentum carries along what a step too long does
    /// wrong, so each that proved too long makes it more cautious than one that did not makes it bolder.
    std::uint64_t patience_ = kLeastPatience;
    Real momentum_ = 1;         // 1: the next step is a plain one
    std::vector<Real> before_;  // the point before this one
};

}  // namespace proxstream
