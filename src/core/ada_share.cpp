#include "core/ada_share.hpp"

#include "proxstream/core/state_archive.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

/// Below this every loss has been the same so far and any rate is as good.
constexpr Real kSmallestScale = 1e-300;

}  // namespace

AdaShare::AdaShare(Index choices, Real switches)
    : switches_(switches),
      weights_(choices, 1 / static_cast<Real>(choices)),
      logarithms_(choices, -std::log(static_cast<Real>(choices))) {}

AdaShare::AdaShare(ConstView prior, Real switches) : AdaShare(prior.size(), switches) {
    for (Index k = 0; k < prior.size(); ++k) {
        weights_[k] = prior[k];
        logarithms_[k] = std::log(prior[k]);
    }
}

/// The share falls as 1/(t+1000), so that no horizon has to be known, and 1/eps never falls, which is all the
/// proof needs.
void AdaShare::update(ConstView losses) {
    ++round_;
    share_ = 1 / (static_cast<Real>(round_) + kGracePeriod);
    const Real complexity = (switches_ + 1) * std::log(static_cast<Real>(losses.size()) / share_);  // C
    scale_ = std::max({scale_, mixability_ / complexity, kSmallestScale});
    move(losses);
}

void AdaShare::update(ConstView losses, Real rate, Real share) {
    ++round_;
    share_ = share;
    scale_ = 1 / rate;
    move(losses);
}

void AdaShare::choose(Index choice) {
    std::fill(weights_.begin(), weights_.end(), 0);
    weights_[choice] = 1;
}

void AdaShare::move(ConstView losses) {
    const Real least = *std::min_element(losses.begin(), losses.end());
    Real average = 0;  // <p, l - least>
    Real highest = -kInfinity;
    for (Index k = 0; k < losses.size(); ++k) {
        const Real above = losses[k] - least;
        average += weights_[k] * above;
        if (weights_[k] > 0) logarithms_[k] = std::log(weights_[k]);
        logarithms_[k] -= above / scale_;
        highest = std::max(highest, logarithms_[k]);
    }
    Real total = 0;
    for (const Real each : logarithms_) total += std::exp(each - highest);
    const Real mixed = highest + std::log(total);  // ln sum p exp(-eps (l - least)) = -eps (m - least)
    mixability_ += std::max(Real{0}, average + scale_ * mixed);
    const auto choices = static_cast<Real>(losses.size());
    for (Index k = 0; k < losses.size(); ++k) {
        logarithms_[k] -= mixed;
        weights_[k] = (1 - share_) * std::exp(logarithms_[k]) + share_ / choices;
    }
}

void AdaShare::serialise(StateArchive& archive) {
    archive.fixed("weights", weights_);
    archive.fixed("logarithms", logarithms_);
    archive.fields(Field{"mixability", mixability_}, Field{"scale", scale_}, Field{"share", share_},
                   Field{"round", round_});
}

}  // namespace proxstream
