#include "regret/mixture_bound.hpp"

#include "proxstream/core/error.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Weights computed by the same rules from the same figures agree to this.
constexpr Real kSameMixture = 1e-9;

Real weighted(ConstView weights, ConstView values) {
    Real sum = 0;
    for (Index k = 0; k < weights.size(); ++k) sum += weights[k] * values[k];
    return sum;
}

}  // namespace

MixtureBound::MixtureBound(const Mixture::Options& options, Index members, bool fresh)
    : options_(options),
      fresh_(fresh),
      mixture_(options, members),
      top_(mixture_.mixers()),
      losses_(members),
      slopes_(mixture_.gradients() ? members : 0) {
    if (mixture_.tracking()) tracking_.emplace(members);
}

void MixtureBound::check(const EnsembleRound& ensemble) const {
    const auto refuse = [](const char* key, std::size_t count, std::size_t expected) {
        throw DataError({"round report", 0, 0, std::string("key ") + key}, fmt::format("{} numbers", count),
                        fmt::format("{}", expected));
    };
    if (ensemble.mixer_losses.size() != mixture_.mixers())
        refuse("z", ensemble.mixer_losses.size(), mixture_.mixers());
    if (ensemble.slopes.size() != slopes_.size()) refuse("sl", ensemble.slopes.size(), slopes_.size());
}

/// Takes the first weights as given; the price includes them. The price of switches needs a least share.
void MixtureBound::begin(Round round, const EnsembleRound& ensemble) {
    const Real least = AdaShare::kFirstShare / static_cast<Real>(ensemble.weights.size());
    const bool enough = std::all_of(ensemble.weights.begin(), ensemble.weights.end(),
                                    [=](Real weight) { return weight >= least; });
    if (enough) {
        mixture_ = Mixture(options_, ensemble.weights);
    } else {
        off_rule.note(round);
    }
}

void MixtureBound::add(Round round, const EnsembleRound& ensemble, Real played) {
    check(ensemble);
    if (++rounds_ == 1 && !fresh_) begin(round, ensemble);
    const ConstView expected = mixture_.weights();
    for (Index k = 0; k < expected.size(); ++k) {
        if (std::abs(ensemble.weights[k] - expected[k]) <= kSameMixture) continue;
        off_rule.note(round);
        break;
    }
    shares_.assign(mixture_.top().weights().begin(), mixture_.top().weights().end());
    Real largest = std::abs(played);
    for (Index k = 0; k < losses_.size(); ++k) {
        losses_[k].add(ensemble.losses[k]);
        largest = std::max(largest, std::abs(ensemble.losses[k]));
    }
    for (Index k = 0; k < slopes_.size(); ++k) slopes_[k].add(ensemble.slopes[k]);
    for (const Real loss : ensemble.mixer_losses) largest = std::max(largest, std::abs(loss));
    played_.add(played);
    inner_gaps_.add(ensemble.mixer_losses[0] - weighted(mixture_.losses().weights(), ensemble.losses));
    outer_gaps_.add(played - weighted(shares_, ensemble.mixer_losses));
    if (tracking_) {
        tracked_.assign(mixture_.tracking()->weights().begin(), mixture_.tracking()->weights().end());
        tracked_gaps_.add(ensemble.mixer_losses[mixture_.tracking_place()] -
                          weighted(tracked_, ensemble.losses));
    }
    const Real operations = 16 * static_cast<Real>(losses_.size()) + 64;
    slack_ += operations * (kUnitRoundoff * largest + lost_to_underflow(1));

    mixture_.update({ensemble.losses, ensemble.slopes, ensemble.mixer_losses});
    const AdaShare& top = mixture_.top();
    top_.add(round, {shares_, ensemble.mixer_losses, top.rate(), top.share()});
    if (tracking_) {
        const AdaShare& members = *mixture_.tracking();
        tracking_->add(round, {tracked_, ensemble.losses, members.rate(), members.share()});
    }
}

/// A price is made of sums of as many positive terms as there were rounds, and of roots of squares.
Real MixtureBound::rounding(Real price) const {
    const Real operations = 16 * static_cast<Real>(losses_.size() + 8) * static_cast<Real>(rounds_);
    // A price of 0 is exact, unless it is that of losses so small that their squares underflow.
    const Real lost = price > 0 || slack_ < kTinySlack ? root_lost_to_underflow(1) : 0;
    return operations * (kUnitRoundoff * price + lost);
}

MixtureBound::Side MixtureBound::against_members() const {
    Side found{.left = played_.value(), .right = kInfinity};
    const Real rest = inner_gaps_.value() + outer_gaps_.value() + top_.price(0).value_or(kInfinity);
    for (Index k = 0; k < losses_.size(); ++k) {
        const Real price = mixture_.losses().price(k);
        const Real right = losses_[k].value() + price + rest;
        if (!(right < found.right)) continue;
        found.right = right;
        found.member = k;
        found.best = losses_[k].value();
        found.slack = slack_ + rounding(price) + losses_[k].rounding(2);
    }
    found.slack += top_.slack() + played_.rounding(2) + inner_gaps_.rounding(2) + outer_gaps_.rounding(2);
    return found;
}

std::optional<MixtureBound::Side> MixtureBound::against_slopes() const {
    if (slopes_.empty()) return std::nullopt;
    std::optional<Side> found;
    for (Index k = 0; k < slopes_.size(); ++k) {
        const Real price = mixture_.gradients()->price(k);
        const Side side{.left = slopes_[k].value(),
                        .right = price,
                        .slack = rounding(price) + slopes_[k].rounding(2),
                        .member = k};
        if (!found || side.right - side.left < found->right - found->left) found = side;
    }
    return found;
}

std::optional<MixtureBound::Tracked> MixtureBound::against_sequences() const {
    if (!tracking_) return std::nullopt;
    const auto side = tracking_->tightest();
    if (!side) return std::nullopt;
    Tracked found;
    found.left = played_.value();
    found.best = side->best;
    found.switches = side->switches;
    found.right = side->best + side->price + tracked_gaps_.value() + outer_gaps_.value() +
                  top_.price(0).value_or(kInfinity);
    found.slack = slack_ + tracking_->slack() + top_.slack() + played_.rounding(2) +
                  tracked_gaps_.rounding(2) + outer_gaps_.rounding(2);
    return found;
}

}  // namespace proxstream
