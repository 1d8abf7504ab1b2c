#include "proxstream/loss/row_ring.hpp"

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/simd.hpp"

#include <algorithm>
#include <cassert>
#include <string>

namespace proxstream {
namespace {

/// Padding to whole cache lines pays once rows are longer than a few of them.
Index padded(Index features) {
    constexpr Index kLongRow = 4 * kLanes;
    return features < kLongRow ? features : (features + kLanes - 1) / kLanes * kLanes;
}

}  // namespace

RecordRows rows_of(const RowBlock& record, Index features) {
    const Index rows = record.rows();
    if (rows == 0) throw Error("a record needs at least one row");
    if (!record.sparse()) {
        if (record.all_values().size() != rows * features) {
            throw Error("a record has rows of " + std::to_string(record.values(0).size()) +
                        " features, the loss has " + std::to_string(features));
        }
        return {rows, record.targets().data(), record.all_values().data(), features, nullptr, 1};
    }
    for (Index row = 0; row < rows; ++row) {
        const auto indices = record.indices(row);
        if (!indices.empty() && indices.back() >= features) {
            throw Error("a record has a feature of index " + std::to_string(indices.back()) +
                        ", the loss has " + std::to_string(features) + " features (counted from 0)");
        }
    }
    return {rows, record.targets().data(), nullptr, 0, &record, 1};
}

RowRing::RowRing(Index features, Index capacity)
    : features_(features), capacity_(capacity), row_stride_(padded(features)) {
    if (capacity == 0) throw ConfigError("a window needs room for at least one record");
}

void RowRing::push(const RowBlock& record) {
    const RecordRows from = rows_of(record, features_);
    const Index at = next_;
    if (at == slots_.size()) slots_.emplace_back();
    Slot& slot = slots_[at];
    slot.is_sparse = record.sparse();
    slot.rows = from.rows;
    if (slot.is_sparse) {
        slot.sparse = record;
    } else {
        make_room(at, from.rows);
        Real* to = values_.data() + at * rows_a_slot_ * row_stride_;
        for (Index row = 0; row < from.rows; ++row) {
            std::copy_n(from.dense + row * from.stride, features_, to + row * row_stride_);
        }
        std::copy_n(from.targets, from.rows, targets_.data() + at * rows_a_slot_);
    }
    next_ = (at + 1) % capacity_;
    size_ = std::min(size_ + 1, capacity_);
}

void RowRing::make_room(Index slot, Index rows) {
    if (rows > rows_a_slot_) {
        const Index old = rows_a_slot_;
        rows_a_slot_ = rows;
        decltype(values_) values(slots_.size() * rows * row_stride_);
        decltype(targets_) targets(slots_.size() * rows);
        const Index filled = old == 0 ? 0 : targets_.size() / old;
        for (Index s = 0; s < filled; ++s) {
            std::copy_n(values_.data() + s * old * row_stride_, old * row_stride_,
                        values.data() + s * rows * row_stride_);
            std::copy_n(targets_.data() + s * old, old, targets.data() + s * rows);
        }
        values_.swap(values);
        targets_.swap(targets);
    }
    const Index needed = (slot + 1) * rows_a_slot_;
    if (targets_.size() >= needed) return;
    if (targets_.capacity() < needed) {
        // Doubling, but never past what the full ring takes.
        const Index room = std::min(capacity_, 2 * (slot + 1)) * rows_a_slot_;
        targets_.reserve(room);
        values_.reserve(room * row_stride_);
    }
    targets_.resize(needed);
    values_.resize(needed * row_stride_);
}

void RowRing::drop_newest() {
    assert(size_ > 0);
    next_ = (next_ + capacity_ - 1) % capacity_;
    --size_;
}

RecordRows RowRing::record(Index age) const {
    assert(age < size_);
    const Index at = (next_ + capacity_ - 1 - age) % capacity_;
    const Slot& slot = slots_[at];
    if (slot.is_sparse) return {slot.rows, slot.sparse.targets().data(), nullptr, 0, &slot.sparse, 1};
    return {slot.rows,
            targets_.data() + at * rows_a_slot_,
            values_.data() + at * rows_a_slot_ * row_stride_,
            row_stride_,
            nullptr,
            1};
}

void RowRing::exchange(Checkpoint& checkpoint) {
    Index count = size_;
    checkpoint.exchange("count", count, capacity_);
    if (checkpoint.reading()) next_ = size_ = 0;
    for (Index age = count; age-- > 0;) {
        RowBlock block;
        if (!checkpoint.reading()) copy_to(block, age);
        checkpoint.part("record", block);
        if (checkpoint.reading()) push(block);
    }
}

void RowRing::copy_to(RowBlock& block, Index age) const {
    const RecordRows rows = record(age);
    if (rows.sparse != nullptr) {
        block = *rows.sparse;
        return;
    }
    for (Index row = 0; row < rows.rows; ++row) {
        block.add_dense({rows.dense + row * rows.stride, features_}, rows.targets[row]);
    }
}

std::span<const RecordRows> RowRing::weighted(std::span<const Real> weights, Scratch::Frame& frame) const {
    assert(weights.size() <= size_);
    const std::span<RecordRows> records = frame.take<RecordRows>(weights.size());
    Index used = 0;
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] == 0) continue;
        records[used] = record(age);
        records[used].weight = weights[age];
        ++used;
    }
    return records.first(used);
}

std::span<const RecordRows> RowRing::parts(std::span<const WeightedPart> parts, Scratch::Frame& frame) const {
    const std::span<RecordRows> rows = frame.take<RecordRows>(parts.size());
    for (Index i = 0; i < parts.size(); ++i) {
        RecordRows row = record(parts[i].age);
        assert(parts[i].part < row.rows);
        row.rows = 1;
        row.weight = parts[i].weight;
        row.targets += parts[i].part;
        if (row.sparse != nullptr) {
            row.first = parts[i].part;
        } else {
            row.dense += parts[i].part * row.stride;
        }
        rows[i] = row;
    }
    return rows;
}

}  // namespace proxstream
