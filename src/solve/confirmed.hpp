/// Cheap loop, exact confirm: the one contract of inner solvers whose updates are not exact (T4,
/// docs/theory.md).
///
/// A stretch starts where the exact gradient is known, with an exact prox-gradient step. Cheap updates
/// follow, until a cheap test passes or there were enough of them. Then one exact pass at the last point: it
/// is kept only if the model fell by at least M_e, which is what an accepted exact step alone proves, and the
/// round ends only if the exact gap passes. So the regret bound holds whatever the cheap updates were,
/// and stretches are counted as accepted steps are (T3). A stretch that did not do as well as it had to is
/// taken back, and exact steps do the rest of the round; where cheap updates are whole moves, one accepted
/// exact step, which pays for the failure (C9), before the next stretch.
#pragma once

#include "solve/backtracking.hpp"
#include "solve/inner_solver.hpp"

#include <concepts>
#include <span>
#include <utility>
#include <vector>

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

/// Whole moves instead of gradients: move(model, y) takes y, within dom g, where it hopes the model is lower;
/// false: it knows no way.
template <class C, class Model>
concept CheapMove = std::copyable<C> && requires(C& cheap, Model& model, View y, Scratch& scratch) {
    { cheap.move(model, y, scratch) } -> std::same_as<bool>;
};

template <class Cheap>
class Confirmed {
  public:
    explicit Confirmed(Cheap cheap, const BacktrackingOptions& options = {})
        : cheap_(std::move(cheap)), exact_(options) {}

    StepClaim step_claim() const noexcept { return exact_.step_claim(); }

    /// Models that cannot be guessed cheaply are solved by exact steps alone.
    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        InnerReport report;
        std::uint64_t candidates = 0;  // exact ones, between stretches
        if constexpr (CheapGradient<Cheap, Model> || CheapMove<Cheap, Model>) {
            const BudgetMeter meter(budget);
            bool going = true;
            if constexpr (CheapGradient<Cheap, Model>) going = cheap_.worthwhile(model);
            while (going && iterate.gap > tolerance) {
                if (meter.exhausted(report.confirmations + candidates)) {
                    report.status = SolveStatus::budget_exhausted;
                    return report;
                }
                const std::uint64_t before = report.confirmations;
                going = stretch(model, g, reference_step, tolerance, iterate, report, cost, scratch);
                if constexpr (CheapMove<Cheap, Model>) {
                    // The step promised too much: exact candidates shorten it until one is taken, which pays
                    // for the failure (C9), and whole moves go on from there.
                    if (going || report.confirmations == before) continue;
                    const std::uint64_t steps = report.steps;
                    Budget one = budget;
                    one.max_steps = 1;
                    while (report.steps == steps && !meter.exhausted(report.confirmations + candidates)) {
                        const Real step = exact_.step_or(reference_step);
                        report.add(
                            exact_.solve(model, g, reference_step, tolerance, one, iterate, cost, scratch));
                        ++candidates;
                        if (report.status == SolveStatus::not_finite) return report;
                        if (report.steps == steps && exact_.step_or(reference_step) >= step) break;
                    }
                    going = report.steps > steps;
                    report.status = SolveStatus::converged;
                }
            }
        }
        // What is left, if anything: exact steps alone, counted on.
        if (iterate.gap > tolerance) {
            Budget rest = budget;
            rest.max_steps -= std::min(rest.max_steps, report.confirmations + candidates);
            report.add(exact_.solve(model, g, reference_step, tolerance, rest, iterate, cost, scratch));
        }
        return report;
    }

    void serialise(StateArchive& archive) {
        archive.section("cheap", cheap_);
        archive.section("exact", exact_);
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
        step_along(iterate.point, -step, model.gradient(), y);
        Real regulariser = g.prox(y, step, y, scratch);
        ++cost.prox;
        subtract(y, iterate.point, direction);
        const Real exact_length = norm(direction);
        // M_e >= |d|^2 / (2e): what the exact step's own test would prove.
        const Real promised = -dot(model.gradient(), direction) - exact_length * exact_length / (2 * step) -
                              (regulariser - iterate.regulariser);
        Real path = exact_length;
        std::uint64_t updates = 0;
        if constexpr (CheapMove<Cheap, Model>) {
            copy(y, next);
            if (!cheap_.move(model, y, scratch)) return false;
            regulariser = g.value(y, scratch);
            path += distance(y, next);
            updates = 1;
        } else {
            cheap_.begin(model, iterate.point, scratch);
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
        if (iterate.gap > tolerance) ++report.failed_confirmations;
        return true;
    }

    Cheap cheap_;
    Backtracking exact_;  // finds the step, and does the rest
};

/// Moves that the records of a window know themselves: for routing, sweeps over the pairs.
class OwnMoves {
  public:
    template <class Model>
    requires requires(Model& model, View y, Scratch& scratch) { model.improve(y, scratch); }
    bool move(Model& model, View y, Scratch& scratch) const { return model.improve(y, scratch); }

    void serialise(StateArchive& /*checkpoint*/) {}
};

/// A window whose records can be weighed anew.
template <class M>
concept SampledWindow = requires(M& model, std::span<const Real> weights, ConstView y, View out,
                                 Scratch& scratch) {
    { model.size() } -> std::same_as<Index>;
    { model.live_weights() } -> std::same_as<std::span<const Real>>;
    model.weighted_gradient(weights, y, out, scratch);
};

/// The weights of every `stride`-th record from `first` on, scaled up to those of all; 0 for the others.
inline void sample_evenly(std::span<const Real> weights, Index stride, Index first,
                          std::vector<Real>& sampled) {
    sampled.assign(weights.size(), 0);
    Real whole = 0;
    Real taken = 0;
    for (Index age = 0; age < weights.size(); ++age) {
        whole += weights[age];
        if (age % stride != first) continue;
        sampled[age] = weights[age];
        taken += weights[age];
    }
    if (!(taken > 0)) return;
    for (Index age = first; age < sampled.size(); age += stride) sampled[age] *= whole / taken;
}

/// Gradients from a few records of the window, evenly spread over it, corrected by what they missed at the
/// anchor: grad(anchor) + sampled(y) - sampled(anchor). Which records changes from stretch to stretch.
class SampledGradient {
  public:
    SampledGradient(Index records, std::uint64_t updates) : records_(records), updates_(updates) {}

    std::uint64_t updates() const noexcept { return updates_; }

    template <SampledWindow Model>
    bool worthwhile(const Model& model) const {
        return model.size() >= 4 * records_;
    }
    template <SampledWindow Model>
    void begin(Model& model, ConstView anchor, Scratch& scratch) {
        const std::span<const Real> weights = model.live_weights();
        const Index stride = (weights.size() + records_ - 1) / records_;
        sample_evenly(weights, stride, turn_++ % stride, sampled_);
        correction_.resize(anchor.size());
        model.weighted_gradient(sampled_, anchor, correction_, scratch);
        subtract(model.gradient(), correction_, correction_);
    }
    template <SampledWindow Model>
    void gradient(Model& model, ConstView y, View out, Scratch& scratch) {
        model.weighted_gradient(sampled_, y, out, scratch);
        axpy(1, correction_, out);
    }

    void serialise(StateArchive& archive) { archive.field("turn", turn_); }

  private:
    Index records_;
    std::uint64_t updates_;
    Index turn_ = 0;
    std::vector<Real> sampled_;     // weights by age, 0 for what is left out
    std::vector<Real> correction_;  // grad(anchor) - sampled(anchor)
};

}  // namespace proxstream
