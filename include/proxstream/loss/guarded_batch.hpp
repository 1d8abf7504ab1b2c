/// Protects a learner from exceptions of the user's losses. An exception in the middle of a round would leave
/// a learner half updated. Here it becomes a loss of NaN, which learners roll back; the caller throws the
/// exception again after the round.
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

/// Keeps the first exception that a callback threw in a round. While it holds one, callbacks are not called
/// any more, and every value is NaN. OnlineLearner throws the exception again at the end of the round.
///
/// \code
/// CallbackFailure failure;
/// const Real value = failure.value_of([]() -> Real { throw std::runtime_error("no data"); });  // NaN
/// if (failure.first) std::rethrow_exception(failure.first);
/// \endcode
struct CallbackFailure {
    /// The exception, or null.
    std::exception_ptr first;

    /// Returns call(), or NaN if it throws or an earlier call threw.
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
    /// The same for calls that also write to `out`, which becomes NaN after a failure.
    template <class Call>
    Real value_of(const Call& call, View out) {
        const Real value = value_of(call);
        if (first) fill(out, std::numeric_limits<Real>::quiet_NaN());
        return value;
    }
};

/// A RecordBatch whose evaluations never throw. Exceptions of the batch inside go to a CallbackFailure, and
/// values and gradients become NaN. OnlineLearner wraps the losses you give it this way.
///
/// \code
/// const auto failure = std::make_shared<CallbackFailure>();
/// GuardedBatch window(RecordRing<FunctionFamily>(FunctionFamily(2), 8), failure);
/// \endcode
template <RecordBatch B>
class GuardedBatch {
  public:
    /// The batch's record.
    using Record = typename B::Record;

    /// Takes over a batch; failures are recorded in `failure`.
    GuardedBatch(B batch, std::shared_ptr<CallbackFailure> failure)
        : batch_(std::move(batch)), failure_(std::move(failure)) {}

    /// Adds the newest record. If copying it throws, the record counts as present until drop_newest() removes
    /// it; nothing is evaluated before that.
    void push(const Record& record) {
        const Real pushed = failure_->value_of([&] {
            batch_.push(record);
            return Real{0};
        });
        missing_ = std::isnan(pushed);
    }
    /// Removes the newest record.
    void drop_newest() {
        if (!std::exchange(missing_, false)) batch_.drop_newest();
    }
    /// Number of records held, including one whose copy failed.
    Index size() const { return std::min(batch_.size() + (missing_ ? 1 : 0), batch_.capacity()); }
    /// Largest number of records held.
    Index capacity() const { return batch_.capacity(); }
    /// See RecordBatch; NaN after a failure.
    Real value(Index age, ConstView x, Scratch& scratch) const {
        return failure_->value_of([&] { return batch_.value(age, x, scratch); });
    }
    /// See RecordBatch; NaN after a failure.
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
        return failure_->value_of([&] { return batch_.value_and_gradient(age, x, gradient, scratch); },
                                  gradient);
    }
    /// See RecordBatch; NaN after a failure.
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
        return failure_->value_of([&] { return batch_.weighted_value(weights, x, scratch); });
    }
    /// See RecordBatch; NaN after a failure.
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        return failure_->value_of(
            [&] { return batch_.weighted_value_and_gradient(weights, x, gradient, scratch); }, gradient);
    }
    /// See proxstream::improve; x becomes NaN after a failure.
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
    /// See part_count.
    Index parts(Index age) const { return part_count(batch_, age); }
    /// See proxstream::parts_gradient; NaN after a failure.
    Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                        Scratch& scratch) const {
        return failure_->value_of(
            [&] { return proxstream::parts_gradient(batch_, parts, x, gradient, scratch); }, gradient);
    }
    /// Saves or restores the batch inside.
    void serialise(StateArchive& archive) { archive.section("guarded", batch_); }

  private:
    B batch_;
    std::shared_ptr<CallbackFailure> failure_;
    bool missing_ = false;  // the newest record
};

}  // namespace proxstream
