#include "offline/row_sum.hpp"

#include "proxstream/core/error.hpp"

#include "loss/reduced_rows.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace proxstream {
namespace {

/// Rows of a parallel task: enough to pay for it, few enough for an even load.
constexpr Index kPieceRows = 512;
/// Largest number of values that fit a cache. Alignment does not help larger data.
constexpr Index kCached = Index{1} << 22;

/// `count` rows from `first` on, each with the share `share`.
RecordRows some_rows(const RecordRows& all, Index first, Index count, Real share) {
    RecordRows piece = all;
    piece.skip(first);
    piece.rows = count;
    piece.share = share;
    return piece;
}

RecordRows one_row(const RecordRows& all, Index row, Real share) {
    RecordRows piece = some_rows(all, row, 1, share * all.weight(row));
    piece.weights = nullptr;
    return piece;
}

}  // namespace

RowSum::RowSum(std::shared_ptr<const PassFamily> family, RowBlock rows)
    : family_(std::move(family)), rows_(std::move(rows)) {
    RecordRows all = rows_of(rows_, family_->features());
    for (Index row = 0; row < rows_.rows(); ++row) {
        const std::string problem = family_->row_problem(rows_, row);
        if (!problem.empty()) throw Error("row " + std::to_string(row + 1) + ": " + problem);
    }
    const Index stride = row_stride(family_->features(), true);
    if (all.dense != nullptr && all.rows * stride <= kCached) {
        aligned_.resize(all.rows * stride);
        for (Index row = 0; row < all.rows; ++row)
            std::copy_n(all.dense + row * all.stride, family_->features(), aligned_.data() + row * stride);
        all.dense = aligned_.data();
        all.stride = stride;
    }
    const Real share = 1 / static_cast<Real>(all.rows);
    for (Index first = 0; first < all.rows; first += kPieceRows) {
        pieces_.push_back(some_rows(all, first, std::min(kPieceRows, all.rows - first), share));
    }
    all_ = all;
    if (all.weights == nullptr) return;
    Scratch scratch;
    Scratch::Frame frame(scratch);
    const std::span<const RecordRows> runs = split_by_weight(pieces_, frame);
    pieces_.assign(runs.begin(), runs.end());
}

Real RowSum::mean(std::span<const SampleId> samples, ConstView x, View gradient, Scratch& scratch) const {
    assert(!samples.empty() && !gradient.empty());
    const Real share = 1 / static_cast<Real>(samples.size());
    Scratch::Frame frame(scratch);
    const std::span<RecordRows> named = frame.take<RecordRows>(samples.size());
    for (Index i = 0; i < named.size(); ++i) {
        assert(samples[i] < rows_.rows());
        named[i] = one_row(all_, samples[i], share);
    }
    return chunked_pass(*family_, named, x, gradient, scratch);
}

Real RowSum::f(ConstView x, View gradient, Scratch& scratch) const {
    return chunked_pass(*family_, pieces_, x, gradient, scratch);
}

bool RowSum::reduce(std::span<const Index> coordinates, ConstView x, ReducedRows& rows) const {
    return rows.assign(x, *family_, pieces_, coordinates);
}

bool RowSum::reducible() const {
    return ReducedRows::worthwhile(*family_, pieces_);
}

std::optional<SmoothnessFacts> RowSum::smoothness() const {
    return family_->data_smoothness(rows_);
}

Real RowSum::infimum() const {
    return family_->infimum();
}

}  // namespace proxstream
