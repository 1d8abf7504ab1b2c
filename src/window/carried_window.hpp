/// A window of weighted losses together with its value and gradient at the current point. When a loss arrives
/// the two are moved by the window's recurrence (window_weights.hpp), so a round in which the point stays
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

#include "loss/compact_rows.hpp"
#include "loss/row_scores.hpp"
#include "window/carry.hpp"
#include "window/window_curvature.hpp"
#include "window/window_weights.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// What a new loss brought, seen from the point that was played.
struct Arrival {
    bool finite = false;     // false: the loss is NaN, infinite or absurdly large there; the round is undone
    Real loss = 0;           // f_t(x_t)
    Real outgoing_loss = 0;  // f(x_t) of the oldest record the recurrence had to look at; 0 where none
    Real value_change = 0;   // what the window's value at x_t changed by
};

template <RecordBatch B>
class CarriedWindow {
  public:
    using Record = typename B::Record;

    /// One slot more than the window: the leaving record stays until the round is over, so that a refused
    /// round can be undone.
    static constexpr Index slots(Index length) { return length + 1; }

    CarriedWindow(B batch, Index dimension, WindowWeights weights)
        : batch_(std::move(batch)),
          window_(std::move(weights)),
          newest_gradient_(dimension),
          change_(dimension),
          curvature_(dimension),
          current_(dimension, window_.summed() > 0),
          before_(current_),
          trial_(current_) {
        if (batch_.capacity() < slots(window_.length())) {
            throw ConfigError("the store has room for " + std::to_string(batch_.capacity()) +
                              " records; a window of " + std::to_string(window_.length()) + " needs " +
                              std::to_string(slots(window_.length())) +
                              ", one more than its length, to undo a round");
        }
        window_.at(1, weights_);
    }

    Index length() const { return window_.length(); }

    /// A record that stands in the window beside the past ones, with a weight of its own: the forecast of the
    /// loss to come. `store` holds the one in use (age 0) and, during a round, the one before it.
    void attach_forecasts(B store) { forecasts_.emplace(std::move(store)); }

    /// f_t enters: its value and gradient at x, before anything is carried. The one gradient every learner
    /// needs.
    Real arrive(const Record& record, ConstView x, Scratch& scratch) {
        batch_.push(record);
        compact_.clear();
        ++round_;
        arrival_ = {};
        arrival_.loss = batch_.value_and_gradient(0, x, newest_gradient_, scratch);
        ++cost_.record_gradients;
        newest_norm_ = norm(newest_gradient_);
        // Beyond kAbsurd squares overflow, and with them every figure a certificate is made of.
        arrival_.finite = std::abs(arrival_.loss) <= kAbsurd && newest_norm_ <= kAbsurd;
        return arrival_.loss;
    }

    /// value() and gradient() become those of round t's window at the same x. Follows arrive(). `forecast`
    /// takes the place of the forecast so far, with the given weight; empty: there is none.
    const Arrival& carry(ConstView x, Scratch& scratch, const RecordRef& forecast = {},
                         Real forecast_weight = 0) {
        if (window_.varies() || round_ == 1) {
            window_.at(round_, weights_);
            window_.follow(round_, recurrence_);
        }
        curvature_.follow(batch_, recurrence_);
        renew_sum(x, scratch);
        swap(current_, before_);
        current_.norm = Carry::kUnknown;
        if (recurrence_.is_swap && !forecasts_) {
            carry_swap(x, scratch);
        } else {
            carry_recurrence(x, scratch);
        }
        if (forecasts_) replace_forecast(x, forecast, forecast_weight, scratch);
        if (window_.summed() > 0) carry_sum(x, scratch);
        if (recurrence_.keep == 0 && !forecasts_) {
            // Made of fresh gradients alone: nothing was carried, nothing drifts.
            current_.gradient_drift = current_.value_drift = 0;
            current_.rounds_since_pass = 0;
        }
        return arrival_;
    }

    /// Undoes the last arrival and everything after carry(): the window is what it was before.
    void rollback() {
        batch_.drop_newest();
        compact_.clear();
        if (forecasts_ && forecast_pushed_) forecasts_->drop_newest();
        --round_;
        if (window_.varies()) window_.at(std::max<Round>(round_, 1), weights_);
        swap(current_, before_);
        curvature_.rollback();
        if (sum_renewed_) current_.sum_valid = false;
    }

