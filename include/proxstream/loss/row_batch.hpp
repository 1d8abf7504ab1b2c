/// The window store shared by the data-row families. A family evaluates any weighted list of records in one
/// pass; this keeps the records and lists them.
#pragma once

#include "proxstream/loss/row_ring.hpp"

#include <cassert>
#include <span>
#include <utility>

namespace proxstream {

/// F offers features() and
///   Real pass(std::span<const RecordRows> records, ConstView x, View gradient, Scratch&) const,
/// which returns the weighted sum of the records' losses and overwrites `gradient` with its gradient, or
/// leaves gradients alone where `gradient` is empty.
template <class F>
class RowBatch {
  public:
    using Record = RowBlock;

    RowBatch(F family, Index capacity) : family_(std::move(family)), ring_(family_.features(), capacity) {}

    void push(const RowBlock& record) { ring_.push(record); }
    void drop_newest() { ring_.drop_newest(); }
    Index size() const noexcept { return ring_.size(); }
    Index capacity() const noexcept { return ring_.capacity(); }

    Real value(Index age, ConstView x, Scratch& scratch) const {
        const RecordRows record = ring_.record(age);
        return family_.pass({&record, 1}, x, {}, scratch);
    }
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
        assert(!gradient.empty());
        const RecordRows record = ring_.record(age);
        return family_.pass({&record, 1}, x, gradient, scratch);
    }
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        return family_.pass(ring_.weighted(weights, frame), x, {}, scratch);
    }
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        assert(!gradient.empty());
        Scratch::Frame frame(scratch);
        return family_.pass(ring_.weighted(weights, frame), x, gradient, scratch);
    }

  private:
    F family_;
    RowRing ring_;
};

}  // namespace proxstream
