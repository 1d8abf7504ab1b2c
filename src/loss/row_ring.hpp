/// The newest records of a data-row family, stored for passes: dense rows lie in one contiguous ring, sparse
/// rows in a block per slot. Rings that a cache does not hold may keep rows in single precision as long as
/// nothing is lost by that. Once the ring has been filled with records of every size it will see, a push
/// does not allocate.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/parts.hpp"
#include "proxstream/loss/row_block.hpp"

#include "core/cache_aligned.hpp"

#include <span>
#include <vector>

namespace proxstream {

class StateArchive;

/// Where the rows of one record lie, or of several that lie one after the other; a view.
struct RecordRows {
    Index rows = 0;
    const Real* targets = nullptr;
    const Real* dense = nullptr;       // the first row, or nullptr if the record is sparse or single
    Index stride = 0;                  // from one dense row to the next
    const RowBlock* sparse = nullptr;  // or nullptr if the record is not sparse
    Real share = 1;                    // weight of each row in a pass
    Index first = 0;                   // of the rows, in a sparse record; others are pointed at
    const float* single = nullptr;     // the first row of dense ones in single precision, or nullptr
    Index pass_work = 0;            // numbers read by the pass that this is a piece of; 0: it is not a piece
    const Real* weights = nullptr;  // of the rows, or nullptr if all are 1; passes get split_by_weight()

    /// Of a row that is not sparse.
    Real value(Index row, Index feature) const {
        const Index at = row * stride + feature;
        return single != nullptr ? static_cast<Real>(single[at]) : dense[at];
    }
    /// Writes all features of a row.
    void write(Index row, View out) const;
    /// The inner product of a row's features with x.
    Real dot(Index row, ConstView x) const;
    /// sum += scale times the row's features
    void add(Index row, Real scale, View sum) const;
    /// Moves the view to the rows from `row` on; the caller sets their number.
    void skip(Index row) {
        targets += row;
        first += row;
        if (dense != nullptr) dense += row * stride;
        if (single != nullptr) single += row * stride;
        if (weights != nullptr) weights += row;
    }
    /// What the loss of a row is multiplied by in its record.
    Real weight(Index row) const { return weights == nullptr ? 1 : weights[row]; }
};

/// The same rows as runs of equal weight, with shares that include the weight; rows of weight 0 are left out.
/// So passes need no weight for each row. Lives as long as the frame.
std::span<const RecordRows> split_by_weight(std::span<const RecordRows> records, Scratch::Frame& frame);

/// Distance of stored dense rows, in numbers. Rows longer than a few cache lines are padded to whole ones.
/// Cached rows are not whole pages apart, because they would compete for the same few places of the nearest
/// cache.
Index row_stride(Index features, bool cached);

/// Writes all features of a row.
void write_row(const RowBlock& record, Index row, View out);

/// Throws Error if the record has no rows or a row does not fit `features`.
RecordRows rows_of(const RowBlock& record, Index features);

class RowRing {
  public:
    enum class Storage { exact, single_where_lossless };

    RowRing(Index features, Index capacity, Storage storage = Storage::exact);

    void push(const RowBlock& record);
    void drop_newest();
    Index size() const noexcept { return size_; }
    Index capacity() const noexcept { return capacity_; }
    /// The record that is `age` pushes old; age < size().
    RecordRows record(Index age) const;
    /// The rows a pass reads, oldest first, a record's weight shared out among its rows by their own weights.
    /// What has weight 0 is left out, and dense neighbours with equal shares are joined. Lives as long as the
    /// frame and until the next push.
    std::span<const RecordRows> weighted(std::span<const Real> weights, Scratch::Frame& frame) const;
    /// Single rows, in the order given; the same lifetime.
    std::span<const RecordRows> parts(std::span<const WeightedPart> parts, Scratch::Frame& frame) const;

    /// The records themselves; where the ring stands makes no difference and may change.
    void serialise(StateArchive& archive);

  private:
    struct Slot {  // small: a pass over short rows reads nearly as many slots as rows
        Index rows = 0;
        bool is_sparse = false;
        bool is_weighted = false;
    };

    /// The slot of the record that is `age` pushes old; the one before the oldest for age == capacity().
    Index slot_of(Index age) const { return (next_ + 2 * capacity_ - 1 - age) % capacity_; }
    RecordRows rows_in(Index slot) const;
    void make_room(Index slot, Index rows);
    void copy_to(RowBlock& block, Index age) const;
    /// Converts all rows to double precision.
    void widen();

    Index features_;
    Index capacity_;
    Index row_stride_;       // Reals from one dense row to the next
    Index rows_a_slot_ = 0;  // dense rows a slot has room for: the largest record seen
    Index next_ = 0;         // the slot of the next push
    Index size_ = 0;
    std::vector<Slot> slots_;                 // grows to capacity_ during the first pushes
    std::vector<RowBlock> sparse_;            // of slots that were sparse once
    std::vector<std::vector<Real>> weights_;  // of dense slots that were weighted once
    bool is_single_;                          // whether rows are in singles_ or in values_
    CacheAlignedVector<Real> values_;
    CacheAlignedVector<float> singles_;
    std::vector<Real> targets_;
};

}  // namespace proxstream