    /// What the window's gradient changed by at the x of the last arrival.
    ConstView change() const noexcept { return change_; }
    ConstView newest_gradient() const noexcept { return newest_gradient_; }
    Real newest_norm() const noexcept { return newest_norm_; }  // its norm
    Real value() const noexcept { return current_.value; }
    ConstView gradient() const noexcept { return current_.gradient; }
    /// Its norm, worked out once.
    Real gradient_norm() const { return current_.known_norm(); }
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
    Real try_at(ConstView y, Scratch& scratch) {
        trial_.value = batch_.weighted_value_and_gradient(live_weights(), y, trial_.gradient, scratch);
        ++cost_.passes;
        cost_.record_gradients += counted_records();
        if (forecasts_ && current_.forecast_weight > 0) {
            Scratch::Frame frame(scratch);
            const View single = frame.take(y.size());
            trial_.value += current_.forecast_weight * forecasts_->value_and_gradient(0, y, single, scratch);
            axpy(current_.forecast_weight, single, trial_.gradient);
            ++cost_.record_gradients;
        }
        trial_.forecast_weight = current_.forecast_weight;
        trial_.norm = Carry::kUnknown;
        return trial_.value;
    }
    bool trial_finite() const {
        // A finite norm says it of every entry; entries beyond its range are looked at one by one.
        return std::isfinite(trial_.value) &&
               (std::isfinite(trial_.known_norm()) || all_finite(trial_.gradient));
    }
    ConstView trial_gradient() const noexcept { return trial_.gradient; }
    void accept_trial() {
        swap(current_, trial_);
        current_.gradient_drift = current_.value_drift = 0;
        current_.rounds_since_pass = 0;
        current_.sum_valid = false;
    }

    /// The second derivative of the window, row by row, where its losses are quadratic and it is not large;
    /// empty otherwise.
    ConstView curvature() { return forecasts_ ? ConstView() : curvature_.of(batch_, live_weights()); }

    /// Gets ready to look around x, where these coordinates, ascending, may move, at a fraction of a pass's
    /// price. False: these records have no cheaper way.
    bool compact(std::span<const Index> coordinates, ConstView x, Scratch& scratch) {
        if (forecasts_) return false;
        if (!proxstream::compact(batch_, live_weights(), coordinates, x, compact_, scratch)) return false;
        ++cost_.passes;  // for the scores at x
        cost_.record_values += counted_records();
        return true;
    }
    /// The next copy is made anew, and does not depend on what was asked before.
    void forget_compact() { compact_.clear(); }
    /// What the value at x + move is above its tangent at x, and what the gradient changes by, nearly.
    /// Counted as a pass.
    Real compact_pass(ConstView move, View gradient, Scratch& scratch) {
        ++cost_.passes;
        cost_.record_gradients += counted_records();
        return compact_.bend(move, gradient, scratch);
    }
    /// What it costs, in passes.
    Real compact_share() const noexcept { return compact_.share(); }

    /// Gets ready to be asked by the scores of its rows (loss/row_scores.hpp), until the next arrival. False:
    /// its losses are not those of scores.
    bool know_scores(Scratch& scratch) {
        return !forecasts_ && proxstream::know_scores(batch_, live_weights(), scores_, scratch);
    }
    Index score_count() const noexcept { return scores_.rows(); }
    /// Counted as a pass, as turning slopes into a gradient is: both read every row.
    void score(ConstView y, View scores, Scratch& scratch) {
        ++cost_.passes;
        cost_.record_values += counted_records();
        scores_.score(y, scores, scratch);
    }
    Real value_at_scores(ConstView scores, View slopes, Scratch& scratch) const {
        return scores_.evaluate(scores, slopes, scratch);
    }
    void gradient_along(ConstView slopes, View gradient, Scratch& scratch) {
        ++cost_.passes;
        cost_.record_gradients += counted_records();
        scores_.gradient(slopes, gradient, scratch);
    }

