/// S_t, the mean of the last w losses, together with its value and gradient at the current point. When a loss
/// arrives the two are moved by the arriving and the leaving record alone, so a round in which the point
/// stays costs two record gradients whatever w is. S_t divides by w from the first round on: f_i = 0 for i <=
/// 0.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/loss/loss_family.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace proxstream {

/// What a new loss brought, seen from the point that was played.
struct Arrival {
    bool finite = false;     // false: the loss is NaN or infinite there, and the round has to be undone
    Real loss = 0;           // f_t(x_t)
    Real outgoing_loss = 0;  // f_{t-w}(x_t), 0 while t <= w
};

template <RecordBatch B>
class CarriedWindow {
  public:
    using Record = typename B::Record;

    /// One slot more than the window: the leaving record stays until the round is over, so that a refused
    /// round can be undone.
    static constexpr Index slots(Index length) { return length + 1; }

    CarriedWindow(B batch, Index dimension, Index length)
        : batch_(std::move(batch)),
          weights_(length, 1 / static_cast<Real>(length)),
          newest_gradient_(dimension),
          change_(dimension),
          current_{std::vector<Real>(dimension), 0, 0, 0, 0},
          before_(current_),
          trial_(current_) {
        assert(length > 0 && batch_.capacity() >= slots(length));
    }

    Index length() const noexcept { return weights_.size(); }  // w

    /// f_t enters: its value and gradient at x, before anything is carried. The one gradient every learner
    /// needs.
    Real arrive(const Record& record, ConstView x, Scratch& scratch) {
        batch_.push(record);
        arrival_.outgoing_loss = 0;
        arrival_.loss = batch_.value_and_gradient(0, x, newest_gradient_, scratch);
        ++cost_.record_gradients;
        arrival_.finite = std::isfinite(arrival_.loss) && all_finite(newest_gradient_);
        return arrival_.loss;
    }

    /// f_{t-w} leaves; value() and gradient() become those of S_t at the same x. Follows arrive().
    const Arrival& carry(ConstView x, Scratch& scratch) {
        const Index w = length();
        if (batch_.size() > w) {
            arrival_.outgoing_loss = batch_.value_and_gradient(w, x, change_, scratch);
            ++cost_.record_gradients;
            subtract(newest_gradient_, change_, change_);
        } else {
            copy(newest_gradient_, change_);
        }
        std::swap(current_, before_);
        if (w == 1) {
            // The window is this one record: nothing is carried, nothing drifts.
            copy(newest_gradient_, current_.gradient);
            current_.value = arrival_.loss;
            current_.gradient_drift = current_.value_drift = 0;
            return arrival_;
        }
        const Real share = 1 / static_cast<Real>(w);
        step_along(before_.gradient, share, change_, current_.gradient);
        current_.value = before_.value + share * (arrival_.loss - arrival_.outgoing_loss);
        // Each update rounds at the size of what it adds; the sum bounds how far the carry can have drifted.
        constexpr Real kPerUpdate = 8 * kUnitRoundoff;
        current_.gradient_drift =
            before_.gradient_drift +
            kPerUpdate * (norm(current_.gradient) + share * (norm(newest_gradient_) + norm(change_)));
        current_.value_drift =
            before_.value_drift +
            kPerUpdate * (std::abs(current_.value) +
                          share * (std::abs(arrival_.loss) + std::abs(arrival_.outgoing_loss)));
        current_.rounds_since_pass = before_.rounds_since_pass + 1;
        return arrival_;
    }

    /// Undoes the last arrival and everything after carry(): the window is what it was before.
    void take_back() {
        batch_.drop_newest();
        std::swap(current_, before_);
    }

    /// v_t = grad f_t - grad f_{t-w} at the x of the last arrival.
    ConstView change() const noexcept { return change_; }
    ConstView newest_gradient() const noexcept { return newest_gradient_; }
    Real value() const noexcept { return current_.value; }             // S_t(x)
    ConstView gradient() const noexcept { return current_.gradient; }  // grad S_t(x)
    /// How far rounding can have moved the carried gradient and value since the last full pass.
    Real gradient_drift() const noexcept { return current_.gradient_drift; }
    Real value_drift() const noexcept { return current_.value_drift; }
    /// True when so many rounds were carried that the next decision deserves a full pass.
    bool due_for_pass() const noexcept { return current_.rounds_since_pass >= length(); }
    bool carried() const noexcept { return current_.rounds_since_pass > 0; }

    /// One batched pass at y. The result becomes the carry only when accepted. Returns S_t(y).
    Real try_at(ConstView y, Scratch& scratch) {
        trial_.value = batch_.weighted_value_and_gradient(live_weights(), y, trial_.gradient, scratch);
        ++cost_.passes;
        cost_.record_gradients += live_weights().size();
        return trial_.value;
    }
    bool trial_finite() const { return std::isfinite(trial_.value) && all_finite(trial_.gradient); }
    ConstView trial_gradient() const noexcept { return trial_.gradient; }
    void accept_trial() {
        std::swap(current_, trial_);
        current_.gradient_drift = current_.value_drift = 0;
        current_.rounds_since_pass = 0;
    }

    /// The losses still in the window, valued at x, oldest first.
    std::vector<Real> values(ConstView x, Scratch& scratch) {
        std::vector<Real> losses;
        for (Index age = live_weights().size(); age-- > 0;) losses.push_back(batch_.value(age, x, scratch));
        cost_.record_values += losses.size();
        return losses;
    }

    Index size() const { return live_weights().size(); }  // losses in the window, fewer than w in burn-in
    /// The gradient at y of the loss `age` rounds old; for rules that pick single losses and keep their own
    /// account.
    void record_gradient(Index age, ConstView y, View gradient, Scratch& scratch) const {
        batch_.value_and_gradient(age, y, gradient, scratch);
    }

    const Cost& cost() const noexcept { return cost_; }

  private:
    struct Carry {
        std::vector<Real> gradient;
        Real value = 0;
        Real gradient_drift = 0;
        Real value_drift = 0;
        Index rounds_since_pass = 0;
    };

    std::span<const Real> live_weights() const {
        return std::span(weights_).first(std::min(weights_.size(), batch_.size()));
    }

    B batch_;
    std::vector<Real> weights_;  // 1/w for each age
    std::vector<Real> newest_gradient_;
    std::vector<Real> change_;
    Carry current_, before_, trial_;
    Arrival arrival_;
    Cost cost_;
};

}  // namespace proxstream
