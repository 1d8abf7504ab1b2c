#include "core/mixture.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/core/state_archive.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Share of the prior that is spread evenly when the rules start anew.
constexpr Real kSpread = 0.05;

/// Regrets below this share of the losses are rounding.
constexpr Real kTie = 1e-12;

/// Weights in proportion to pi R+ / (V + range); the prior pi where no regret is positive.
void weigh(ConstView prior, ConstView sums, ConstView squares, Real range, View weights) {
    Real total = 0;
    for (Index k = 0; k < sums.size(); ++k) {
        weights[k] = sums[k] > 0 ? prior[k] * (sums[k] / (squares[k] + range)) : 0;
        total += weights[k];
    }
    const bool nothing = !(total > 0 && total < kInfinity);
    for (Index k = 0; k < sums.size(); ++k) weights[k] = nothing ? prior[k] : weights[k] / total;
}

std::vector<Real> even(Index members) {
    return std::vector<Real>(members, 1 / static_cast<Real>(members));
}

}  // namespace

PolyWeights::PolyWeights(ConstView prior)
    : prior_(prior.begin(), prior.end()), weights_(prior_), sums_(prior.size()), squares_(prior.size()) {}

void PolyWeights::update(ConstView regrets) {
    const Real largest = max_abs(regrets);
    if (!(largest > 0)) return;
    // The potential is sum eta R+^2, eta = pi/(V + b^2). The term linear in the regrets is 0 but for
    // rounding.
    const Real shrink = largest > range_ ? range_ / largest : 1;
    Real linear = 0;
    for (Index k = 0; k < regrets.size() && range_ > 0; ++k) {
        const Real eta = prior_[k] / (squares_[k] + range_ * range_);
        const Real regret = shrink * regrets[k];
        linear += eta * std::max(sums_[k], Real{0}) * regret;
        growth_ += eta * regret * regret;
    }
    growth_ += 2 * std::abs(linear);
    for (Index k = 0; k < regrets.size(); ++k) {
        const Real regret = shrink * regrets[k];
        sums_[k] += regret;
        squares_[k] += regret * regret;
    }
    range_ = std::max(range_, largest);
    weigh(prior_, sums_, squares_, range_ * range_, weights_);
}

void PolyWeights::leave_out(ConstView regrets) {
    left_out_ += max_abs(regrets);
}

Real PolyWeights::price(Index member) const {
    return std::sqrt(growth_ * (squares_[member] + range_ * range_) / prior_[member]) + range_ + left_out_;
}

void PolyWeights::serialise(StateArchive& archive) {
    archive.fixed("prior", prior_);
    archive.fixed("weights", weights_);
    archive.fixed("sums", sums_);
    archive.fixed("squares", squares_);
    archive.fields(Field{"range", range_}, Field{"growth", growth_}, Field{"left out", left_out_});
}

namespace {

constexpr Real kMemory = 0.999;
constexpr Index kRemembered = 256;  // rounds whose medians are known
constexpr Index kRefresh = 8;       // rounds between two updates of the clip
constexpr Real kQuantile = 0.9;
constexpr Real kClip = 4;  // times that quantile

}  // namespace

ClippedWeights::ClippedWeights(ConstView prior)
    : prior_(prior.begin(), prior.end()),
      weights_(prior_),
      sums_(prior.size()),
      squares_(prior.size()),
      excess_(prior.size()),
      medians_(kRemembered),
      sorted_(kRemembered) {}

void ClippedWeights::update(ConstView losses) {
    const Real least = *std::min_element(losses.begin(), losses.end());
    for (Index k = 0; k < losses.size(); ++k) excess_[k] = losses[k] - least;
    const auto middle = excess_.begin() + static_cast<std::ptrdiff_t>(excess_.size() / 2);
    std::nth_element(excess_.begin(), middle, excess_.end());
    medians_[round_++ % kRemembered] = *middle;
    if ((round_ - 1) % kRefresh == 0) clip_ = clip();

    Real mean = 0;
    for (Index k = 0; k < losses.size(); ++k) {
        excess_[k] = std::min(losses[k] - least, clip_);
        mean += weights_[k] * excess_[k];
    }
    Real largest = 0;
    for (Index k = 0; k < losses.size(); ++k) {
        const Real regret = mean - excess_[k];
        sums_[k] = kMemory * sums_[k] + regret;
        squares_[k] = kMemory * squares_[k] + regret * regret;
        largest = std::max(largest, regret * regret);
    }
    range_ = std::max(kMemory * range_, largest);
    weigh(prior_, sums_, squares_, range_, weights_);
}

Real ClippedWeights::clip() {
    const auto known = static_cast<std::ptrdiff_t>(std::min<Round>(round_, kRemembered));
    std::copy_n(medians_.begin(), known, sorted_.begin());
    const auto place = static_cast<std::ptrdiff_t>(kQuantile * static_cast<Real>(known - 1));
    std::nth_element(sorted_.begin(), sorted_.begin() + place, sorted_.begin() + known);
    const Real usual = sorted_[static_cast<Index>(place)];
    return usual > 0 ? kClip * usual : kInfinity;
}