    /// Lets the records move y their own way, if they have one; false: they have not. Nothing is carried.
    bool improve(View y, Scratch& scratch) {
        if (forecasts_) return false;
        const Index passes = proxstream::improve(batch_, live_weights(), y, scratch);
        cost_.passes += passes;
        cost_.record_gradients += passes * counted_records();
        return passes > 0;
    }

    /// Record gradients a pass takes now.
    std::uint64_t pass_cost() const { return counted_records() + (current_.forecast_weight > 0 ? 1 : 0); }

    /// Rows, or other parts of records, that a pass looks at now: what it costs grows with.
    Index pass_parts() const {
        const std::span<const Real> weights = live_weights();
        Index total = 0;
        for (Index age = 0; age < weights.size(); ++age) {
            if (weights[age] != 0) total += part_count(batch_, age);
        }
        return total;
    }

    /// The value alone at y, by a pass without gradients.
    Real value_at(ConstView y, Scratch& scratch) {
        Real total = batch_.weighted_value(live_weights(), y, scratch);
        cost_.record_values += counted_records();
        if (forecasts_ && current_.forecast_weight > 0) {
            total += current_.forecast_weight * forecasts_->value(0, y, scratch);
            ++cost_.record_values;
        }
        return total;
    }

    /// What the window is made of at x: each record's loss and weight, oldest first, a forecast last.
    void close(ConstView x, Closing& closing, Scratch& scratch) {
        const std::span<const Real> weights = live_weights();
        for (Index age = weights.size(); age-- > 0;) {
            if (weights[age] == 0) continue;
            closing.losses.push_back(batch_.value(age, x, scratch));
            closing.weights.push_back(weights[age]);
        }
        if (forecasts_ && current_.forecast_weight > 0) {
            closing.losses.push_back(forecasts_->value(0, x, scratch));
            closing.weights.push_back(current_.forecast_weight);
        }
        cost_.record_values += closing.losses.size();
    }

    Index size() const { return live_weights().size(); }  // records in the window, fewer than W in burn-in
    Index records() const { return batch_.size(); }       // in the store
    /// Their weights by age.
    std::span<const Real> live_weights() const {
        return std::span(weights_).first(std::min(weights_.size(), batch_.size()));
    }
    /// The gradient at y of the loss `age` rounds old; for rules that pick single losses and keep their own
    /// account.
    Real record_gradient(Index age, ConstView y, View gradient, Scratch& scratch) const {
        return batch_.value_and_gradient(age, y, gradient, scratch);
    }
    /// The gradient at y of the forecast that this round's loss has replaced; false: there was none. Valid
    /// between carry() and the next arrival.
    bool past_forecast_gradient(ConstView y, View gradient, Scratch& scratch) const {
        if (!forecasts_ || before_.forecast_weight == 0) return false;
        forecasts_->value_and_gradient(forecast_pushed_ ? 1 : 0, y, gradient, scratch);
        return true;
    }
    /// The gradient at y of any weighted sum of records, by age; counted.
    Real weighted_gradient(std::span<const Real> weights, ConstView y, View gradient, Scratch& scratch) {
        cost_.record_gradients += static_cast<std::uint64_t>(
            std::count_if(weights.begin(), weights.end(), [](Real weight) { return weight != 0; }));
        return batch_.weighted_value_and_gradient(weights, y, gradient, scratch);
    }

    const Cost& cost() const noexcept { return cost_; }
    /// A record of the window's type, to read a saved one into.
    OwnedRecord blank_record() const { return proxstream::blank_record(batch_); }

    /// Counts of costs start over: whoever looks at them looks at differences.
    void serialise(StateArchive& archive) {
        archive.field("round", round_);
        archive.section("records", batch_);
        archive.agree("forecasts", forecasts_ ? 1 : 0);
        if (forecasts_) archive.section("forecast records", *forecasts_);
        archive.field("forecast pushed", forecast_pushed_);
        archive.field("sum renewed", sum_renewed_);
        archive.section("carry", current_);
        archive.section("carry before", before_);
        archive.section("curvature", curvature_);
        if (archive.reading()) newest_norm_ = norm(newest_gradient_);
        if (!archive.reading() || round_ == 0) return;
        archive.require(batch_.size() > 0, "the records of its rounds");
        archive.require(current_.forecast_weight == 0 || (forecasts_ && forecasts_->size() > 0),
                        "the forecast that has a weight");
        const Round t = window_.varies() ? round_ : 1;
        window_.at(t, weights_);
        window_.follow(t, recurrence_);
    }

