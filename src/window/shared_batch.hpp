/// A store of records that several windows read and one owner fills: pushing through a reader does nothing.
#pragma once

#include "proxstream/loss/parts.hpp"
#include "proxstream/loss/record_ref.hpp"

#include <memory>
#include <span>
#include <utility>

namespace proxstream {

class StateArchive;

template <RecordBatch B>
class SharedBatch {
  public:
    using Record = typename B::Record;

    explicit SharedBatch(std::shared_ptr<const B> store) : store_(std::move(store)) {}

    void push(const Record& /*record*/) {}  // the owner has done it
    void drop_newest() {}                   // and will undo it
    Index size() const { return store_->size(); }
    Index capacity() const { return store_->capacity(); }
    Real value(Index age, ConstView x, Scratch& scratch) const { return store_->value(age, x, scratch); }
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
        return store_->value_and_gradient(age, x, gradient, scratch);
    }
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
        return store_->weighted_value(weights, x, scratch);
    }
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        return store_->weighted_value_and_gradient(weights, x, gradient, scratch);
    }
    Index improve(std::span<const Real> weights, View x, Scratch& scratch) const {
        return proxstream::improve(*store_, weights, x, scratch);
    }
    Index parts(Index age) const { return part_count(*store_, age); }
    Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                        Scratch& scratch) const {
        return proxstream::parts_gradient(*store_, parts, x, gradient, scratch);
    }

    OwnedRecord blank_record() const { return proxstream::blank_record(*store_); }
    void serialise(StateArchive& /*checkpoint*/) {}  // the owner does it

  private:
    std::shared_ptr<const B> store_;
};

}  // namespace proxstream
