/// A matrix game with learned features: one player chooses the weights of a small feature map to tell
/// situations apart, the other how often each comes up.
///   score_k = sum_j v_j tanh(w_j.s_k),   loss_k = log(1 + exp(-y_k score_k))
/// The learner pays sum_k p_k loss_k(w, v), which is not convex in its weights; the adversary gets it. What a
/// learner remembers of the other's play is p, and the adversary the losses: its window is linear.
#pragma once

#include "proxstream/core/spec.hpp"

#include "game/game.hpp"

#include <memory>
#include <vector>

namespace proxstream {

class FeatureTask {
  public:
    /// Situations row after row, labels 1 or -1. Throws ConfigError.
    FeatureTask(std::vector<Real> situations, std::vector<Real> labels, Index hidden);

    Index situations() const noexcept { return labels_.size(); }
    Index inputs() const noexcept { return inputs_; }
    Index hidden() const noexcept { return hidden_; }
    Index weights() const noexcept { return hidden_ * (inputs_ + 1); }  // w_1, .., w_h, then v
    ConstView situation(Index k) const { return ConstView(points_).subspan(k * inputs_, inputs_); }
    Real label(Index k) const { return labels_[k]; }

    Real loss(Index k, ConstView weights) const;
    /// Adds scale times the gradient, unless it is empty; returns the loss.
    Real add_gradient(Index k, ConstView weights, Real scale, View gradient) const;

  private:
    std::vector<Real> points_, labels_;
    Index inputs_ = 0;
    Index hidden_;
};

/// The learner is player 0.
class FeatureLearnerCost final : public PlayerCost {
  public:
    /// `set` is the learner's own, for the constants.
    FeatureLearnerCost(std::shared_ptr<const FeatureTask> task, const AnyRegulariser& set);

    Index dimension() const override { return task_->weights(); }
    Index record_size() const override { return task_->situations(); }
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;
    std::optional<Real> smoothness() const override { return smoothness_; }
    std::optional<Real> variation() const override { return variation_; }

  private:
    std::shared_ptr<const FeatureTask> task_;
    std::optional<Real> smoothness_, variation_;
};

/// The adversary, player 1, on a simplex.
class FeatureAdversaryCost final : public PlayerCost {
  public:
    FeatureAdversaryCost(std::shared_ptr<const FeatureTask> task, const AnyRegulariser& learner);

    Index dimension() const override { return task_->situations(); }
    Index record_size() const override { return task_->situations(); }
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;
    std::optional<Real> smoothness() const override { return 0; }
    std::optional<Real> variation() const override { return variation_; }
    bool convex() const override { return true; }

  private:
    std::shared_ptr<const FeatureTask> task_;
    std::optional<Real> variation_;
};

/// `features[:situations=12,inputs=2,hidden=4,set=(box:-3,3),seed=1]`: random points whose label is the sign
/// of the product of their first two coordinates, which no linear map tells apart.
GameDefinition make_features(const Spec& spec);

}  // namespace proxstream
