#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/prox/simplex.hpp"

#include "game/built_in_games.hpp"
#include "game/game_arguments.hpp"
#include "game/reach.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

Real softplus(Real z) {
    return std::max<Real>(z, 0) + std::log1p(std::exp(-std::abs(z)));
}

void check(const FeatureSituations& all) {
    if (all.labels.empty() || all.points.empty() || all.points.size() % all.labels.size() != 0 ||
        all.hidden == 0)
        throw ConfigError(fmt::format("{} numbers do not make {} situations, or there are no features",
                                      all.points.size(), all.labels.size()));
    const bool signs =
        std::all_of(all.labels.begin(), all.labels.end(), [](Real y) { return y == 1 || y == -1; });
    if (!signs || !all_finite(all.points))
        throw ConfigError("labels are 1 or -1, and situations finite numbers");
}

ConstView situation(const FeatureSituations& all, Index k) {
    return ConstView(all.points).subspan(k * all.inputs(), all.inputs());
}

/// The loss of situation k. Adds scale times its gradient, unless that is empty.
Real add_gradient(const FeatureSituations& all, Index k, ConstView weights, Real scale, View gradient) {
    const Index inputs = all.inputs();
    const ConstView s = situation(all, k);
    const ConstView v = weights.subspan(all.hidden * inputs);
    const auto feature = [&](Index j) { return std::tanh(dot(weights.subspan(j * inputs, inputs), s)); };
    Real score = 0;
    for (Index j = 0; j < all.hidden; ++j) score += v[j] * feature(j);
    const Real margin = all.labels[k] * score;
    if (!gradient.empty()) {
        const Real slope = -scale * all.labels[k] / (1 + std::exp(margin));
        for (Index j = 0; j < all.hidden; ++j) {
            const Real h = feature(j);
            gradient[all.hidden * inputs + j] += slope * h;
            axpy(slope * v[j] * (1 - h * h), s, gradient.subspan(j * inputs, inputs));
        }
    }
    return softplus(-margin);
}

/// The largest |v_j| of the learner's set; infinite where it is not bounded.
std::vector<Real> largest_outputs(const FeatureSituations& all, const AnyRegulariser& set) {
    const std::vector<Interval> reach = coordinate_reach(set, all.weights());
    std::vector<Real> largest;
    for (Index j = all.hidden * all.inputs(); j < reach.size(); ++j) largest.push_back(reach[j].largest());
    return largest;
}

/// A record is p, how often each situation comes up.
class FeatureLearnerCost final : public LinearRecordCost {
  public:
    /// With |v_j| <= V_j: |grad score|^2 <= sum_j (1 + V_j^2 |s|^2). The score's Hessian has a block for each
    /// feature, of norm at most |s| + max|tanh''| V_j |s|^2, max|tanh''| = 4 / (3 sqrt(3)). The loss of a
    /// score has slopes in [-1, 0] and curvature in [0, 1/4].
    FeatureLearnerCost(const FeatureSituations& situations, const AnyRegulariser& set)
        : LinearRecordCost(situations.weights(), situations.labels.size()), situations_(situations) {
        const std::vector<Real> outputs = largest_outputs(situations_, set);
        if (!all_finite(outputs)) return;
        const Real bend = 4 / (3 * std::sqrt(3.0));
        Real smoothness = 0;
        Real steepest = 0;
        for (Index k = 0; k < record_size(); ++k) {
            const Real size = norm(situation(situations_, k));
            const Real squared_slope =
                static_cast<Real>(situations_.hidden) + squared_norm(outputs) * size * size;
            const Real hessian = size + bend * max_abs(outputs) * size * size;
            smoothness = std::max(smoothness, hessian + squared_slope / 4);
            steepest = std::max(steepest, std::sqrt(squared_slope));
        }
        claims_ = {.smoothness = smoothness, .variation = 2 * steepest};
    }

    void condense(ConstView joint, View record, Scratch& /*scratch*/) const override {
        copy(joint.subspan(dimension()), record);
    }

  protected:
    Real evaluate(ConstView shares, Real /*mass*/, ConstView own, View gradient,
                  Scratch& /*scratch*/) const override {
        Real total = 0;
        for (Index k = 0; k < shares.size(); ++k) {
            if (shares[k] != 0) total += shares[k] * add_gradient(situations_, k, own, shares[k], gradient);
        }
        return total;
    }

  private:
    FeatureSituations situations_;
};

/// A record is the loss of each situation.
class FeatureAdversaryCost final : public LinearRecordCost {
  public:
    FeatureAdversaryCost(const FeatureSituations& situations, const AnyRegulariser& learner)
        : LinearRecordCost(situations.labels.size(), situations.labels.size()), situations_(situations) {
        claims_ = {.smoothness = 0, .variation = {}, .convex = true};
        Real score = 0;
        for (const Real each : largest_outputs(situations_, learner)) score += each;
        if (!std::isfinite(score)) return;
        const Interval loss{softplus(-score), softplus(score)};
        claims_.variation = variation_bound(AnyRegulariser(Simplex()), std::vector(dimension(), -1 * loss),
                                            std::vector<Real>(dimension(), 2 * loss.radius()));
    }

    void condense(ConstView joint, View record, Scratch& /*scratch*/) const override {
        for (Index k = 0; k < record.size(); ++k)
            record[k] = add_gradient(situations_, k, joint.first(situations_.weights()), 0, {});
    }

  protected:
    Real evaluate(ConstView losses, Real /*mass*/, ConstView own, View gradient,
                  Scratch& /*scratch*/) const override {
        if (!gradient.empty()) scaled(-1, losses, gradient);
        return -dot(own, losses);
    }

  private:
    FeatureSituations situations_;
};

}  // namespace

GameDefinition make_features_game(std::string name, const FeatureSituations& situations,
                                  const std::string& set, std::vector<Real> weights,
                                  std::vector<Real> shares) {
    check(situations);
    const AnyRegulariser g = parse_regulariser(set);
    GameDefinition game{.name = std::move(name), .players = {}};
    game.players.push_back(
        {"learner", std::make_shared<FeatureLearnerCost>(situations, g), g, set, std::move(weights)});
    game.players.push_back({"adversary", std::make_shared<FeatureAdversaryCost>(situations, g),
                            AnyRegulariser(Simplex()), "simplex", std::move(shares)});
    check(game);
    return game;
}

GameDefinition make_features(const Spec& spec) {
    const Index count = count_within(spec, "situations", 12, 2, 10000);
    const Index inputs = count_within(spec, "inputs", 2, 1, 100);
    FeatureSituations situations{
        .points = {}, .labels = {}, .hidden = count_within(spec, "hidden", 4, 1, 100)};
    const std::string set = set_argument(spec, "box:-3,3");
    DrawSequence draws(spec.count_or("seed", 1));
    situations.points = draws.normals(count * inputs);
    for (Index k = 0; k < count; ++k) {
        const Real* point = &situations.points[k * inputs];
        situations.labels.push_back(point[0] * (inputs > 1 ? point[1] : 1) >= 0 ? 1 : -1);
    }
    std::vector<Real> weights =
        nearest_play(parse_regulariser(set), draws.normals(situations.weights(), 0.5));
    // Uneven shares: near weights 0 all losses are equal, so every distribution is stationary for the
    // adversary.
    std::vector<Real> shares(count);
    Real total = 0;
    for (Real& share : shares) total += share = draws.uniform(0, 1);
    scaled(1 / total, shares, shares);
    return make_features_game(spec.text(), situations, set, std::move(weights), std::move(shares));
}

}  // namespace proxstream