  private:
    static constexpr Real kPerUpdate = 8 * kUnitRoundoff;

    /// One record in, one out, with the same weight.
    void carry_swap(ConstView x, Scratch& scratch) {
        const Real share = recurrence_.records.front().weight;
        if (recurrence_.keep == 0) {
            scaled(share, newest_gradient_, current_.gradient);
            if (share == 1) current_.norm = newest_norm_;
            current_.value = share * arrival_.loss;
            subtract(current_.gradient, before_.gradient, change_);
            arrival_.outgoing_loss = before_.value / share;  // all there was in the window
            arrival_.value_change = current_.value - before_.value;
            return;
        }
        const Index leaving = length();
        if (batch_.size() > leaving) {
            arrival_.outgoing_loss = batch_.value_and_gradient(leaving, x, change_, scratch);
            ++cost_.record_gradients;
            subtract(newest_gradient_, change_, change_);
        } else {
            copy(newest_gradient_, change_);
        }
        scaled(share, change_, change_);
        step_along(before_.gradient, 1, change_, current_.gradient);
        arrival_.value_change = share * (arrival_.loss - arrival_.outgoing_loss);
        current_.value = before_.value + arrival_.value_change;
        note_drift(share * (std::abs(arrival_.loss) + std::abs(arrival_.outgoing_loss)),
                   share * newest_norm_);
    }

    void carry_recurrence(ConstView x, Scratch& scratch) {
        Real added_value = 0;
        Real added_size = 0;
        fill(change_, 0);
        const auto& records = recurrence_.records;
        // A few records one by one; many in one pass.
        constexpr Index kFew = 8;
        const auto newest =
            std::find_if(records.begin(), records.end(), [](const auto& each) { return each.age == 0; });
        if (newest != records.end()) {
            axpy(newest->weight, newest_gradient_, change_);
            added_value += newest->weight * arrival_.loss;
            added_size += std::abs(newest->weight * arrival_.loss);
        }
        Scratch::Frame frame(scratch);
        const View part = frame.take(x.size());
        if (records.size() <= kFew) {
            for (const WeightedAge& each : records) {
                if (each.age == 0 || each.age >= batch_.size()) continue;
                arrival_.outgoing_loss = batch_.value_and_gradient(each.age, x, part, scratch);
                ++cost_.record_gradients;
                axpy(each.weight, part, change_);
                added_value += each.weight * arrival_.outgoing_loss;
                added_size += std::abs(each.weight * arrival_.outgoing_loss);
            }
        } else {
            const View signs = frame.take(std::min(batch_.size(), records.back().age + 1));
            fill(signs, 0);
            for (const WeightedAge& each : records) {
                if (each.age == 0 || each.age >= signs.size()) continue;
                signs[each.age] = each.weight;
                ++cost_.record_gradients;
            }
            const Real value = batch_.weighted_value_and_gradient(signs, x, part, scratch);
            axpy(1, part, change_);
            added_value += value;
            added_size += std::abs(value);
        }
        if (recurrence_.of_sum != 0) {
            axpy(recurrence_.of_sum, before_.sum_gradient, change_);
            added_value += recurrence_.of_sum * before_.sum_value;
            added_size += std::abs(recurrence_.of_sum * before_.sum_value);
        }
        // A forecast in the carry is exchanged on its own: the recurrence is about records only.
        scaled(recurrence_.keep, before_.gradient, current_.gradient);
        axpy(1, change_, current_.gradient);
        current_.value = recurrence_.keep * before_.value + added_value;
        note_drift(added_size, norm(change_));
        subtract(current_.gradient, before_.gradient, change_);
        arrival_.value_change = (recurrence_.keep - 1) * before_.value + added_value;
    }

