#include "window/carried_window.hpp"

#include <algorithm>
#include <cfenv>
#include <limits>

namespace proxstream {

CarriedWindow::CarriedWindow(AnyBatch batch, Index dimension, WindowWeights weights)
    : batch_(std::move(batch)),
      window_(std::move(weights)),
      newest_gradient_(dimension),
      change_(dimension),
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

bool CarriedWindow::arrive(const RecordRef& record, ConstView x, Scratch& scratch) {
    batch_.push(record);
    arrival_ = {};
    arrival_.loss = batch_.value_and_gradient(0, x, newest_gradient_, scratch);
    ++cost_.record_gradients;
    newest_norm_ = norm(newest_gradient_);
    if (newest_norm_ == 0 && underflows(x, scratch)) newest_norm_ = std::numeric_limits<Real>::min();
    // Beyond kAbsurd squares overflow, and with them every figure a certificate is made of.
    if (std::abs(arrival_.loss) <= kAbsurd && newest_norm_ <= kAbsurd) return true;
    batch_.drop_newest();
    return false;
}

/// Whether the newest loss or its gradient has lost digits at the point 0, where no other figure tells a true
/// 0 from one that underflowed.
bool CarriedWindow::underflows(ConstView x, Scratch& scratch) {
    if (std::any_of(x.begin(), x.end(), [](Real entry) { return entry != 0; })) return false;
    std::feclearexcept(FE_UNDERFLOW);
    batch_.value_and_gradient(0, x, newest_gradient_, scratch);
    return std::fetestexcept(FE_UNDERFLOW) != 0;
}

const Arrival& CarriedWindow::carry(ConstView x, Scratch& scratch, const RecordRef& forecast,
                                    Real forecast_weight) {
    ++round_;
    if (window_.varies() || round_ == 1) {
        window_.at(round_, weights_);
        window_.follow(round_, recurrence_);
    }
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

void CarriedWindow::rollback() {
    batch_.drop_newest();
    if (forecasts_ && forecast_pushed_) forecasts_->drop_newest();
    --round_;
    if (window_.varies()) window_.at(std::max<Round>(round_, 1), weights_);
    swap(current_, before_);
}

Real CarriedWindow::try_at(ConstView y, Scratch& scratch) {
    trial_.value = batch_.weighted_value_and_gradient(live_weights(), y, trial_.gradient, scratch);
    count_pass();
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

bool CarriedWindow::trial_finite() const {
    // A finite norm says it of every entry; entries beyond its range are looked at one by one.
    return std::isfinite(trial_.value) && (std::isfinite(trial_.known_norm()) || all_finite(trial_.gradient));
}

void CarriedWindow::accept_trial() {
    swap(current_, trial_);
    current_.gradient_drift = current_.value_drift = 0;
    current_.rounds_since_pass = 0;
    current_.sum_valid = false;
}

bool CarriedWindow::reduce(std::span<const Index> coordinates, ConstView x, Scratch& scratch) {
    if (forecasts_) return false;
    if (!proxstream::reduce(batch_, live_weights(), coordinates, x, reduced_, scratch)) return false;
    count_pass();
    return true;
}

Real CarriedWindow::reduced_bend(ConstView move, View change, Scratch& scratch) {
    if (reduced_.has_rows()) count_pass();
    return reduced_.bend(move, change, scratch);
}

bool CarriedWindow::block_sweep(View y, Scratch& scratch) {
    if (forecasts_) return false;
    const Index passes = proxstream::improve(batch_, live_weights(), y, scratch);
    cost_.passes += passes;
    cost_.record_gradients += passes * counted_records();
    return passes > 0;
}

Real CarriedWindow::value_at(ConstView y, Scratch& scratch) {
    Real total = batch_.weighted_value(live_weights(), y, scratch);
    cost_.record_values += counted_records();
    if (forecasts_ && current_.forecast_weight > 0) {
        total += current_.forecast_weight * forecasts_->value(0, y, scratch);
        ++cost_.record_values;
    }
    return total;
}

void CarriedWindow::close(ConstView x, Closing& closing, Scratch& scratch) {
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

std::span<const Real> CarriedWindow::live_weights() const {
    return std::span(weights_).first(std::min(weights_.size(), batch_.size()));
}

Real CarriedWindow::record_gradient(Index age, ConstView y, View gradient, Scratch& scratch) const {
    return batch_.value_and_gradient(age, y, gradient, scratch);
}

bool CarriedWindow::past_forecast_gradient(ConstView y, View gradient, Scratch& scratch) const {
    if (!forecasts_ || before_.forecast_weight == 0) return false;
    forecasts_->value_and_gradient(forecast_pushed_ ? 1 : 0, y, gradient, scratch);
    return true;
}

void CarriedWindow::serialise(StateArchive& archive) {
    archive.fields(Field{"round", round_}, Field{"records", batch_});
    archive.agree("forecasts", forecasts_ ? 1 : 0);
    if (forecasts_) archive.section("forecast records", *forecasts_);
    archive.section("carry", current_);
    if (!archive.reading() || round_ == 0) return;
    archive.require(batch_.size() > 0, "the records of its rounds");
    archive.require(current_.forecast_weight == 0 || (forecasts_ && forecasts_->size() > 0),
                    "the forecast that has a weight");
    const Round t = window_.varies() ? round_ : 1;
    window_.at(t, weights_);
    window_.follow(t, recurrence_);
}

void CarriedWindow::carry_swap(ConstView x, Scratch& scratch) {
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
    note_drift(share * (std::abs(arrival_.loss) + std::abs(arrival_.outgoing_loss)), share * newest_norm_);
}

void CarriedWindow::carry_recurrence(ConstView x, Scratch& scratch) {
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

void CarriedWindow::note_drift(Real added_value, Real added_gradient) {
    const Real keep = std::min<Real>(recurrence_.keep, 1);
    current_.gradient_drift =
        keep * before_.gradient_drift + kPerUpdate * (current_.known_norm() + added_gradient + norm(change_));
    current_.value_drift = keep * before_.value_drift + kPerUpdate * (std::abs(current_.value) + added_value);
    current_.rounds_since_pass = before_.rounds_since_pass + 1;
}

void CarriedWindow::replace_forecast(ConstView x, const RecordRef& forecast, Real weight, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View part = frame.take(x.size());
    const auto add = [&](Real signed_weight, Real value, ConstView gradient) {
        axpy(signed_weight, gradient, current_.gradient);
        current_.value += signed_weight * value;
        arrival_.value_change += signed_weight * value;
    };
    // Subtract the old forecast with the factor that the recurrence has applied to it.
    if (before_.forecast_weight > 0) {
        const Real value = forecasts_->value_and_gradient(0, x, part, scratch);
        ++cost_.record_gradients;
        add(-recurrence_.keep * before_.forecast_weight, value, part);
    }
    forecast_pushed_ = static_cast<bool>(forecast);
    if (forecast_pushed_) {
        forecasts_->push(forecast);
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

void CarriedWindow::renew_sum(ConstView x, Scratch& scratch) {
    if (window_.summed() == 0 || current_.sum_valid) return;
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

void CarriedWindow::carry_sum(ConstView x, Scratch& scratch) {
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

void CarriedWindow::count_pass() {
    ++cost_.passes;
    cost_.record_gradients += counted_records();
}

std::uint64_t CarriedWindow::counted_records() const {
    const std::span<const Real> weights = live_weights();
    if (window_.is_dense()) return weights.size();
    return static_cast<std::uint64_t>(
        std::count_if(weights.begin(), weights.end(), [](Real weight) { return weight != 0; }));
}

}  // namespace proxstream