void ClippedWeights::serialise(StateArchive& archive) {
    archive.fixed("prior", prior_);
    archive.fixed("weights", weights_);
    archive.fixed("sums", sums_);
    archive.fixed("squares", squares_);
    archive.fields(Field{"range", range_}, Field{"clip", clip_});
    archive.fixed("medians", medians_);
    archive.field("round", round_);
}

Mixture::Options Mixture::Options::parse(const Spec& spec) {
    Options options;
    options.switches = spec.number_or(Spec::kByNameOnly, "switches", options.switches);
    if (!(options.switches >= 0 && options.switches <= 1e6))
        throw ConfigError("'" + spec.text() + "': switches must be from 0 to 1e6");
    if (!spec.has("mixers")) return options;
    options.gradients = options.clipped = options.tracking = false;
    bool losses = false;
    for (const std::string& name : split_outside_parentheses(spec.word(Spec::kByNameOnly, "mixers"), '/')) {
        bool& chosen = name == "losses"      ? losses
                       : name == "gradients" ? options.gradients
                       : name == "clipped"   ? options.clipped
                       : name == "tracking"
                           ? options.tracking
                           : throw ConfigError("'" + spec.text() + "': unknown mixer '" + name +
                                               "'; expected losses, gradients, clipped or tracking");
        chosen = true;
    }
    if (!losses)
        throw ConfigError("'" + spec.text() +
                          "': the mixer 'losses' is always one of them: the bound rests on it");
    return options;
}

std::string Mixture::Options::text() const {
    std::string mixers = "losses";
    if (gradients) mixers += "/gradients";
    if (clipped) mixers += "/clipped";
    if (tracking) mixers += "/tracking";
    std::string text = "mean:mixers=" + mixers;
    if (switches != Options{}.switches) text += fmt::format(",switches={}", switches);
    return text;
}

Mixture::Mixture(const Options& options, Index members) : Mixture(options, even(members)) {}

Mixture::Mixture(const Options& options, ConstView prior)
    : options_(options),
      losses_(prior),
      top_(1 + Index{options.gradients} + Index{options.clipped} + Index{options.tracking}, options.switches),
      // Not the sum over the mixers, which rounds: a referee begins with the weights that were reported.
      weights_(prior.begin(), prior.end()),
      regrets_(prior.size()) {
    if (options.gradients) gradients_.emplace(prior);
    if (options.clipped) clipped_.emplace(prior);
    if (options.tracking) tracking_.emplace(prior, options.switches);
}

Mixture Mixture::begun_anew() const {
    std::vector<Real> prior(members());
    Real total = 0;
    for (Index k = 0; k < members(); ++k) {
        prior[k] = (1 - kSpread) * weights_[k] + kSpread / static_cast<Real>(members());
        total += prior[k];
    }
    for (Real& each : prior) each /= total;
    return {options_, prior};
}

ConstView Mixture::mixer(Index j) const {
    assert(j < mixers());
    if (j == 0) return losses_.weights();
    if (gradients_ && j == kGradients) return gradients_->weights();
    if (tracking_ && j == tracking_place()) return tracking_->weights();
    return clipped_->weights();
}

void Mixture::update(const Figures& round) {
    // Plain sums: the same bits on every processor, so that a referee elsewhere finds the same weights.
    Real mean = 0;
    for (Index k = 0; k < members(); ++k) mean += losses_.weights()[k] * round.losses[k];
    for (Index k = 0; k < members(); ++k) regrets_[k] = mean - round.losses[k];
    // If all losses are equal, as in the first rounds, regrets are rounding errors. They must not set the
    // scale.
    if (max_abs(regrets_) > kTie * max_abs(round.losses)) {
        losses_.update(regrets_);
    } else {
        losses_.leave_out(regrets_);
    }
    if (gradients_) gradients_->update(round.slopes);
    if (clipped_) clipped_->update(round.losses);
    if (tracking_) tracking_->update(round.losses);
    top_.update(round.mixer_losses);
    combine();
}

void Mixture::combine() {
    fill(weights_, 0);
    for (Index j = 0; j < mixers(); ++j) {
        const ConstView own = mixer(j);
        for (Index k = 0; k < members(); ++k) weights_[k] += top_.weights()[j] * own[k];
    }
}

void Mixture::serialise(StateArchive& archive) {
    archive.section("losses", losses_);
    if (gradients_) archive.section("gradients", *gradients_);
    if (clipped_) archive.section("clipped", *clipped_);
    if (tracking_) archive.section("tracking", *tracking_);
    archive.section("top", top_);
    archive.fixed("weights", weights_);
}

}  // namespace proxstream
