/// A window of weighted losses together with its value and gradient at the current point. When a loss arrives
/// the two are moved by the window's recurrence (window_weights.hpp). So a round in which the point stays
/// costs one or two record gradients for most windows, whatever their length. Weights are not rescaled while
/// records are missing: f_i = 0 for i <= 0.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/loss/loss_family.hpp"
#include "proxstream/loss/parts.hpp"
#include "proxstream/loss/record_ref.hpp"

#include "core/smooth_objective.hpp"
#include "loss/reduced_rows.hpp"
#include "window/window_weights.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace proxstream {

/// Value and gradient of a window at one point, with what rounding may have done to them since the last full
/// pass.
struct Carry {
    static constexpr Real kUnknown = -1;  // of a norm

    Carry(Index dimension, bool summed) : gradient(dimension), sum_gradient(summed ? dimension : 0) {}
    std::vector<Real> gradient;
    Real value = 0;
    Real gradient_drift = 0;
    Real value_drift = 0;
    Index rounds_since_pass = 0;
    // The plain sum of the newest W records, for windows whose recurrence needs it.
    std::vector<Real> sum_gradient;
    Real sum_value = 0;
    bool sum_valid = true;  // of no records it is 0
    Real forecast_weight = 0;
    mutable Real norm = kUnknown;  // of the gradient, computed when first needed

    Real known_norm() const {
        if (norm == kUnknown) norm = proxstream::norm(gradient);
        return norm;
    }
    friend void swap(Carry& a, Carry& b) noexcept {
        a.gradient.swap(b.gradient);
        std::swap(a.value, b.value);
        std::swap(a.gradient_drift, b.gradient_drift);
        std::swap(a.value_drift, b.value_drift);
        std::swap(a.rounds_since_pass, b.rounds_since_pass);
        a.sum_gradient.swap(b.sum_gradient);
        std::swap(a.sum_value, b.sum_value);
        std::swap(a.sum_valid, b.sum_valid);
        std::swap(a.forecast_weight, b.forecast_weight);
        std::swap(a.norm, b.norm);
    }
    void serialise(StateArchive& archive) {
        archive.fixed("gradient", gradient);
        archive.fields(Field{"value", value}, Field{"gradient drift", gradient_drift},
                       Field{"value drift", value_drift}, Field{"rounds since pass", rounds_since_pass});
        archive.fixed("sum gradient", sum_gradient);
        archive.fields(Field{"sum value", sum_value}, Field{"sum valid", sum_valid},
                       Field{"forecast weight", forecast_weight});
        norm = kUnknown;
    }
};

/// What a new loss brought, seen from the point that was played.
struct Arrival {
    Real loss = 0;           // f_t(x_t)
    Real outgoing_loss = 0;  // f(x_t) of the oldest record the recurrence had to look at; 0 where none
    Real value_change = 0;   // what the window's value at x_t changed by
};

class CarriedWindow final : public SmoothObjective {
  public:
    /// One slot more than the window: the record that leaves stays until the next round, so that a round can
    /// be undone.
    static constexpr Index slots(Index length) { return length + 1; }

    CarriedWindow(AnyBatch batch, Index dimension, WindowWeights weights);

    Index length() const { return window_.length(); }

    /// The forecast of the loss to come is one more record of the window, with a weight of its own. `store`
    /// holds the current forecast (age 0) and, during a round, the one before it.
    void attach_forecasts(AnyBatch store) { forecasts_.emplace(std::move(store)); }

    /// Evaluates f_t and its gradient at x and stores the record. False: they are NaN, infinite or absurdly
    /// large; nothing has changed.
    bool arrive(const RecordRef& record, ConstView x, Scratch& scratch);

    /// value() and gradient() become those of round t's window at the same x. Follows arrive(). `forecast`
    /// takes the place of the forecast so far, with the given weight; empty: there is none.
    const Arrival& carry(ConstView x, Scratch& scratch, const RecordRef& forecast = {},
                         Real forecast_weight = 0);

    /// Undoes the last arrive() and carry(), and what followed.
    void rollback();

