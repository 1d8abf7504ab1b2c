/// Cheap loop, exact confirm: the one contract of inner solvers whose updates are not exact (T4,
/// docs/theory.md).
///
/// A stretch starts where the exact gradient is known, with an exact prox-gradient step. Cheap updates
/// follow, until a cheap test passes or there were enough of them. Then one exact pass at the last point: it
/// is kept only if the model fell by at least what the exact step alone has to prove, |d|^2/(2e), and the
/// round ends only if the exact residual passes. So the regret bound holds whatever the cheap updates were,
/// and stretches are counted as accepted steps are (T3). A stretch that did not do as well as it had to is
/// taken back and the exact step is tried alone.
#pragma once

#include "proxstream/solve/backtracking.hpp"
#include "proxstream/solve/inner_solver.hpp"

#include <concepts>

namespace proxstream {

/// begin(model, anchor) is told where the exact gradient is known; gradient(model, y, out) guesses the one at
/// y. worthwhile(model): false where a pass is as cheap as guessing.
template <class C, class Model>
concept CheapGradient = std::copyable<C> &&
    requires(C& cheap, Model& model, ConstView y, View out, Scratch& scratch) {
    { cheap.worthwhile(model) } -> std::same_as<bool>;
    cheap.begin(model, y, scratch);
    cheap.gradient(model, y, out, scratch);
    { cheap.updates() } -> std::same_as<std::uint64_t>;  // at most so many in a stretch
};

template <class Cheap>
class Confirmed {
  public:
    explicit Confirmed(Cheap cheap, const BacktrackingOptions& options = {})
        : cheap_(std::move(cheap)), exact_(options) {}

    StepClaim step_claim() const noexcept { return exact_.step_claim(); }

    template <Regulariser G, class Model>
    requires CheapGradient<Cheap, Model> InnerReport solve(Model& model, const G& g, Real reference_step,
                                                           Real tolerance, const Budget& budget,
                                                           Iterate& iterate, Cost& cost, Scratch& scratch) {
        InnerReport report;
        const BudgetMeter meter(budget);
        if (cheap_.worthwhile(model)) {
            std::uint64_t stretches = 0;
            while (iterate.residual_norm > tolerance) {
                if (meter.exhausted(stretches)) {
                    report.status = SolveStatus::budget_exhausted;
                    return report;
                }
                ++stretches;
                if (!stretch(model, g, reference_step, tolerance, iterate, report, cost, scratch)) break;
            }
        }
        // What is left, if anything: exact steps alone, counted on.
        if (iterate.residual_norm > tolerance) {
            Budget rest = budget;
            rest.max_steps -= std::min(rest.max_steps, report.confirmations);
            report.add(exact_.solve(model, g, reference_step, tolerance, rest, iterate, cost, scratch));
        }
        return report;
    }

  private:
    /// One exact step, cheap updates after it, one exact pass. False: it was taken back.
    template <Regulariser G, class Model>
    bool stretch(Model& model, const G& g, Real reference_step, Real tolerance, Iterate& iterate,
                 InnerReport& report, Cost& cost, Scratch& scratch) {
        const Real step = exact_.step_or(reference_step);
        Scratch::Frame frame(scratch);
        const View y = frame.take(iterate.point.size());
        const View next = frame.take(y.size());
        const View direction = frame.take(y.size());
        cheap_.begin(model, iterate.point, scratch);
        step_along(iterate.point, -step, model.gradient(), y);
        Real regulariser = g.prox(y, step, y, scratch);
        ++cost.prox;
        const Real exact_length = distance(y, iterate.point);
        const Real promised = exact_length * exact_length / (2 * step);
        Real path = exact_length;
        std::uint64_t updates = 0;
        while (updates < cheap_.updates()) {
            cheap_.gradient(model, y, direction, scratch);
            step_along(y, -step, direction, next);
            const Real next_regulariser = g.prox(next, step, next, scratch);
            ++cost.prox;
            const Real moved = distance(next, y);
            if (!(moved > tolerance * step)) break;  // the cheap test; a NaN ends the stretch too
            copy(next, y);
            regulariser = next_regulariser;
            path += moved;
            ++updates;
        }
        report.cheap_steps += updates;
        ++report.confirmations;
        const Real here = model.value() + iterate.regulariser;
        const Real there = model.try_at(y, scratch) + regulariser;
        if (!model.trial_finite() || !(there <= here - promised)) {
            ++report.failed_confirmations;
            return false;
        }
        model.accept_trial();
        copy(y, iterate.point);
        iterate.regulariser = regulariser;
        report.count(step, exact_length / step, promised);
        exact_.reward(reference_step);
        report.path += path - exact_length;
        test_at(iterate, model.gradient(), g, reference_step, scratch);
        ++cost.prox;
        if (iterate.residual_norm > tolerance) ++report.failed_confirmations;
        return true;
    }

    Cheap cheap_;
    Backtracking exact_;  // finds the step, and does the rest
};

/// Gradients from a few records of the window, evenly spread over it, corrected by what they missed at the
/// anchor: grad(anchor) + sampled(y) - sampled(anchor). Which records changes from stretch to stretch.
class SampledGradient {
  public:
    SampledGradient(Index records, std::uint64_t updates) : records_(records), updates_(updates) {}

    std::uint64_t updates() const noexcept { return updates_; }

    template <class Model>
    bool worthwhile(const Model& model) const {
        return model.size() >= 4 * records_;
    }
    template <class Model>
    void begin(Model& model, ConstView anchor, Scratch& scratch) {
        const std::span<const Real> weights = model.live_weights();
        const Index stride = (weights.size() + records_ - 1) / records_;
        const Index first = turn_++ % stride;
        sampled_.assign(weights.size(), 0);
        Real taken = 0;
        Real whole = 0;
        for (Index age = 0; age < weights.size(); ++age) {
            whole += weights[age];
            if (age % stride != first) continue;
            sampled_[age] = weights[age];
            taken += weights[age];
        }
        if (taken > 0) {
            for (Real& weight : sampled_) weight *= whole / taken;
        }
        correction_.resize(anchor.size());
        model.weighted_gradient(sampled_, anchor, correction_, scratch);
        subtract(model.gradient(), correction_, correction_);
    }
    template <class Model>
    void gradient(Model& model, ConstView y, View out, Scratch& scratch) {
        model.weighted_gradient(sampled_, y, out, scratch);
        axpy(1, correction_, out);
    }

  private:
    Index records_;
    std::uint64_t updates_;
    Index turn_ = 0;
    std::vector<Real> sampled_;     // weights by age, 0 for what is left out
    std::vector<Real> correction_;  // grad(anchor) - sampled(anchor)
};

}  // namespace proxstream
