/// Losses evaluated many records at a time, by one call of the user's code: what makes windows pay where a
/// call is expensive (another language, automatic differentiation, a device).
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/loss_family.hpp"

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace proxstream {

/// A loss family given by one function.
template <class R>
class BatchedLoss {
  public:
    using Record = R;
    /// Returns the sum of weights[i] f_i(x) over the records given, oldest first, and overwrites `gradient`
    /// with its gradient. Weights may be 0.
    using Function =
        std::function<Real(ConstView x, std::span<const R> records, ConstView weights, View gradient)>;

    BatchedLoss(Index dimension, Function function) : dimension_(dimension), function_(std::move(function)) {
        if (!function_) throw ConfigError("a batched loss needs a function");
    }

    Index dimension() const { return dimension_; }
    Real value(const R& record, ConstView x, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        return value_and_gradient(record, x, frame.take(x.size()), scratch);
    }
    Real value_and_gradient(const R& record, ConstView x, View gradient, Scratch& /*scratch*/) const {
        const Real one[] = {1};
        return function_(x, {&record, 1}, one, gradient);
    }
    Real evaluate(ConstView x, std::span<const R> records, ConstView weights, View gradient) const {
        return function_(x, records, weights, gradient);
    }

    /// The newest records, one behind the other: a window is one span. They slide through a buffer of twice
    /// the room and are moved to its front when they reach its end.
    class Batch {
      public:
        using Record = R;
        Batch(BatchedLoss loss, Index capacity) : loss_(std::move(loss)), capacity_(capacity) {
            if (capacity == 0) throw ConfigError("a window needs room for at least one record");
            records_.reserve(2 * capacity);
        }

        void push(const R& record) {
            if (records_.size() == 2 * capacity_) {
                records_.erase(records_.begin(), records_.end() - static_cast<std::ptrdiff_t>(size_));
            }
            records_.push_back(record);
            if (size_ < capacity_) ++size_;
        }
        void drop_newest() {
            records_.pop_back();
            --size_;
        }
        Index size() const noexcept { return size_; }
        Index capacity() const noexcept { return capacity_; }
        Real value(Index age, ConstView x, Scratch& scratch) const {
            return loss_.value(record(age), x, scratch);
        }
        Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
            return loss_.value_and_gradient(record(age), x, gradient, scratch);
        }
        Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
            Scratch::Frame frame(scratch);
            return weighted_value_and_gradient(weights, x, frame.take(x.size()), scratch);
        }
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
        void exchange(Checkpoint& checkpoint) requires Exchangeable<R> && std::default_initializable<R> {
            checkpoint.exchange("count", size_, capacity_);
            if (checkpoint.reading()) {
                records_.clear();
                records_.resize(size_);
            }
            for (Index age = size_; age-- > 0;) {
                checkpoint.part("record", records_[records_.size() - 1 - age]);
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