    /// What the window's gradient changed by at the x of the last arrival.
    ConstView change() const noexcept { return change_; }
    ConstView newest_gradient() const noexcept { return newest_gradient_; }
    Real newest_norm() const noexcept { return newest_norm_; }  // its norm
    Real value() const override { return current_.value; }
    ConstView gradient() const override { return current_.gradient; }
    /// Its norm, worked out once.
    Real gradient_norm() const override { return current_.known_norm(); }
    /// The same at the x of the last arrival as they were before it.
    ConstView gradient_before() const noexcept { return before_.gradient; }
    /// How far rounding can have moved the carried gradient and value since the last full pass.
    Real gradient_drift() const noexcept { return current_.gradient_drift; }
    Real value_drift() const noexcept { return current_.value_drift; }
    /// True when so many rounds were carried that the next decision deserves a full pass.
    bool due_for_pass() const { return current_.rounds_since_pass >= length(); }
    bool carried() const noexcept { return current_.rounds_since_pass > 0; }

    /// One batched pass at y. The result becomes the carry only when accepted. Returns the window's value at
    /// y.
    Real try_at(ConstView y, Scratch& scratch) override;
    bool trial_finite() const override;
    ConstView trial_gradient() const override { return trial_.gradient; }
    void accept_trial() override;

    bool reduce(std::span<const Index> coordinates, ConstView x, Scratch& scratch) override;
    /// A pass over a copy of the rows counts as one over the rows.
    Real reduced_bend(ConstView move, View change, Scratch& scratch) override;
    void forget_reduced() override { reduced_.forget(); }
    bool block_sweep(View y, Scratch& scratch) override;

    /// Record gradients a pass takes now.
    std::uint64_t pass_cost() const { return counted_records() + (current_.forecast_weight > 0 ? 1 : 0); }

    /// The value alone at y, by a pass without gradients.
    Real value_at(ConstView y, Scratch& scratch);

    /// What the window is made of at x: each record's loss and weight, oldest first, a forecast last.
    void close(ConstView x, Closing& closing, Scratch& scratch);

    Index size() const { return live_weights().size(); }  // records in the window, fewer than W in burn-in
    Index records() const { return batch_.size(); }       // in the store
    /// Their weights by age.
    std::span<const Real> live_weights() const;
    /// The gradient at y of the loss `age` rounds old; for rules that pick single losses and keep their own
    /// account.
    Real record_gradient(Index age, ConstView y, View gradient, Scratch& scratch) const;
    /// The gradient at y of the forecast that this round's loss has replaced; false: there was none. Valid
    /// between carry() and the next arrival.
    bool past_forecast_gradient(ConstView y, View gradient, Scratch& scratch) const;

    const Cost& cost() const noexcept { return cost_; }
    /// A record of the window's type, to read a saved one into.
    OwnedRecord blank_record() const { return proxstream::blank_record(batch_); }

    /// Costs are not stored: callers use differences of counts, which may start at 0 again.
    void serialise(StateArchive& archive);

  private:
    static constexpr Real kPerUpdate = 8 * kUnitRoundoff;

    /// One record in, one out, with the same weight.
    void carry_swap(ConstView x, Scratch& scratch);

    void carry_recurrence(ConstView x, Scratch& scratch);

    /// Each update rounds at the size of what it adds; the sum bounds how far the carry can have drifted.
    void note_drift(Real added_value, Real added_gradient);

    void replace_forecast(ConstView x, const RecordRef& forecast, Real weight, Scratch& scratch);

    /// The sum is known again at x: after the point moved it costs a pass, once, when a round is carried
    /// next.
    void renew_sum(ConstView x, Scratch& scratch);

    void carry_sum(ConstView x, Scratch& scratch);

    bool underflows(ConstView x, Scratch& scratch);
    void count_pass();
    std::uint64_t counted_records() const;

    AnyBatch batch_;
    std::optional<AnyBatch> forecasts_;
    bool forecast_pushed_ = false;
    WindowWeights window_;
    WindowRecurrence recurrence_;
    std::vector<Real> weights_;  // by age, of this round
    std::vector<Real> newest_gradient_;
    Real newest_norm_ = 0;
    std::vector<Real> change_;
    ReducedRows reduced_;
    Carry current_, before_, trial_;
    Arrival arrival_;
    Round round_ = 0;
    Cost cost_;
};

}  // namespace proxstream
