#include "loss/reduced_rows.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "loss/row_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <numeric>

namespace proxstream {
namespace {

constexpr Index kMostCoordinates = 32;            // of a matrix, which costs n/2 passes
constexpr Index kWorthCopying = Index{1} << 14U;  // numbers that a pass reads
constexpr Index kMostNumbers = Index{1} << 26U;   // 256 MiB, for a fraction of what the rows take
constexpr Index kMostOfAll = Index{1} << 23U;     // 32 MiB: beyond the caches a copy of all gains little
/// One column in so many is few: leaving the others out then saves more than picking these costs.
constexpr Index kFew = 4;
/// A sparse row's number comes with its index and is gathered: so many dense ones cost no more.
constexpr Index kDenseForSparse = 4;
/// A number in single precision costs half of what one of the rows does.
constexpr Real kSingleShare = 0.5;
constexpr Index kNowhere = std::numeric_limits<Index>::max();  // in the copy

// How bend() is cut for threads, by its numbers alone; compare chunked_pass().
constexpr Index kLeastBend = Index{1} << 18U;
constexpr Index kLeastBendRows = 32;
constexpr Index kMostBends = 32;

struct Extent {
    Index rows = 0;
    Index work = 0;  // numbers a pass reads, sparse ones with what they cost
    bool sparse = false;
};

Extent extent_of(Index features, std::span<const RecordRows> records) {
    Extent extent;
    for (const RecordRows& record : records) {
        extent.rows += record.rows;
        extent.sparse = extent.sparse || record.sparse != nullptr;
        extent.work += record.sparse == nullptr
                           ? record.rows * features
                           : kDenseForSparse * record.sparse->stored(record.first, record.rows);
    }
    return extent;
}

/// Whole cache lines, and rows that are not whole pages apart: they would all want the same few places of the
/// nearest cache.
Index width_for(Index columns) {
    constexpr Index kLineNumbers = 16;
    constexpr Index kPageNumbers = 64 * kLineNumbers;
    const Index lines = (columns + kLineNumbers - 1) / kLineNumbers * kLineNumbers;
    return lines > 0 && lines % kPageNumbers == 0 ? lines + kLineNumbers : lines;
}

Index whole_blocks(Index rows) {
    return (rows + kernels::kRows - 1) / kernels::kRows * kernels::kRows;
}

template <class Number>
void copy_row(const Number* from, std::span<const Index> columns, bool all, float* to) {
    if (all) {
        for (Index k = 0; k < columns.size(); ++k) to[k] = static_cast<float>(from[k]);
    } else {
        for (Index k = 0; k < columns.size(); ++k) to[k] = static_cast<float>(from[columns[k]]);
    }
}

/// By their bits, which compilers know how to compare many at a time.
bool all_single(std::span<const float> values) {
    constexpr std::uint32_t kSign = 0x80000000U;
    constexpr std::uint32_t kInfinite = 0x7f800000U;
    std::uint32_t largest = 0;
    for (const float value : values)
        largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & ~kSign);
    return largest < kInfinite;
}

/// Those that belong to features; the intercept comes last.
std::span<const Index> columns_of(std::span<const Index> coordinates, Index features) {
    const auto end = std::ranges::lower_bound(coordinates, features);
    return coordinates.first(static_cast<Index>(end - coordinates.begin()));
}

}  // namespace

Index ReducedRows::width() const noexcept {
    return width_for(columns_.size());
}

bool ReducedRows::worthwhile(const PassFamily& family, std::span<const RecordRows> records) {
    const bool quadratic = family.dimension() <= kMostCoordinates && family.add_curvature({}, {});
    return quadratic || (family.of_scores() && extent_of(family.features(), records).work >= kWorthCopying);
}

bool ReducedRows::assign(ConstView x, const PassFamily& family, std::span<const RecordRows> records,
                         std::span<const Index> coordinates) {
    if (kept_ && !matrix_.empty()) return true;
    const std::span<const Index> moving = columns_of(coordinates, family.features());
    if (!kept_ || columns_.size() < features_ || !takes_all_columns(records, moving)) {
        kept_ = make_matrix(family, records);
        if (kept_) return true;
        loss_ = family.of_scores();
        features_ = family.features();
        if (!loss_ || !choose_columns(records, moving)) return false;
        copy_rows(records);
        if (!all_single(values_)) return false;
        kept_ = true;
    }
    know_anchor(x, records);
    return true;
}

bool ReducedRows::make_matrix(const PassFamily& family, std::span<const RecordRows> records) {
    matrix_.clear();
    const Index n = family.dimension();
    if (n > kMostCoordinates) return false;
    matrix_.assign(n * n, 0);
    for (const RecordRows& record : records) {
        if (family.add_curvature(record, matrix_)) continue;
        matrix_.clear();
        return false;
    }
    return true;
}

bool ReducedRows::takes_all_columns(std::span<const RecordRows> records,
                                    std::span<const Index> moving) const {
    return !extent_of(features_, records).sparse && kFew * moving.size() > features_;
}

/// Only the columns that move, or all if these are not few. False: the copy would cost as much as the rows.
bool ReducedRows::choose_columns(std::span<const RecordRows> records, std::span<const Index> moving) {
    const Extent extent = extent_of(features_, records);
    const bool all = takes_all_columns(records, moving);
    columns_.assign(moving.begin(), moving.end());
    if (all) {
        columns_.resize(features_);
        std::iota(columns_.begin(), columns_.end(), Index{0});
    }
    const Index rows = whole_blocks(extent.rows);
    const Index numbers = rows * width();
    const Real share =
        kSingleShare * static_cast<Real>(numbers) / static_cast<Real>(std::max<Index>(extent.work, 1));
    if (extent.work < kWorthCopying || share > 1 || numbers > (all ? kMostOfAll : kMostNumbers)) return false;
    values_.assign(numbers, 0);
    for (std::vector<Real>* each :
         {&known_.targets, &known_.weights, &known_.scores, &known_.values, &known_.slopes}) {
        each->assign(rows, 0);
    }
    return true;
}

