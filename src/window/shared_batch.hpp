/// A store of records that several windows read and one owner fills: pushing through a reader does nothing.
#pragma once

#include "proxstream/loss/any_batch.hpp"

#include <memory>
#include <span>
#include <utility>

namespace proxstream {

class SharedBatch {
  public:
    using Record = RecordRef;

    explicit SharedBatch(std::shared_ptr<const AnyBatch> store) : store_(std::move(store)) {}

    void push(const Record& /*record*/) {}  // the owner does it
    void drop_newest() {}                   // and undoes it
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
        return store_->improve(weights, x, scratch);
    }
    Index parts(Index age) const { return store_->parts(age); }
    Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                        Scratch& scratch) const {
        return store_->parts_gradient(parts, x, gradient, scratch);
    }
    OwnedRecord blank_record() const { return store_->blank_record(); }
    void serialise(StateArchive& /*archive*/) {}  // the owner does it

  private:
    std::shared_ptr<const AnyBatch> store_;
};

}  // namespace proxstream
