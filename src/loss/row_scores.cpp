#include "loss/row_scores.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "loss/row_kernels.hpp"

#include <algorithm>
#include <cassert>

namespace proxstream {
namespace {

// How work is cut for threads, by its numbers alone; compare chunked_pass().
constexpr Index kLeastPart = Index{1} << 17U;
constexpr Index kLeastPartRows = 32;
constexpr Index kMostParts = 32;

/// Those of `rows`, which are numbered from `begin` on, whose numbers lie in [first, last).
template <class Row>
std::span<const Row> between(Index first, Index last, Index begin, const std::vector<Row>& rows) {
    const Index from = std::clamp(first, begin, begin + rows.size());
    const Index to = std::clamp(last, begin, begin + rows.size());
    return std::span(rows).subspan(from - begin, to - from);
}

template <class Number>
void score_dense(std::span<const Number* const> rows, Index stride, Index numbers, ConstView weights,
                 Real* scores) {
    const kernels::BlockPlan plan = kernels::plan_blocks<Number>(stride, numbers);
    for (Index i = 0; i < rows.size(); i += plan.rows) {
        kernels::dot_rows(rows.subspan(i, std::min(plan.rows, rows.size() - i)), weights, plan, true,
                          scores + i);
    }
}

template <class Number>
void add_dense(std::span<const Number* const> rows, Index stride, Index numbers, const Real* slopes,
               View gradient) {
    const kernels::BlockPlan plan = kernels::plan_blocks<Number>(stride, numbers);
    for (Index i = 0; i < rows.size(); i += plan.rows) {
        kernels::add_rows(slopes + i, rows.subspan(i, std::min(plan.rows, rows.size() - i)), plan, true,
                          gradient);
    }
}

}  // namespace

bool RowScores::assign(const PassFamily& family, std::span<const RecordRows> records) {
    const std::optional<ScalarLoss> loss = family.of_scores();
    if (!loss) return false;
    loss_ = *loss;
    features_ = family.features();
    numbers_ = stride_ = 0;
    dense_.clear();
    singles_.clear();
    sparse_.clear();
    targets_.clear();
    weights_.clear();
    enum Kind { kDense, kSingle, kSparse };
    for (const Kind kind : {kDense, kSingle, kSparse}) {
        for (const RecordRows& record : records) {
            const Kind its = record.sparse != nullptr ? kSparse : record.single != nullptr ? kSingle : kDense;
            if (its != kind) continue;
            for (Index row = 0; row < record.rows; ++row) {
                if (kind == kDense) dense_.push_back(record.dense + row * record.stride);
                if (kind == kSingle) singles_.push_back(record.single + row * record.stride);
                if (kind == kSparse) sparse_.push_back({record.sparse, record.first + row});
                targets_.push_back(kind == kSparse ? record.sparse->target(record.first + row)
                                                   : record.targets[row]);
                weights_.push_back(record.share);
            }
            if (kind == kSparse) {
                numbers_ += record.sparse->stored(record.first, record.rows);
            } else {
                numbers_ += record.rows * record.stride;
                stride_ = record.stride;
            }
        }
    }
    return true;
}

Index RowScores::chunks() const {
    return std::clamp<Index>(numbers_ / std::max(kLeastPart, kLeastPartRows * features_), 1, kMostParts);
}

RowScores::Some RowScores::some(Index first, Index last) const {
    return {.dense = between(first, last, 0, dense_),
            .singles = between(first, last, dense_.size(), singles_),
            .sparse = between(first, last, dense_.size() + singles_.size(), sparse_)};
}

void RowScores::score_some(Index first, Index last, ConstView x, View scores) const {
    const ConstView weights = x.first(features_);
    const Some part = some(first, last);
    Real* to = scores.data() + first;
    if (features_ == 0) {
        std::fill_n(to, last - first, 0);
    } else {
        score_dense(part.dense, stride_, numbers_, weights, to);
        to += part.dense.size();
        score_dense(part.singles, stride_, numbers_, weights, to);
        to += part.singles.size();
        for (const SparseRow& row : part.sparse) {
            *to++ = kernels::dot_sparse(row.block->indices(row.row), row.block->values(row.row), weights);
        }
    }
    if (x.size() == features_) return;
    for (Real& score : scores.subspan(first, last - first)) score += x[features_];
}

void RowScores::score(ConstView x, View scores, Scratch& scratch) const {
    assert(scores.size() == rows());
    Scratch::Frame frame(scratch);
    const View point = frame.take(x.size());  // on cache lines, which wide loads should not straddle
    copy(x, point);
    const Index parts = chunks();
    parallel_for(parts,
                 [&](Index i) { score_some(rows() * i / parts, rows() * (i + 1) / parts, point, scores); });
}

Real RowScores::evaluate(ConstView scores, View slopes, Scratch& scratch) const {
    assert(scores.size() == rows() && slopes.size() == rows());
    Scratch::Frame frame(scratch);
    const View values = frame.take(rows());
    const Index parts = chunks();
    parallel_for(parts, [&](Index i) {
        const Index first = rows() * i / parts;
        const Index count = rows() * (i + 1) / parts - first;
        const View some_slopes = slopes.subspan(first, count);
        proxstream::evaluate(loss_, scores.subspan(first, count), ConstView(targets_).subspan(first, count),
                             values.subspan(first, count), some_slopes);
        for (Index row = 0; row < count; ++row) some_slopes[row] *= weights_[first + row];
    });
    return dot(weights_, values);
}

void RowScores::add_some(Index first, Index last, ConstView slopes, View gradient) const {
    const View weights = gradient.first(features_);
    const Some part = some(first, last);
    const Real* from = slopes.data() + first;
    fill(gradient, 0);
    if (features_ > 0) {
        add_dense(part.dense, stride_, numbers_, from, weights);
        from += part.dense.size();
        add_dense(part.singles, stride_, numbers_, from, weights);
        from += part.singles.size();
        for (const SparseRow& row : part.sparse) {
            kernels::add_sparse(*from++, row.block->indices(row.row), row.block->values(row.row), weights);
        }
    }
    if (gradient.size() == features_) return;
    for (const Real slope : slopes.subspan(first, last - first)) gradient[features_] += slope;
}

void RowScores::gradient(ConstView slopes, View gradient, Scratch& scratch) const {
    assert(slopes.size() == rows());
    const Index parts = chunks();
    Scratch::Frame frame(scratch);
    const std::span<View> sums = frame.take<View>(parts);
    for (View& each : sums) each = frame.take(gradient.size());
    parallel_for(parts,
                 [&](Index i) { add_some(rows() * i / parts, rows() * (i + 1) / parts, slopes, sums[i]); });
    copy(sums.front(), gradient);
    for (const View& each : sums.subspan(1)) axpy(1, each, gradient);
}

}  // namespace proxstream
