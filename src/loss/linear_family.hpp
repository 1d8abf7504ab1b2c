/// Linear models: f(x) = mean over the record's rows of phi(a.x + b; y), with phi one of the scalar losses.
/// The intercept b, where there is one, is the last coordinate of x.
#pragma once

#include "loss/row_batch.hpp"
#include "loss/scalar_loss.hpp"
#include "loss/score_smoothness.hpp"

#include <optional>
#include <span>

namespace proxstream {

class LinearFamily final : public StoredFamily<LinearFamily> {
  public:
    /// Throws ConfigError if the scale is not positive and finite, or x would be empty.
    LinearFamily(ScalarLoss loss, Index features, bool intercept);

    Index features() const override { return features_; }
    const ScalarLoss& loss() const noexcept { return loss_; }

    Index dimension() const override { return features_ + (intercept_ ? 1 : 0); }
    Index penalised() const override { return features_; }
    TargetKind target_kind() const override { return proxstream::target_kind(loss_.formula); }
    Real predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const override;
    bool has_probabilities() const override { return proxstream::has_probabilities(loss_.formula); }
    bool probabilities(const RowBlock& record, Index row, ConstView x, View out,
                       Scratch& scratch) const override;
    /// See score_smoothness.hpp.
    std::optional<Real> smoothness(const RowBlock& record) const override;
    std::optional<Real> mean_square_smoothness(const RowBlock& record) const override;
    std::optional<DataSmoothness> data_smoothness(const RowBlock& rows) const override;
    Real infimum() const override { return proxstream::infimum(loss_); }
    /// Zeros; 1/sqrt(n) everywhere for the negative square, which is stationary at 0.
    void start(View x, std::uint64_t seed) const override;

    /// One pass over weighted records (see PassFamily). Each row is read once; terms are added row by row in
    /// the order given, so bits depend on that order alone.
    Real pass(std::span<const RecordRows> records, ConstView x, View gradient,
              Scratch& scratch) const override;
    bool add_curvature(const RecordRows& record, View matrix) const override;
    std::optional<ScalarLoss> of_scores() const override { return loss_; }
    std::optional<Real> score_curvature() const override { return curvature_bound(loss_); }

  private:
    /// A row's curvature is scaled by the length of its label where losses are of margins.
    ScoredRows scored(const RowBlock& rows) const;

    ScalarLoss loss_;
    Index features_;
    bool intercept_;
};

}  // namespace proxstream