    /// Each update rounds at the size of what it adds; the sum bounds how far the carry can have drifted.
    void note_drift(Real added_value, Real added_gradient) {
        const Real keep = std::min<Real>(recurrence_.keep, 1);
        current_.gradient_drift = keep * before_.gradient_drift +
                                  kPerUpdate * (current_.known_norm() + added_gradient + norm(change_));
        current_.value_drift =
            keep * before_.value_drift + kPerUpdate * (std::abs(current_.value) + added_value);
        current_.rounds_since_pass = before_.rounds_since_pass + 1;
    }

    void replace_forecast(ConstView x, const RecordRef& forecast, Real weight, Scratch& scratch) {
        Scratch::Frame frame(scratch);
        const View part = frame.take(x.size());
        const auto add = [&](Real signed_weight, Real value, ConstView gradient) {
            axpy(signed_weight, gradient, current_.gradient);
            current_.value += signed_weight * value;
            arrival_.value_change += signed_weight * value;
        };
        // What the recurrence did to the forecast that was in the carry is taken back with it.
        if (before_.forecast_weight > 0) {
            const Real value = forecasts_->value_and_gradient(0, x, part, scratch);
            ++cost_.record_gradients;
            add(-recurrence_.keep * before_.forecast_weight, value, part);
        }
        forecast_pushed_ = static_cast<bool>(forecast);
        if (forecast_pushed_) {
            forecasts_->push(forecast.as<Record>());
            const Real value = forecasts_->value_and_gradient(0, x, part, scratch);
            ++cost_.record_gradients;
            // One that is not finite is as good as none: the loss itself may well be.
            if (std::isfinite(value) && all_finite(part)) {
                add(weight, value, part);
            } else {
                forecasts_->drop_newest();
                forecast_pushed_ = false;
            }
        }
        current_.forecast_weight = forecast_pushed_ ? weight : 0;
        current_.norm = Carry::kUnknown;
        subtract(current_.gradient, before_.gradient, change_);
    }

    /// The sum is known again at x: after the point moved it costs a pass, once, when a round is carried
    /// next.
    void renew_sum(ConstView x, Scratch& scratch) {
        sum_renewed_ = window_.summed() > 0 && !current_.sum_valid;
        if (!sum_renewed_) return;
        Scratch::Frame frame(scratch);
        const Index count = std::min(window_.summed() + 1, batch_.size());
        const View ones = frame.take(count);
        fill(ones, 1);
        ones[0] = 0;  // the newest has not entered the sum yet
        current_.sum_value =
            count > 1 ? batch_.weighted_value_and_gradient(ones, x, current_.sum_gradient, scratch) : 0;
        ++cost_.passes;
        cost_.record_gradients += count - 1;
        current_.sum_valid = true;
    }

    void carry_sum(ConstView x, Scratch& scratch) {
        step_along(before_.sum_gradient, 1, newest_gradient_, current_.sum_gradient);
        current_.sum_value = before_.sum_value + arrival_.loss;
        current_.sum_valid = true;
        const Index leaving = window_.summed();
        if (batch_.size() <= leaving) return;
        Scratch::Frame frame(scratch);
        const View part = frame.take(x.size());
        arrival_.outgoing_loss = batch_.value_and_gradient(leaving, x, part, scratch);
        ++cost_.record_gradients;
        axpy(-1, part, current_.sum_gradient);
        current_.sum_value -= arrival_.outgoing_loss;
    }

    std::uint64_t counted_records() const {
        const std::span<const Real> weights = live_weights();
        if (window_.is_dense()) return weights.size();
        return static_cast<std::uint64_t>(
            std::count_if(weights.begin(), weights.end(), [](Real weight) { return weight != 0; }));
    }

    B batch_;
    std::optional<B> forecasts_;
    bool forecast_pushed_ = false;
    bool sum_renewed_ = false;  // in this round
    WindowWeights window_;
    WindowRecurrence recurrence_;
    std::vector<Real> weights_;  // by age, of this round
    std::vector<Real> newest_gradient_;
    Real newest_norm_ = 0;
    std::vector<Real> change_;
    WindowCurvature curvature_;
    CompactRows compact_;  // of this round's window, if somebody asked
    RowScores scores_;     // likewise
    Carry current_, before_, trial_;
    Arrival arrival_;
    Round round_ = 0;
    Cost cost_;
};

}  // namespace proxstream
