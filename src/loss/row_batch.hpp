/// The store of records that families of passes share.
#pragma once

#include "loss/pass_family.hpp"
#include "loss/reduced_rows.hpp"
#include "loss/row_ring.hpp"

#include <cassert>
#include <span>
#include <utility>

namespace proxstream {

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
        return family_.pass_record(ring_.record(age), x, {}, scratch);
    }
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
        assert(!gradient.empty());
        return family_.pass_record(ring_.record(age), x, gradient, scratch);
    }
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
        return weighted_pass(weights, x, {}, scratch);
    }
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        assert(!gradient.empty());
        return weighted_pass(weights, x, gradient, scratch);
    }
    bool reduce(std::span<const Real> weights, std::span<const Index> coordinates, ConstView x,
                ReducedRows& rows, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        return rows.assign(x, family_, ring_.weighted(weights, frame), coordinates);
    }
    Index parts(Index age) const { return ring_.record(age).rows; }
    Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                        Scratch& scratch) const {
        assert(!gradient.empty());
        Scratch::Frame frame(scratch);
        return chunked_pass(family_, ring_.parts(parts, frame), x, gradient, scratch);
    }

    void serialise(StateArchive& archive) { ring_.serialise(archive); }

  private:
    Real weighted_pass(std::span<const Real> weights, ConstView x, View gradient, Scratch& scratch) const {
        if (RecordRows record; weights.size() == 1 && weights.front() != 0 &&
                               (record = ring_.record(0)).weights == nullptr) {  // no list to make
            record.share = weights.front() / static_cast<Real>(record.rows);
            if (record.rows == 1) return family_.pass({&record, 1}, x, gradient, scratch);  // nor to cut
            return chunked_pass(family_, {&record, 1}, x, gradient, scratch);
        }
        Scratch::Frame frame(scratch);
        return chunked_pass(family_, ring_.weighted(weights, frame), x, gradient, scratch);
    }

    F family_;
    RowRing ring_;
};

}  // namespace proxstream
