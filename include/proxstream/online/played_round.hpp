/// What every learner does when a loss arrives, whatever it does next: let the loss into the window, judge
/// the point that was played, and keep what a refused round needs to be undone.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/online/learner.hpp"
#include "proxstream/prox/regulariser.hpp"
#include "proxstream/solve/inner_solver.hpp"
#include "proxstream/window/carried_window.hpp"

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// The judge's side of a round: the window S_t, the point x_t and the residual P_eta(x_t; grad S_t(x_t)).
template <Regulariser G, RecordBatch B>
class PlayedRound {
  public:
    using Record = typename B::Record;

    PlayedRound(G g, B batch, Index window, Real step, std::vector<Real> start)
        : g_(std::move(g)),
          window_(std::move(batch), start.size(), window),
          step_(step),
          iterate_(std::move(start)),
          before_(iterate_),
          projected_change_(iterate_.point.size()) {
        check_dimension(g_, iterate_.point.size());
        iterate_.regulariser = g_.value(iterate_.point, scratch_);
        if (!std::isfinite(iterate_.regulariser)) {
            throw ConfigError("the starting point lies outside the domain of the regulariser");
        }
        initial_regulariser_ = iterate_.regulariser;
        // S_0 = 0: the first entry residual is bounded from here (the t = 1 term the paper's Theorem 1
        // lacks).
        test_at(iterate_, window_.gradient(), g_, step_, scratch_);
        initial_residual_ = iterate_.residual_norm;
    }

    /// f_t enters; fills the report's entry side. False: the loss is not finite at x_t and nothing has
    /// changed.
    bool enter(const Record& record, RoundReport& report) {
        cost_before_ = cost();
        report.round = round_ + 1;
        const auto start = std::chrono::steady_clock::now();
        window_.arrive(record, iterate_.point, scratch_);
        arrival_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const Arrival& arrival = window_.carry(iterate_.point, scratch_);
        if (!arrival.finite) {
            window_.take_back();
            refuse(report);
            return false;
        }
        ++round_;
        before_ = iterate_;
        judge();
        residual_change_ = distance(iterate_.residual, before_.residual);

        // Pi v_t: what lies across the affine hull of dom g never shows in a residual (docs/theory.md,
        // section 1).
        copy(window_.change(), projected_change_);
        project_direction(g_, projected_change_);
        const Real share = 1 / static_cast<Real>(window_.length());
        report.variation = norm(projected_change_);
        report.firm_bound =
            norm_of_sum(before_.residual, share / 2, projected_change_) + share / 2 * report.variation;
        report.loss = arrival.loss;
        report.outgoing_loss = arrival.outgoing_loss;
        report.regulariser = iterate_.regulariser;
        arrival_scale_ = std::abs(arrival.loss) + std::abs(arrival.outgoing_loss);
        note_entry(report);
        return true;
    }

    /// Replaces the carried gradient by a full pass at x_t and judges again, so that rounding decides
    /// nothing. False: the pass was not finite; the round is undone.
    bool confirm(RoundReport& report) {
        window_.try_at(iterate_.point, scratch_);
        if (!window_.trial_finite()) {
            undo(report);
            return false;
        }
        window_.accept_trial();
        judge();
        note_entry(report);
        return true;
    }

    /// Fills the report's exit side from where the iterate stands now.
    void leave(RoundReport& report) {
        report.exit_residual = iterate_.residual_norm;
        report.objective_exit = window_.value() + iterate_.regulariser;
        report.movement = distance(iterate_.point, before_.point);
        report.residual_rounding = std::max(report.residual_rounding, residual_rounding());
        report.objective_rounding = std::max(report.objective_rounding, objective_rounding());
        report.cost = cost_since_entry();
    }

    /// The round did not happen.
    void undo(RoundReport& report) {
        window_.take_back();
        std::swap(iterate_, before_);
        --round_;
        refuse(report);
    }

    void judge() {
        test_at(iterate_, window_.gradient(), g_, step_, scratch_);
        ++prox_;
    }

    /// Bound on what rounding can do to a residual at the current point: P is a difference divided by eta,
    /// and the gradient has the carry's drift.
    Real residual_rounding() const {
        constexpr Real kRelative = 0x1p-43;
        const Real scale =
            norm(iterate_.point) / step_ + norm(window_.gradient()) + norm(window_.newest_gradient());
        return kRelative * scale + window_.gradient_drift();
    }

    CarriedWindow<B>& window() noexcept { return window_; }
    const CarriedWindow<B>& window() const noexcept { return window_; }
    Iterate& iterate() noexcept { return iterate_; }
    const Iterate& iterate() const noexcept { return iterate_; }
    const G& g() const noexcept { return g_; }
    Scratch& scratch() noexcept { return scratch_; }
    Real step() const noexcept { return step_; }  // eta
    Real residual_change() const noexcept { return residual_change_; }
    Cost& inner_cost() noexcept { return inner_cost_; }
    /// Seconds the newest loss's own gradient took.
    double arrival_seconds() const noexcept { return arrival_seconds_; }

    Cost cost_since_entry() const {
        Cost spent = cost();
        spent.record_gradients -= cost_before_.record_gradients;
        spent.record_values -= cost_before_.record_values;
        spent.passes -= cost_before_.passes;
        spent.prox -= cost_before_.prox;
        return spent;
    }

    LearnerFacts facts() const {
        LearnerFacts facts;
        facts.window = window_.length();
        facts.step = step_;
        facts.initial_residual = initial_residual_;
        facts.initial_regulariser = initial_regulariser_;
        facts.infimum_regulariser = infimum(g_);
        return facts;
    }

  private:
    Cost cost() const {
        Cost total = window_.cost() + inner_cost_;
        total.prox += prox_;
        return total;
    }

    void note_entry(RoundReport& report) {
        report.entry_residual = iterate_.residual_norm;
        report.objective_entry = window_.value() + iterate_.regulariser;
        report.residual_rounding = residual_rounding();
        report.objective_rounding = objective_rounding();
    }

    Real objective_rounding() const {
        constexpr Real kRelative = 0x1p-43;
        const Real scale = std::abs(window_.value()) + std::abs(iterate_.regulariser) + arrival_scale_;
        return kRelative * scale + window_.value_drift();
    }

    void refuse(RoundReport& report) {
        report = RoundReport{};
        report.round = round_ + 1;
        report.status = RoundStatus::refused;
        report.cost = cost_since_entry();
    }

    G g_;
    CarriedWindow<B> window_;
    Real step_;
    Scratch scratch_;
    Iterate iterate_;
    Iterate before_;  // as the round found it
    std::vector<Real> projected_change_;
    Round round_ = 0;
    Real initial_residual_ = 0;
    Real initial_regulariser_ = 0;
    Real residual_change_ = 0;
    Real arrival_scale_ = 0;
    double arrival_seconds_ = 0;
    std::uint64_t prox_ = 0;
    Cost inner_cost_;
    Cost cost_before_;
};

}  // namespace proxstream
