#include "game/features_game.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/prox/simplex.hpp"

#include "game_arguments.hpp"
#include "reach.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

Real softplus(Real z) {
    return std::max<Real>(z, 0) + std::log1p(std::exp(-std::abs(z)));
}

/// The largest |v_j| of the learner's set; infinite where it is not bounded.
std::vector<Real> largest_outputs(const FeatureTask& task, const AnyRegulariser& set) {
    const std::vector<Interval> reach = coordinate_reach(set, task.weights());
    std::vector<Real> largest;
    for (Index j = task.hidden() * task.inputs(); j < reach.size(); ++j)
        largest.push_back(reach[j].largest());
    return largest;
}

}  // namespace

FeatureTask::FeatureTask(std::vector<Real> situations, std::vector<Real> labels, Index hidden)
    : points_(std::move(situations)), labels_(std::move(labels)), hidden_(hidden) {
    if (labels_.empty() || points_.empty() || points_.size() % labels_.size() != 0 || hidden_ == 0) {
        throw ConfigError(fmt::format("{} numbers do not make {} situations, or there are no features",
                                      points_.size(), labels_.size()));
    }
    inputs_ = points_.size() / labels_.size();
    const bool signs = std::all_of(labels_.begin(), labels_.end(), [](Real y) { return y == 1 || y == -1; });
    if (!signs || !all_finite(points_))
        throw ConfigError("labels are 1 or -1, and situations finite numbers");
}

Real FeatureTask::loss(Index k, ConstView weights) const {
    return add_gradient(k, weights, 0, {});
}

Real FeatureTask::add_gradient(Index k, ConstView weights, Real scale, View gradient) const {
    const ConstView s = situation(k);
    const ConstView v = weights.subspan(hidden_ * inputs_);
    const auto feature = [&](Index j) { return std::tanh(dot(weights.subspan(j * inputs_, inputs_), s)); };
    Real score = 0;
    for (Index j = 0; j < hidden_; ++j) score += v[j] * feature(j);
    const Real margin = labels_[k] * score;
    if (!gradient.empty()) {
        const Real slope = -scale * labels_[k] / (1 + std::exp(margin));
        for (Index j = 0; j < hidden_; ++j) {
            const Real h = feature(j);
            gradient[hidden_ * inputs_ + j] += slope * h;
            axpy(slope * v[j] * (1 - h * h), s, gradient.subspan(j * inputs_, inputs_));
        }
    }
    return softplus(-margin);
}

/// With |v_j| <= V_j: |grad score|^2 <= sum_j (1 + V_j^2 |s|^2). The score's Hessian has a block a feature,
/// of norm at most |s| + max|tanh''| V_j |s|^2, max|tanh''| = 4 / (3 sqrt(3)). The loss of a score has slopes
/// in [-1, 0] and curvature in [0, 1/4].
FeatureLearnerCost::FeatureLearnerCost(std::shared_ptr<const FeatureTask> task, const AnyRegulariser& set)
    : task_(std::move(task)) {
    const std::vector<Real> outputs = largest_outputs(*task_, set);
    if (!all_finite(outputs)) return;
    const Real bend = 4 / (3 * std::sqrt(3.0));
    Real smoothness = 0;
    Real steepest = 0;
    for (Index k = 0; k < task_->situations(); ++k) {
        const Real size = norm(task_->situation(k));
        const Real squared_slope = static_cast<Real>(task_->hidden()) + squared_norm(outputs) * size * size;
        const Real hessian = size + bend * max_abs(outputs) * size * size;
        smoothness = std::max(smoothness, hessian + squared_slope / 4);
        steepest = std::max(steepest, std::sqrt(squared_slope));
    }
    smoothness_ = smoothness;
    variation_ = 2 * steepest;
}

void FeatureLearnerCost::condense(ConstView joint, View record, Scratch& /*scratch*/) const {
    copy(joint.subspan(dimension()), record);
}

Real FeatureLearnerCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                                  View gradient, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const View shares = frame.take(task_->situations());
    fill(shares, 0);
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] != 0) axpy(weights[age], records[age], shares);
    }
    fill(gradient, 0);
    Real total = 0;
    for (Index k = 0; k < shares.size(); ++k) {
        if (shares[k] != 0) total += shares[k] * task_->add_gradient(k, own, shares[k], gradient);
    }
    return total;
}

FeatureAdversaryCost::FeatureAdversaryCost(std::shared_ptr<const FeatureTask> task,
                                           const AnyRegulariser& learner)
    : task_(std::move(task)) {
    Real score = 0;
    for (const Real each : largest_outputs(*task_, learner)) score += each;
    if (!std::isfinite(score)) return;
    const Interval loss{softplus(-score), softplus(score)};
    variation_ = variation_bound(AnyRegulariser(Simplex()), std::vector(dimension(), -1 * loss),
                                 std::vector<Real>(dimension(), 2 * loss.radius()));
}

void FeatureAdversaryCost::condense(ConstView joint, View record, Scratch& /*scratch*/) const {
    for (Index k = 0; k < record.size(); ++k) record[k] = task_->loss(k, joint.first(task_->weights()));
}

Real FeatureAdversaryCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                                    View gradient, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const View slope = gradient.empty() ? frame.take(own.size()) : gradient;
    fill(slope, 0);
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] != 0) axpy(-weights[age], records[age], slope);
    }
    return dot(own, slope);
}

GameDefinition make_features(const Spec& spec) {
    const Index situations = count_within(spec, "situations", 12, 2, 10000);
    const Index inputs = count_within(spec, "inputs", 2, 1, 100);
    const Index hidden = count_within(spec, "hidden", 4, 1, 100);
    const std::string set_text = set_argument(spec, "box:-3,3");
    DrawSequence draws(spec.count_or("seed", 1));
    std::vector<Real> points = draws.normals(situations * inputs);
    std::vector<Real> labels;
    for (Index k = 0; k < situations; ++k) {
        const Real product = points[k * inputs] * (inputs > 1 ? points[k * inputs + 1] : 1);
        labels.push_back(product >= 0 ? 1 : -1);
    }
    auto task = std::make_shared<const FeatureTask>(std::move(points), std::move(labels), hidden);
    const AnyRegulariser set = parse_regulariser(set_text);
    std::vector<Real> weights = nearest_play(set, draws.normals(task->weights(), 0.5));
    // Not even shares: with all losses alike, as at weights near 0, an adversary is at rest anywhere.
    std::vector<Real> shares(situations);
    Real total = 0;
    for (Real& share : shares) total += share = draws.uniform(0, 1);
    scaled(1 / total, shares, shares);
    GameDefinition game{.name = spec.text(), .players = {}};
    game.players.push_back(
        {"learner", std::make_shared<FeatureLearnerCost>(task, set), set, set_text, std::move(weights)});
    game.players.push_back({"adversary", std::make_shared<FeatureAdversaryCost>(task, set),
                            AnyRegulariser(Simplex()), "simplex", std::move(shares)});
    check(game);
    return game;
}

}  // namespace proxstream
