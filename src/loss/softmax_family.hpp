/// Linear models of several classes: f(x) = mean over the record's rows of the cross-entropy of the softmax
/// of k scores a.x_c + b_c. Convex.
#pragma once

#include "loss/row_batch.hpp"
#include "loss/score_smoothness.hpp"

#include <optional>
#include <span>

namespace proxstream {

/// x holds the weights of the first class, of the second, ..., then all intercepts.
class SoftmaxFamily final : public StoredFamily<SoftmaxFamily> {
  public:
    /// Throws ConfigError if there are fewer than two classes, or x would be empty or absurdly long.
    SoftmaxFamily(Index features, Index classes, bool intercept);

    Index features() const override { return features_; }
    Index dimension() const override { return classes_ * (features_ + (intercept_ ? 1 : 0)); }
    Index penalised() const override { return classes_ * features_; }
    TargetKind target_kind() const override { return TargetKind::category; }
    Index classes() const override { return classes_; }
    Real predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const override;
    bool has_probabilities() const override { return true; }
    bool probabilities(const RowBlock& record, Index row, ConstView x, View out,
                       Scratch& scratch) const override;
    std::optional<Real> smoothness(const RowBlock& record) const override;
    std::optional<Real> mean_square_smoothness(const RowBlock& record) const override;
    std::optional<DataSmoothness> data_smoothness(const RowBlock& rows) const override;
    Real infimum() const override { return 0; }
    /// Zeros.
    void start(View x, std::uint64_t seed) const override;

    Real pass(std::span<const RecordRows> records, ConstView x, View gradient,
              Scratch& scratch) const override;
    Index work(Index /*rows*/, Index stored) const override { return classes_ * stored; }
    std::optional<Real> score_curvature() const override;

  private:
    /// The scores of a row, a class each.
    void score(const RecordRows& record, Index row, ConstView x, View scores) const;
    ScoredRows scored(const RowBlock& rows) const;

    Index features_;
    Index classes_;
    bool intercept_;
};

}  // namespace proxstream
