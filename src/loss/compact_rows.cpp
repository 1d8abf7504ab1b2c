#include "proxstream/loss/compact_rows.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/simd.hpp"

#include <algorithm>
#include <limits>

namespace proxstream {
namespace {

constexpr Index kWorthCopying = Index{1} << 14U;  // numbers that a pass reads
constexpr Index kCached = Index{1} << 17U;        // 1 MiB of numbers in double precision
constexpr Index kMostNumbers = Index{1} << 26U;   // 256 MiB
/// A sparse row's number comes with its index and is gathered: so many dense ones cost no more.
constexpr Index kDenseForSparse = 4;
constexpr Index kNowhere = std::numeric_limits<Index>::max();

struct Extent {
    Index rows = 0;
    Index work = 0;  // numbers a pass reads, sparse ones with what they cost
};

Extent extent_of(const PassFamily& family, std::span<const RecordRows> records) {
    Extent extent;
    for (const RecordRows& record : records) {
        extent.rows += record.rows;
        extent.work += record.sparse == nullptr
                           ? record.rows * family.features()
                           : kDenseForSparse * record.sparse->stored(record.first, record.rows);
    }
    return extent;
}

/// Each of the rows, `width` apart. `places`: where a feature is in the copy.
template <class Number>
void copy_columns(const RecordRows& record, std::span<const Index> columns, std::span<const Index> places,
                  Index width, Number* to) {
    for (Index row = 0; row < record.rows; ++row, to += width) {
        if (record.sparse != nullptr) {
            const auto indices = record.sparse->indices(record.first + row);
            const ConstView values = record.sparse->values(record.first + row);
            for (Index k = 0; k < values.size(); ++k) {
                const Index place = places[indices[k]];
                if (place != kNowhere) to[place] = static_cast<Number>(values[k]);
            }
        } else if (record.single != nullptr) {
            const float* const from = record.single + row * record.stride;
            for (Index k = 0; k < columns.size(); ++k) to[k] = static_cast<Number>(from[columns[k]]);
        } else {
            const Real* const from = record.dense + row * record.stride;
            for (Index k = 0; k < columns.size(); ++k) to[k] = static_cast<Number>(from[columns[k]]);
        }
    }
}

/// Those of them that belong to features.
std::span<const Index> columns_of(std::span<const Index> coordinates, Index features) {
    const auto end = std::ranges::lower_bound(coordinates, features);
    return coordinates.first(static_cast<Index>(end - coordinates.begin()));
}

}  // namespace

void CompactRows::clear() {
    family_.reset();
    columns_.clear();
}

bool CompactRows::serves(std::span<const Index> coordinates) const {
    const std::span<const Index> columns = columns_of(coordinates, features_);
    return family_ != nullptr && columns_.size() <= columns.size() + columns.size() / 4 &&
           std::ranges::includes(columns_, columns);
}

bool CompactRows::assign(const PassFamily& family, std::span<const RecordRows> records,
                         std::span<const Index> coordinates) {
    clear();
    features_ = family.features();
    const std::span<const Index> columns = columns_of(coordinates, features_);
    const Extent extent = extent_of(family, records);
    // Columns of zeros fill the last lanes up: kernels then work in whole ones.
    const Index width = (columns.size() + kLanes - 1) / kLanes * kLanes;
    if (extent.work < kWorthCopying || extent.rows * columns.size() > extent.work ||
        extent.rows * width > kMostNumbers) {
        return false;
    }
    std::unique_ptr<PassFamily> narrow = family.with_features(width);
    if (narrow == nullptr) return false;

    const bool single = extent.rows * width > kCached;
    values_.assign(single ? 0 : extent.rows * width, 0);
    singles_.assign(single ? extent.rows * width : 0, 0);
    targets_.resize(extent.rows);
    records_.clear();
    places_.clear();
    Index at = 0;
    for (const RecordRows& record : records) {
        if (record.sparse != nullptr && places_.empty()) {
            places_.assign(features_, kNowhere);
            for (Index k = 0; k < columns.size(); ++k) places_[columns[k]] = k;
        }
        RecordRows copied{
            .rows = record.rows, .targets = targets_.data() + at, .stride = width, .share = record.share};
        if (single) {
            copied.single = singles_.data() + at * width;
            copy_columns(record, columns, places_, width, singles_.data() + at * width);
        } else {
            copied.dense = values_.data() + at * width;
            copy_columns(record, columns, places_, width, values_.data() + at * width);
        }
        for (Index row = 0; row < record.rows; ++row, ++at) {
            targets_[at] =
                record.sparse != nullptr ? record.sparse->target(record.first + row) : record.targets[row];
        }
        records_.push_back(copied);
    }
    columns_.assign(columns.begin(), columns.end());
    family_ = std::move(narrow);
    share_ = static_cast<Real>(extent.rows * width) / static_cast<Real>(std::max<Index>(extent.work, 1));
    return true;
}

Real CompactRows::value_and_gradient(ConstView x, View gradient, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const View point = frame.take(family_->dimension());
    const View slopes = frame.take(point.size());
    fill(point, 0);
    for (Index k = 0; k < columns_.size(); ++k) point[k] = x[columns_[k]];
    const Index others = point.size() - family_->features();  // an intercept
    copy(x.last(others), point.last(others));
    const Real value = chunked_pass(*family_, records_, point, slopes, scratch);
    fill(gradient, 0);
    for (Index k = 0; k < columns_.size(); ++k) gradient[columns_[k]] = slopes[k];
    copy(slopes.last(others), gradient.last(others));
    return value;
}

}  // namespace proxstream