void ReducedRows::copy_rows(std::span<const RecordRows> records) {
    const Index wide = width();
    const bool all = columns_.size() == features_;
    std::vector<Index> places(features_, kNowhere);  // by feature
    for (Index k = 0; k < columns_.size(); ++k) places[columns_[k]] = k;
    Index at = 0;
    for (const RecordRows& record : records) {
        for (Index row = 0; row < record.rows; ++row, ++at) {
            float* const to = values_.data() + at * wide;
            if (record.sparse != nullptr) {
                const auto indices = record.sparse->indices(record.first + row);
                const ConstView values = record.sparse->values(record.first + row);
                for (Index k = 0; k < values.size(); ++k) {
                    const Index place = places[indices[k]];
                    if (place != kNowhere) to[place] = static_cast<float>(values[k]);
                }
            } else if (record.single != nullptr) {
                copy_row(record.single + row * record.stride, columns_, all, to);
            } else {
                copy_row(record.dense + row * record.stride, columns_, all, to);
            }
            known_.targets[at] =
                record.sparse != nullptr ? record.sparse->target(record.first + row) : record.targets[row];
            known_.weights[at] = record.share;
        }
    }
}

void ReducedRows::know_anchor(ConstView x, std::span<const RecordRows> records) {
    const ConstView weights = x.first(features_);
    const Real intercept = x.size() > features_ ? x[features_] : 0;
    Index at = 0;
    for (const RecordRows& record : records) {
        for (Index row = 0; row < record.rows; ++row, ++at) {
            known_.scores[at] = record.dot(row, weights) + intercept;
        }
    }
    assert(whole_blocks(at) == known_.scores.size());
    evaluate(*loss_, known_.scores, known_.targets, known_.values, known_.slopes);
}

void ReducedRows::add(Index first, Index last, std::span<const float> move, Real intercept,
                      Sums& sums) const {
    const Index wide = width();
    const kernels::BlockPlan plan = kernels::plan_blocks<float>(wide, values_.size());
    Real bend = 0;
    Real total_slope = 0;
    for (Index block = first; block < last; block += plan.rows) {
        const Index count = std::min(plan.rows, last - block);
        const float* pointers[kernels::kMostRows];
        for (Index i = 0; i < count; ++i) pointers[i] = values_.data() + (block + i) * wide;
        const std::span<const float* const> rows(pointers, count);
        float numbers[kernels::kMostRows];  // what scores change by, then slopes
        kernels::dot_rows(rows, move, plan, false, numbers);
        Real changes[kernels::kMostRows];
        Real scores[kernels::kMostRows];
        Real values[kernels::kMostRows];
        Real slopes[kernels::kMostRows];
        for (Index i = 0; i < count; ++i) {
            changes[i] = static_cast<Real>(numbers[i]) + intercept;
            scores[i] = known_.scores[block + i] + changes[i];
        }
        evaluate(*loss_, {scores, count}, ConstView(known_.targets).subspan(block, count), {values, count},
                 {slopes, count});
        for (Index i = 0; i < count; ++i) {
            const Index row = block + i;
            const Real slope = known_.weights[row] * (slopes[i] - known_.slopes[row]);
            bend +=
                known_.weights[row] * ((values[i] - known_.values[row]) - known_.slopes[row] * changes[i]);
            total_slope += slope;
            numbers[i] = static_cast<float>(slope);
        }
        kernels::add_rows(numbers, rows, plan, false, sums.gradient);
    }
    sums.bend = bend;
    sums.slopes = total_slope;
}

Real ReducedRows::bend(ConstView move, View change, Scratch& scratch) const {
    if (!matrix_.empty()) {
        const Index n = move.size();
        for (Index i = 0; i < n; ++i) change[i] = dot(ConstView(matrix_).subspan(i * n, n), move);
        return dot(change, move) / 2;
    }
    const Index wide = width();
    const Index blocks = known_.scores.size() / kernels::kRows;
    const Index least = std::max(kLeastBend, kLeastBendRows * wide);
    const Index chunks = std::clamp<Index>(values_.size() / least, 1, kMostBends);
    Scratch::Frame frame(scratch);
    const std::span<float> way = frame.take<float>(wide);
    std::ranges::fill(way, 0.0F);
    for (Index k = 0; k < columns_.size(); ++k) way[k] = static_cast<float>(move[columns_[k]]);
    const Real intercept = move.size() > features_ ? move[features_] : 0;
    const std::span<Sums> sums = frame.take<Sums>(chunks);
    for (Sums& each : sums) each = {.gradient = frame.take<float>(wide)};

    const auto add_chunk = [&](Index i) {
        std::ranges::fill(sums[i].gradient, 0.0F);
        add(blocks * i / chunks * kernels::kRows, blocks * (i + 1) / chunks * kernels::kRows, way, intercept,
            sums[i]);
    };
    parallel_for(chunks, add_chunk);
    fill(change, 0);
    Real total = 0;
    for (const Sums& each : sums) {
        total += each.bend;
        for (Index k = 0; k < columns_.size(); ++k) {
            change[columns_[k]] += static_cast<Real>(each.gradient[k]);
        }
        if (change.size() > features_) change[features_] += each.slopes;
    }
    return total;
}

}  // namespace proxstream
