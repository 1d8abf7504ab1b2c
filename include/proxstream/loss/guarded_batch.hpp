/// A store whose losses are the user's code, which may throw. In the middle of a round an exception would
/// leave a learner half moved. Here it becomes a loss that is not a number, which learners undo; the caller
/// of the learner throws it again when the round is over.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/parts.hpp"
#include "proxstream/loss/record_ref.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <utility>

namespace proxstream {

/// The first exception that the user's code threw in a round. While there is one, that code is not called.
struct CallbackFailure {
    std::exception_ptr first;

    /// Runs `call`, or answers NaN if it throws or something threw before.
    template <class Call>
    Real value_of(const Call& call) {
        if (!first) {
            try {
                return call();
            } catch (...) {
                first = std::current_exception();
            }
        }
        return std::numeric_limits<Real>::quiet_NaN();
    }
    /// The same for calls that also write to `out`.
    template <class Call>
    Real value_of(const Call& call, View out) {
        const Real value = value_of(call);
        if (first) fill(out, std::numeric_limits<Real>::quiet_NaN());
        return value;
    }
};

template <RecordBatch B>
class GuardedBatch {
  public:
    using Record = typename B::Record;

    GuardedBatch(B batch, std::shared_ptr<CallbackFailure> failure)
        : batch_(std::move(batch)), failure_(std::move(failure)) {}

    /// Copying a record may throw as well. It then counts as pushed until it is dropped, which it will be:
    /// nothing is evaluated any more in this round.
    void push(const Record& record) {
        const Real pushed = failure_->value_of([&] {
            batch_.push(record);
            return Real{0};
        });
        missing_ = std::isnan(pushed);
    }
    void drop_newest() {
        if (!std::exchange(missing_, false)) batch_.drop_newest();
    }
    Index size() const { return std::min(batch_.size() + (missing_ ? 1 : 0), batch_.capacity()); }
    Index capacity() const { return batch_.capacity(); }
    Real value(Index age, ConstView x, Scratch& scratch) const {
        return failure_->value_of([&] { return batch_.value(age, x, scratch); });
    }
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
        return failure_->value_of([&] { return batch_.value_and_gradient(age, x, gradient, scratch); },
                                  gradient);
    }
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
        return failure_->value_of([&] { return batch_.weighted_value(weights, x, scratch); });
    }
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        return failure_->value_of(
            [&] { return batch_.weighted_value_and_gradient(weights, x, gradient, scratch); }, gradient);
    }
    Index improve(std::span<const Real> weights, View x, Scratch& scratch) const {
        Index passes = 0;
        failure_->value_of(
            [&] {
                passes = proxstream::improve(batch_, weights, x, scratch);
                return Real{0};
            },
            x);
        return passes;
    }
    bool add_curvature(Index age, Real weight, View matrix) const {
        bool added = false;
        failure_->value_of([&] {
            added = proxstream::add_curvature(batch_, age, weight, matrix);
            return Real{0};
        });
        return added;
    }
    Index parts(Index age) const { return part_count(batch_, age); }
    Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                        Scratch& scratch) const {
        return failure_->value_of(
            [&] { return proxstream::parts_gradient(batch_, parts, x, gradient, scratch); }, gradient);
    }
    void exchange(Checkpoint& checkpoint) { checkpoint.part("guarded", batch_); }

  private:
    B batch_;
    std::shared_ptr<CallbackFailure> failure_;
    bool missing_ = false;  // the newest record
};

}  // namespace proxstream
