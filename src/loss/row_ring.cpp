#include "loss/row_ring.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/simd.hpp"
#include "loss/row_kernels.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

namespace proxstream {
namespace {

/// Least size of a ring whose passes wait for memory, not for the processor.
constexpr Index kLargeRing = Index{1} << 15;
/// Largest ring of single rows that fits a cache.
constexpr Index kCachedRing = Index{1} << 20;

PROXSTREAM_CLONES bool fits_single(ConstView values) {
    const Real* from = values.data();
    // A sum of differences needs no branch for each value.
    return lane_sum(values.size(), [=](Index i) {
               return std::abs(static_cast<Real>(static_cast<float>(from[i])) - from[i]);
           }) == 0;
}

/// Moves slots of `old` rows apart, to where slots of `rows` rows have their place.
template <class Numbers>
void respace(Numbers& numbers, Index slots, Index old, Index rows, Index stride) {
    Numbers wider(slots * rows * stride);
    const Index filled = old == 0 ? 0 : numbers.size() / (old * stride);
    for (Index s = 0; s < filled; ++s) {
        std::copy_n(numbers.data() + s * old * stride, old * stride, wider.data() + s * rows * stride);
    }
    numbers.swap(wider);
}

Real one_row_of(Index rows) {
    return 1 / static_cast<Real>(rows);
}

const Real* weights_of(const RowBlock& record) {
    return record.weights().empty() ? nullptr : record.weights().data();
}

}  // namespace

Index row_stride(Index features, bool cached) {
    constexpr Index kLongRow = 4 * kLanes;
    constexpr Index kPageNumbers = 4096 / sizeof(Real);
    if (features < kLongRow) return features;
    const Index lines = (features + kLanes - 1) / kLanes * kLanes;
    return cached && lines % kPageNumbers == 0 ? lines + kLanes : lines;
}

void write_row(const RowBlock& record, Index row, View out) {
    const ConstView values = record.values(row);
    if (!record.sparse()) {
        std::copy(values.begin(), values.end(), out.begin());
        return;
    }
    std::fill(out.begin(), out.end(), 0);
    const auto indices = record.indices(row);
    for (Index k = 0; k < values.size(); ++k) out[indices[k]] = values[k];
}

void RecordRows::write(Index row, View out) const {
    if (sparse != nullptr) return write_row(*sparse, first + row, out);
    for (Index i = 0; i < out.size(); ++i) out[i] = value(row, i);
}

Real RecordRows::dot(Index row, ConstView x) const {
    if (sparse != nullptr)
        return kernels::dot_sparse(sparse->indices(first + row), sparse->values(first + row), x);
    if (single != nullptr) return kernels::dot_row(single + row * stride, x);
    return kernels::dot_row(dense + row * stride, x);
}

void RecordRows::add(Index row, Real scale, View sum) const {
    if (sparse != nullptr) {
        kernels::add_sparse(scale, sparse->indices(first + row), sparse->values(first + row), sum);
    } else if (single != nullptr) {
        kernels::add_row(scale, single + row * stride, sum);
    } else {
        kernels::add_row(scale, dense + row * stride, sum);
    }
}

RecordRows rows_of(const RowBlock& record, Index features) {
    const Index rows = record.rows();
    if (rows == 0) throw ConfigError("a record needs at least one row");
    if (!record.sparse()) {
        if (record.all_values().size() != rows * features) {
            throw ConfigError("a record has rows of " + std::to_string(record.values(0).size()) +
                              " features, the loss has " + std::to_string(features));
        }
        return {.rows = rows,
                .targets = record.targets().data(),
                .dense = record.all_values().data(),
                .stride = features,
                .share = one_row_of(rows),
                .weights = weights_of(record)};
    }
    for (Index row = 0; row < rows; ++row) {
        const auto indices = record.indices(row);
        if (!indices.empty() && indices.back() >= features) {
            throw ConfigError("a record has a feature of index " + std::to_string(indices.back()) +
                              ", the loss has " + std::to_string(features) + " features (counted from 0)");
        }
    }
    return {.rows = rows,
            .targets = record.targets().data(),
            .sparse = &record,
            .share = one_row_of(rows),
            .weights = weights_of(record)};
}

std::span<const RecordRows> split_by_weight(std::span<const RecordRows> records, Scratch::Frame& frame) {
    Index rows = 0;
    for (const RecordRows& record : records) rows += record.weights == nullptr ? 1 : record.rows;
    const std::span<RecordRows> runs = frame.take<RecordRows>(rows);
    Index used = 0;
    for (const RecordRows& record : records) {
        if (record.weights == nullptr) {
            runs[used++] = record;
            continue;
        }
        for (Index row = 0; row < record.rows;) {
            RecordRows run = record;
            run.skip(row);
            run.rows = 1;
            while (row + run.rows < record.rows && run.weights[run.rows] == run.weights[0]) ++run.rows;
            row += run.rows;
            if (run.weights[0] == 0) continue;
            run.share *= run.weights[0];
            run.weights = nullptr;
            runs[used++] = run;
        }
    }
    return runs.first(used);
}

RowRing::RowRing(Index features, Index capacity, Storage storage)
    : features_(features),
      capacity_(capacity),
      row_stride_(row_stride(features, features * capacity <= kCachedRing)),
      is_single_(storage == Storage::single_where_lossless && features * capacity >= kLargeRing) {
    if (capacity == 0) throw ConfigError("a window needs room for at least one record");
}

void RowRing::push(const RowBlock& record) {
    const RecordRows from = rows_of(record, features_);
    const Index at = next_;
    if (at == slots_.size()) slots_.emplace_back();
    Slot& slot = slots_[at];
    slot.is_sparse = record.sparse();
    slot.is_weighted = from.weights != nullptr;
    slot.rows = from.rows;
    if (slot.is_sparse) {
        if (sparse_.size() <= at) sparse_.resize(at + 1, RowBlock(true));
        sparse_[at] = record;
    } else {
        if (is_single_ && !fits_single(record.all_values())) widen();
        make_room(at, from.rows);
        for (Index row = 0; row < from.rows; ++row) {
            const Index to = (at * rows_a_slot_ + row) * row_stride_;
            const Real* values = from.dense + row * from.stride;
            if (is_single_) {
                std::transform(values, values + features_, singles_.data() + to,
                               [](Real value) { return static_cast<float>(value); });
            } else {
                std::copy_n(values, features_, values_.data() + to);
            }
        }
        std::copy_n(from.targets, from.rows, targets_.data() + at * rows_a_slot_);
        if (slot.is_weighted) {
            if (weights_.size() <= at) weights_.resize(at + 1);
            weights_[at].assign(from.weights, from.weights + from.rows);
        }
    }
    next_ = (at + 1) % capacity_;
    size_ = std::min(size_ + 1, capacity_);
}

void RowRing::make_room(Index slot, Index rows) {
    if (rows > rows_a_slot_) {
        if (is_single_) {
            respace(singles_, slots_.size(), rows_a_slot_, rows, row_stride_);
        } else {
            respace(values_, slots_.size(), rows_a_slot_, rows, row_stride_);
        }
        respace(targets_, slots_.size(), rows_a_slot_, rows, 1);
        rows_a_slot_ = rows;
    }
    const Index needed = (slot + 1) * rows_a_slot_;
    if (targets_.size() >= needed) return;
    const bool grows = targets_.capacity() < needed;
    // Doubling, but never past what the full ring takes.
    const Index room = grows ? std::min(capacity_, 2 * (slot + 1)) * rows_a_slot_ : 0;
    const auto extend = [&](auto& numbers, Index stride) {
        if (grows) numbers.reserve(room * stride);
        numbers.resize(needed * stride);
    };
    extend(targets_, 1);
    if (is_single_) {
        extend(singles_, row_stride_);
    } else {
        extend(values_, row_stride_);
    }
}

void RowRing::widen() {
    is_single_ = false;
    values_.reserve(targets_.capacity() * row_stride_);
    values_.assign(singles_.begin(), singles_.end());
    singles_ = {};
}

void RowRing::drop_newest() {
    assert(size_ > 0);
    next_ = (next_ + capacity_ - 1) % capacity_;
    --size_;
}

RecordRows RowRing::record(Index age) const {
    assert(age < size_);
    return rows_in(slot_of(age));
}

RecordRows RowRing::rows_in(Index at) const {
    const Slot& slot = slots_[at];
    const Real share = one_row_of(slot.rows);
    if (slot.is_sparse) {
        RecordRows rows{.rows = slot.rows,
                        .targets = sparse_[at].targets().data(),
                        .sparse = &sparse_[at],
                        .share = share};
        if (slot.is_weighted) rows.weights = sparse_[at].weights().data();
        return rows;
    }
    const Index begin = at * rows_a_slot_;
    return {.rows = slot.rows,
            .targets = targets_.data() + begin,
            .dense = is_single_ ? nullptr : values_.data() + begin * row_stride_,
            .stride = row_stride_,
            .share = share,
            .single = is_single_ ? singles_.data() + begin * row_stride_ : nullptr,
            .weights = slot.is_weighted ? weights_[at].data() : nullptr};
}

void RowRing::serialise(StateArchive& archive) {
    Index count = size_;
    archive.field("count", count, capacity_);
    if (archive.reading()) next_ = size_ = 0;
    for (Index age = count; age-- > 0;) {
        RowBlock block;
        if (!archive.reading()) copy_to(block, age);
        archive.section("record", block);
        if (archive.reading()) push(block);
    }
}

void RowRing::copy_to(RowBlock& block, Index age) const {
    const RecordRows rows = record(age);
    if (rows.sparse != nullptr) {
        block = *rows.sparse;
        return;
    }
    std::vector<Real> values(features_);
    for (Index row = 0; row < rows.rows; ++row) {
        rows.write(row, values);
        block.add_dense(values, rows.targets[row]);
        block.set_weight(row, rows.weight(row));
    }
}

std::span<const RecordRows> RowRing::weighted(std::span<const Real> weights, Scratch::Frame& frame) const {
    assert(weights.size() <= size_);
    const std::span<RecordRows> records = frame.take<RecordRows>(weights.size());
    Index used = 0;
    Index at = slot_of(weights.size());
    Index next = capacity_;  // the slot whose rows would follow those of the last record
    Real weight = 0;         // of the last record
    bool weighted_rows = false;
    for (Index age = weights.size(); age-- > 0;) {
        if (++at == capacity_) at = 0;
        if (weights[age] == 0) continue;
        const Slot& slot = slots_[at];
        const bool fills = !slot.is_sparse && !slot.is_weighted && slot.rows == rows_a_slot_;
        weighted_rows = weighted_rows || slot.is_weighted;
        if (fills && at == next && weights[age] == weight) {
            records[used - 1].rows += slot.rows;
        } else {
            RecordRows& record = records[used++];
            record = rows_in(at);
            record.share = weights[age] / static_cast<Real>(slot.rows);
        }
        next = fills ? at + 1 : capacity_;
        weight = weights[age];
    }
    return weighted_rows ? split_by_weight(records.first(used), frame) : records.first(used);
}

std::span<const RecordRows> RowRing::parts(std::span<const WeightedPart> parts, Scratch::Frame& frame) const {
    const std::span<RecordRows> rows = frame.take<RecordRows>(parts.size());
    for (Index i = 0; i < parts.size(); ++i) {
        RecordRows row = record(parts[i].age);
        assert(parts[i].part < row.rows);
        row.rows = 1;
        row.skip(parts[i].part);
        row.share = parts[i].weight * row.weight(0);
        row.weights = nullptr;
        rows[i] = row;
    }
    return rows;
}

}  // namespace proxstream
