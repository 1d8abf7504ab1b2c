/// The default store of a window: a ring of records, evaluated one by one.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/loss/loss_family.hpp"

#include <cassert>
#include <span>
#include <utility>
#include <vector>

namespace proxstream {

/// Keeps the newest records of a loss family and evaluates weighted sums of their losses. It is the
/// RecordBatch of every family that brings no `Batch` type of its own. OnlineLearner makes one for you.
///
/// \code
/// RecordRing<FunctionFamily> window(FunctionFamily(1), 8);
/// window.push([](ConstView x, View gradient) { gradient[0] = x[0]; return x[0] * x[0] / 2; });
/// \endcode
template <LossFamily F>
class RecordRing {
  public:
    /// The family's record.
    using Record = typename F::Record;

    /// Throws ConfigError if `capacity` is 0.
    RecordRing(F family, Index capacity) : family_(std::move(family)), slots_(capacity) {
        if (capacity == 0) throw ConfigError("a window needs room for at least one record");
    }

    /// Adds the newest record; the oldest is overwritten if the ring is full. If copying the record throws,
    /// the ring is unchanged.
    void push(const Record& record) {
        // Copied first: where that throws, the ring is as before. The slot holds nothing a window looks at.
        const Index next = (newest_ + 1) % slots_.size();
        slots_[next] = record;
        newest_ = next;
        if (size_ < slots_.size()) ++size_;
    }
    /// Removes the newest record. A record that it overwrote does not come back.
    void drop_newest() {
        if (size_ == 0) throw ConfigError("drop_newest: the store holds no record");
        newest_ = (newest_ + slots_.size() - 1) % slots_.size();
        --size_;
    }
    /// Number of records held.
    Index size() const noexcept { return size_; }
    /// Largest number of records held.
    Index capacity() const noexcept { return slots_.size(); }

    /// f(x) of the record of that age; 0 is the newest.
    Real value(Index age, ConstView x, Scratch& scratch) const {
        return family_.value(record(age), x, scratch);
    }
    /// The same, and overwrites `gradient`.
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
        return family_.value_and_gradient(record(age), x, gradient, scratch);
    }
    /// The sum of weights[age] f(x) over the ages; records of weight 0 are not evaluated.
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
        Real total = 0;
        for (Index age = weights.size(); age-- > 0;) {
            if (weights[age] != 0) total += weights[age] * value(age, x, scratch);
        }
        return total;
    }
    /// The same, and overwrites `gradient` with the gradient of the sum.
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const View single = frame.take(gradient.size());
        fill(gradient, 0);
        Real total = 0;
        for (Index age = weights.size(); age-- > 0;) {
            if (weights[age] == 0) continue;
            total += weights[age] * value_and_gradient(age, x, single, scratch);
            axpy(weights[age], single, gradient);
        }
        return total;
    }

    /// Saves or restores the records, if their type can be saved.
    void serialise(StateArchive& archive) requires Serialisable<Record> {
        archive.field("count", size_, slots_.size());
        if (archive.reading()) newest_ = (size_ + slots_.size() - 1) % slots_.size();
        for (Index age = size_; age-- > 0;) archive.section("record", slots_[slot(age)]);
    }

  private:
    const Record& record(Index age) const {
        assert(age < size_);
        return slots_[slot(age)];
    }
    Index slot(Index age) const { return (newest_ + slots_.size() - age) % slots_.size(); }

    F family_;
    std::vector<Record> slots_;
    Index newest_ = 0;
    Index size_ = 0;
};

/// Makes the store of a family: its own `Batch` type if it has one, else a RecordRing.
template <LossFamily F>
auto make_batch(F family, Index capacity) {
    if constexpr (BatchedFamily<F>) {
        return typename F::Batch(std::move(family), capacity);
    } else {
        return RecordRing<F>(std::move(family), capacity);
    }
}

}  // namespace proxstream
