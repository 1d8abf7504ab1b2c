#include "loss/softmax_family.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/violations.hpp"
#include "loss/softmax.hpp"

namespace proxstream {
namespace {

/// More are taken for a mistake; the length of x cannot overflow.
constexpr Index kMostClasses = Index{1} << 20;

/// The Hessian of the cross-entropy in the scores is diag(p) - p p', of norm 1/2 where two classes share
/// everything, and never more.
constexpr Real kCurvature = 0.5;

}  // namespace

SoftmaxFamily::SoftmaxFamily(Index features, Index classes, bool intercept)
    : features_(features), classes_(classes), intercept_(intercept) {
    Violations violations;
    violations.require(classes >= 2, "softmax needs at least 2 classes");
    violations.require(classes <= kMostClasses, "softmax takes at most {} classes", kMostClasses);
    violations.require(features > 0 || intercept,
                       "a linear model needs at least one feature or an intercept");
    violations.conclude();
}

void SoftmaxFamily::score(const RecordRows& record, Index row, ConstView x, View scores) const {
    for (Index c = 0; c < classes_; ++c) {
        scores[c] = record.dot(row, x.subspan(c * features_, features_));
        if (intercept_) scores[c] += x[penalised() + c];
    }
}

Real SoftmaxFamily::pass(std::span<const RecordRows> records, ConstView x, View gradient,
                         Scratch& scratch) const {
    check_lengths(x, gradient);
    fill(gradient, 0);
    Scratch::Frame frame(scratch);
    const View scores = frame.take(classes_);
    Real total = 0;
    for (const RecordRows& record : records) {
        for (Index row = 0; row < record.rows; ++row) {
            score(record, row, x, scores);
            total += record.share * softmax_loss(scores, record.targets[row], record.share);
            if (gradient.empty()) continue;
            // The scores are slopes now.
            for (Index c = 0; c < classes_; ++c)
                record.add(row, scores[c], gradient.subspan(c * features_, features_));
            if (intercept_) axpy(1, scores, gradient.subspan(penalised()));
        }
    }
    return total;
}

Real SoftmaxFamily::predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const View scores = frame.take(classes_);
    score(rows_of(record, features_), row, x, scores);
    return most_likely(scores);
}

bool SoftmaxFamily::probabilities(const RowBlock& record, Index row, ConstView x, View out,
                                  Scratch& /*scratch*/) const {
    score(rows_of(record, features_), row, x, out);
    softmax(out);
    return true;
}

std::optional<Real> SoftmaxFamily::score_curvature() const {
    return kCurvature;
}

ScoredRows SoftmaxFamily::scored(const RowBlock& rows) const {
    rows_of(rows, features_);  // checks that it fits
    std::vector<Real> scales(rows.rows());
    for (Index row = 0; row < scales.size(); ++row) scales[row] = std::sqrt(rows.weight(row));
    return {rows, features_, intercept_, kCurvature, std::move(scales)};
}

std::optional<Real> SoftmaxFamily::smoothness(const RowBlock& record) const {
    return proxstream::smoothness(scored(record));
}

std::optional<Real> SoftmaxFamily::mean_square_smoothness(const RowBlock& record) const {
    return proxstream::mean_square_smoothness(scored(record));
}

std::optional<DataSmoothness> SoftmaxFamily::data_smoothness(const RowBlock& rows) const {
    return proxstream::data_smoothness(scored(rows));
}

void SoftmaxFamily::start(View x, std::uint64_t /*seed*/) const {
    fill(x, 0);
}

}  // namespace proxstream
