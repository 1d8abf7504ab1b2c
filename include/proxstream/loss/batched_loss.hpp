/// Losses evaluated many records at a time, by one call of the user's code. This makes windows affordable
/// where a call is expensive: another language, automatic differentiation, a device.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/loss/loss_family.hpp"

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace proxstream {

/// A loss family given by one function that evaluates many records at once. Use it where each call has a high
/// fixed cost. The function gets the records of the window in one contiguous span, with a weight each.
///
/// \code
/// BatchedLoss<Real> loss(1, [](ConstView x, std::span<const Real> y, ConstView weights, View gradient) {
///     Real sum = gradient[0] = 0;
///     for (Index i = 0; i < y.size(); ++i) gradient[0] += weights[i] * (x[0] - y[i]);
///     for (Index i = 0; i < y.size(); ++i) sum += weights[i] * std::pow(x[0] - y[i], 2) / 2;
///     return sum;
/// });
/// \endcode
/// Pass it to the constructor OnlineLearner(options, loss).
template <class R>
class BatchedLoss {
  public:
    /// The data of one round.
    using Record = R;
    /// Returns the sum of weights[i] f_i(x) over the records given, oldest first, and overwrites `gradient`
    /// with its gradient. Weights may be 0.
    using Function =
        std::function<Real(ConstView x, std::span<const R> records, ConstView weights, View gradient)>;

    /// Throws ConfigError if there is no function.
    BatchedLoss(Index dimension, Function function) : dimension_(dimension), function_(std::move(function)) {
        if (!function_) throw ConfigError("a batched loss needs a function");
    }

    /// Length of x.
    Index dimension() const { return dimension_; }
    /// f(x) of one record.
    Real value(const R& record, ConstView x, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        return value_and_gradient(record, x, frame.take(x.size()), scratch);
    }
    /// The same, and overwrites `gradient`.
    Real value_and_gradient(const R& record, ConstView x, View gradient, Scratch& /*scratch*/) const {
        const Real one[] = {1};
        return function_(x, {&record, 1}, one, gradient);
    }
    /// Calls the function.
    Real evaluate(ConstView x, std::span<const R> records, ConstView weights, View gradient) const {
        return function_(x, records, weights, gradient);
    }

    /// The newest records in contiguous memory, so that a window is one span. The buffer has twice the
    /// capacity; records are moved to its front when they reach its end.
    class Batch {
      public:
        /// The data of one round.
        using Record = R;
        /// Throws ConfigError if `capacity` is 0.
        Batch(BatchedLoss loss, Index capacity) : loss_(std::move(loss)), capacity_(capacity) {
            if (capacity == 0) throw ConfigError("a window needs room for at least one record");
            records_.reserve(2 * capacity);
        }

        /// Adds the newest record.
        void push(const R& record) {
            if (records_.size() == 2 * capacity_) {
                records_.erase(records_.begin(), records_.end() - static_cast<std::ptrdiff_t>(size_));
            }
            records_.push_back(record);
            if (size_ < capacity_) ++size_;
        }
        /// Removes the newest record.
        void drop_newest() {
            records_.pop_back();
            --size_;
        }
        /// Number of records held.
        Index size() const noexcept { return size_; }
        /// Largest number of records held.
        Index capacity() const noexcept { return capacity_; }
        /// See RecordBatch.
        Real value(Index age, ConstView x, Scratch& scratch) const {
            return loss_.value(record(age), x, scratch);
        }
        /// See RecordBatch.
        Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
            return loss_.value_and_gradient(record(age), x, gradient, scratch);
        }
        /// See RecordBatch.
        Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
            Scratch::Frame frame(scratch);
            return weighted_value_and_gradient(weights, x, frame.take(x.size()), scratch);
        }
        /// One call of the function, from the oldest record with a weight to the newest; those between come
        /// with weight 0.
        Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                         Scratch& scratch) const {
            // From the oldest record with a weight to the newest: those in between come along.
            Index young = 0, old = weights.size();
            while (old > young && weights[old - 1] == 0) --old;
            while (young < old && weights[young] == 0) ++young;
            if (young == old) {
                fill(gradient, 0);
                return 0;
            }
            Scratch::Frame frame(scratch);
            const View by_place = frame.take(old - young);
            for (Index i = 0; i < by_place.size(); ++i) by_place[i] = weights[old - 1 - i];
            const R* first = records_.data() + (records_.size() - old);
            return loss_.evaluate(x, {first, by_place.size()}, by_place, gradient);
        }
        /// Saves or restores the records, if their type can be saved.
        void serialise(StateArchive& archive) requires Serialisable<R> && std::default_initializable<R> {
            archive.field("count", size_, capacity_);
            if (archive.reading()) {
                records_.clear();
                records_.resize(size_);
            }
            for (Index age = size_; age-- > 0;) {
                archive.section("record", records_[records_.size() - 1 - age]);
            }
        }

      private:
        const R& record(Index age) const { return records_[records_.size() - 1 - age]; }

        BatchedLoss loss_;
        Index capacity_;
        Index size_ = 0;
        std::vector<R> records_;
    };

  private:
    Index dimension_;
    Function function_;
};

}  // namespace proxstream
