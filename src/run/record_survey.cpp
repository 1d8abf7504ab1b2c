#include "run/record_survey.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// From a larger record, this many rows are drawn.
constexpr Index kMostRows = 1000;
/// Curvature is measured on this many records, with this many power iterations on each.
constexpr Index kProbed = 8;
constexpr Index kClimb = 8;
/// The `step` of draws, one number for each purpose.
constexpr std::uint32_t kForDirections = 1;
constexpr std::uint32_t kForRows = 2;

void copy_row(const RowBlock& record, Index row, RowBlock& single) {
    single.clear();
    single.add_row(record, row);
}

}  // namespace

RecordSurvey::RecordSurvey(std::vector<const RowBlock*> records, const RowFamily& family, std::uint64_t seed)
    : family_(family),
      seed_(seed),
      records_(std::move(records)),
      single_(!records_.empty() && records_.front()->sparse()),
      gradient_(family.dimension()),
      other_(family.dimension()),
      moved_(family.dimension()),
      direction_(family.dimension()),
      mean_(family.dimension()) {}

void RecordSurvey::keep_finite(ConstView x) {
    std::erase_if(records_, [&](const RowBlock* record) {
        const Real loss = family_.value_and_gradient(*record, x, gradient_, scratch_);
        return !std::isfinite(loss) || !all_finite(gradient_);
    });
}

Real RecordSurvey::evaluate(ConstView x) {
    losses_.clear();
    fill(mean_, 0);
    Real spread = 0;
    for (const RowBlock* record : records_) {
        losses_.push_back(family_.value_and_gradient(*record, x, gradient_, scratch_));
        // Welford: no difference of large sums.
        const auto count = static_cast<Real>(losses_.size());
        subtract(gradient_, mean_, other_);
        spread += squared_norm(other_) * (count - 1) / count;
        axpy(1 / count, other_, mean_);
    }
    return 2 * spread / static_cast<Real>(records_.size() - 1);
}

std::span<const Real> RecordSurvey::variances(ConstView x) {
    variances_.clear();
    for (Index i = 0; i < records_.size(); ++i) {
        const Index rows = looked_at(i);
        Real total = 0;
        // A single row is the whole record: its gradient must be the same, without rounding.
        if (rows > 1) family_.value_and_gradient(*records_[i], x, gradient_, scratch_);
        for (Index k = 0; rows > 1 && k < rows; ++k) {
            copy_row(*records_[i], row_of(i, k), single_);
            family_.value_and_gradient(single_, x, other_, scratch_);
            const Real off = distance(other_, gradient_);
            total += off * off / static_cast<Real>(rows);
        }
        variances_.push_back(total);
    }
    return variances_;
}

Real RecordSurvey::curvature(ConstView x, std::uint64_t place) {
    const Index probed = std::min(kProbed, records_.size());
    Real steepest = 0;
    for (Index i = 0; i < probed; ++i) {
        const Index record = i * records_.size() / probed;
        for (Index j = 0; j < direction_.size(); ++j) {
            direction_[j] = normal({.seed = seed_,
                                    .round = place,
                                    .record = static_cast<std::uint32_t>(record),
                                    .step = kForDirections,
                                    .sample = j});
        }
        steepest = std::max(steepest, climb(*records_[record], x));
    }
    return steepest;
}

Real RecordSurvey::climb(const RowBlock& record, ConstView x) {
    const Real radius = 1e-4 * std::max(Real{1}, norm(x));
    Real steepest = 0;
    family_.value_and_gradient(record, x, gradient_, scratch_);
    for (Index k = 0; k < kClimb; ++k) {
        const Real length = norm(direction_);
        if (!(length > 0)) break;
        step_along(x, radius / length, direction_, moved_);
        family_.value_and_gradient(record, moved_, other_, scratch_);
        subtract(other_, gradient_, direction_);
        const Real slope = norm(direction_) / distance(moved_, x);
        if (!std::isfinite(slope)) break;
        steepest = std::max(steepest, slope);
    }
    return steepest;
}

Real RecordSurvey::record_smoothness() const {
    Real largest = 0;
    for (const RowBlock* record : records_) {
        const auto own = family_.smoothness(*record);
        if (!own) return 0;
        largest = std::max(largest, *own);
    }
    return largest;
}

Real RecordSurvey::row_smoothness() const {
    Real largest = 0;
    for (const RowBlock* record : records_) {
        const auto own = family_.mean_square_smoothness(*record);
        if (!own) return 0;
        largest = std::max(largest, *own);
    }
    return largest;
}

Index RecordSurvey::looked_at(Index record) const {
    return std::min(records_[record]->rows(), kMostRows);
}

Index RecordSurvey::row_of(Index record, Index k) const {
    const Index rows = records_[record]->rows();
    if (rows <= kMostRows) return k;
    return uniform_below(
        {.seed = seed_, .record = static_cast<std::uint32_t>(record), .step = kForRows, .sample = k}, rows);
}

}  // namespace proxstream
