/// Data-row families that evaluate any weighted list of records in one pass, so that a single record and a
/// whole window run through the same code; and the store of records such families share.
#pragma once

#include "proxstream/loss/row_family.hpp"
#include "proxstream/loss/row_ring.hpp"

#include <cassert>
#include <span>
#include <utility>

namespace proxstream {

class PassFamily : public RowFamily {
  public:
    virtual Index features() const = 0;

    /// Returns the weighted sum of the records' losses at x, added in the order given. Overwrites `gradient`
    /// with its gradient, or works out none where `gradient` is empty.
    virtual Real pass(std::span<const RecordRows> records, ConstView x, View gradient,
                      Scratch& scratch) const = 0;

    /// Where the loss is quadratic: adds its second derivative, each row with its share, to the matrix, row
    /// by row. False: it is not, or nobody has worked it out.
    virtual bool add_curvature(const RecordRows& /*record*/, View /*matrix*/) const { return false; }

    /// Multiply-adds that `rows` rows with `stored` values in all cost a pass; decides how passes are cut.
    virtual Index work(Index /*rows*/, Index stored) const { return stored; }

    Real value(const RowBlock& record, ConstView x, Scratch& scratch) const final {
        const RecordRows rows = rows_of(record, features());
        return pass({&rows, 1}, x, {}, scratch);
    }
    Real value_and_gradient(const RowBlock& record, ConstView x, View gradient,
                            Scratch& scratch) const final {
        assert(!gradient.empty());
        const RecordRows rows = rows_of(record, features());
        return pass({&rows, 1}, x, gradient, scratch);
    }
};

/// The same as family.pass, spread over threads where the work is worth it. Records are cut into chunks by
/// the work alone and chunks are added in their order, so the number of threads does not change a bit; what
/// is too little for two chunks is family.pass itself.
Real chunked_pass(const PassFamily& family, std::span<const RecordRows> records, ConstView x, View gradient,
                  Scratch& scratch);

template <class F>
class RowBatch {
  public:
    using Record = RowBlock;

    RowBatch(F family, Index capacity)
        : family_(std::move(family)),
          ring_(family_.features(), capacity, RowRing::Storage::single_where_lossless) {}

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
        return chunked_pass(family_, ring_.weighted(weights, frame), x, {}, scratch);
    }
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        assert(!gradient.empty());
        Scratch::Frame frame(scratch);
        return chunked_pass(family_, ring_.weighted(weights, frame), x, gradient, scratch);
    }
    /// Adds `weight` times the second derivative of a record's loss, if that is quadratic.
    bool add_curvature(Index age, Real weight, View matrix) const {
        RecordRows record = ring_.record(age);
        record.share *= weight;
        return family_.add_curvature(record, matrix);
    }
    Index parts(Index age) const { return ring_.record(age).rows; }
    Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                        Scratch& scratch) const {
        assert(!gradient.empty());
        Scratch::Frame frame(scratch);
        return chunked_pass(family_, ring_.parts(parts, frame), x, gradient, scratch);
    }

    void exchange(Checkpoint& checkpoint) { ring_.exchange(checkpoint); }

  private:
    F family_;
    RowRing ring_;
};

}  // namespace proxstream
