/// The newest records of a data-row family, stored for passes: dense rows lie in one contiguous ring, sparse
/// rows in a block per slot. Once the ring has been filled with records of every size it will see, a push
/// does not allocate.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/parts.hpp"
#include "proxstream/loss/row_block.hpp"

#include <new>
#include <span>
#include <vector>

namespace proxstream {

class Checkpoint;

/// Where the rows of one record lie; a view.
struct RecordRows {
    Index rows = 0;
    const Real* targets = nullptr;
    const Real* dense = nullptr;       // the first row, or nullptr if the record is sparse
    Index stride = 0;                  // from one dense row to the next
    const RowBlock* sparse = nullptr;  // or nullptr if the record is dense
    Real weight = 1;                   // of this record in a pass
    Index first = 0;                   // of the rows, in a sparse record; dense ones are pointed at
};

/// Throws Error if the record has no rows or a row does not fit `features`.
RecordRows rows_of(const RowBlock& record, Index features);

class RowRing {
  public:
    RowRing(Index features, Index capacity);

    void push(const RowBlock& record);
    void drop_newest();
    Index size() const noexcept { return size_; }
    Index capacity() const noexcept { return capacity_; }
    /// The record that is `age` pushes old; age < size().
    RecordRows record(Index age) const;
    /// The records a pass reads, oldest first, each with its weight; records of weight 0 are left out. Lives
    /// as long as the frame and until the next push.
    std::span<const RecordRows> weighted(std::span<const Real> weights, Scratch::Frame& frame) const;
    /// Single rows, in the order given; the same lifetime.
    std::span<const RecordRows> parts(std::span<const WeightedPart> parts, Scratch::Frame& frame) const;

    /// The records themselves; where the ring stands makes no difference and may change.
    void exchange(Checkpoint& checkpoint);

  private:
    /// Rows start on cache lines: a wide load that straddles two of them costs twice.
    template <class T>
    struct CacheAligned {
        using value_type = T;
        static constexpr std::align_val_t kLine{64};
        CacheAligned() = default;
        template <class U>
        explicit CacheAligned(const CacheAligned<U>& /*other*/) noexcept {}
        T* allocate(Index count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
        void deallocate(T* memory, Index /*count*/) noexcept { ::operator delete(memory, kLine); }
        friend bool operator==(const CacheAligned&, const CacheAligned&) = default;
    };
    struct Slot {
        Index rows = 0;
        bool is_sparse = false;
        RowBlock sparse{true};
    };

    void make_room(Index slot, Index rows);
    void copy_to(RowBlock& block, Index age) const;

    Index features_;
    Index capacity_;
    Index row_stride_;       // Reals from one dense row to the next
    Index rows_a_slot_ = 0;  // dense rows a slot has room for: the largest record seen
    Index next_ = 0;         // the slot of the next push
    Index size_ = 0;
    std::vector<Slot> slots_;  // grows to capacity_ during the first pushes
    std::vector<Real, CacheAligned<Real>> values_;
    std::vector<Real> targets_;
};

}  // namespace proxstream
