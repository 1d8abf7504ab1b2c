#include "regret/tracking_bound.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// Weights computed by the same rule from the same losses agree to this.
constexpr Real kSameWeight = 1e-9;

}  // namespace

TrackingBound::TrackingBound(Index members)
    : members_(members),
      losses_(members),
      expected_(members, 1 / static_cast<Real>(members)),
      logarithms_(members, -std::log(static_cast<Real>(members))),
      best_(members * (kMostSwitches + 1)) {}

void TrackingBound::add(Round round, const Step& step) {
    bool finite = true;
    Real largest = 0;
    for (Index k = 0; k < members_; ++k) {
        losses_[k] = step.losses[k];
        finite = finite && std::isfinite(losses_[k]);
        largest = std::max(largest, std::abs(losses_[k]));
    }
    if (!finite) {
        outside.note(round);
        expected_.clear();
        return;
    }
    check_weights(round, step);
    const Real sums = static_cast<Real>(members_);
    Real mean = 0;
    for (Index k = 0; k < members_; ++k) mean += step.weights[k] * losses_[k];
    weighted_.add(mean);
    slack_ += (8 * sums + 16) * (kUnitRoundoff * largest + lost_to_underflow(1));
    add_best();
    if (!(step.rate > 0)) {
        unrated.note(round);
        expected_.clear();
        return;
    }
    const Real inverse_rate = 1 / step.rate;
    if (inverse_rates_ == 0) {
        inverse_rates_ = inverse_rate;
    } else if (inverse_rate != inverse_rate_) {
        constant_rate_ = false;
        inverse_rates_ += std::max(inverse_rate - inverse_rate_, Real{0});
        if (inverse_rate < inverse_rate_ * (1 - kSameWeight)) rising.note(round);
    }
    inverse_rate_ = inverse_rate;
    smallest_share_ = std::min(smallest_share_, step.share);
    leak_.add(-std::log1p(-step.share) * inverse_rate);
    gap_.add(mix(step));
    // Sums over the members and a logarithm of at most 1e3 in size, divided by eps.
    slack_ += (4 * sums + 1024) * kUnitRoundoff * inverse_rate;
}

/// <p, l> - m, and the weights that follow. Losses count from their least and weights by their logarithms, so
/// that nothing overflows and a weight too small for a double is not forgotten. Where losses hardly differ,
/// differences of exponentials are taken as such.
Real TrackingBound::mix(const Step& step) {
    const Real low = *std::min_element(losses_.begin(), losses_.end());
    Real mass = 0, mean = 0, excess = 0, highest = -kInfinity;
    for (Index k = 0; k < members_; ++k) {
        const Real p = step.weights[k];
        const Real above = losses_[k] - low;
        mass += p;
        mean += p * above;
        excess += p * std::expm1(-step.rate * above);
        if (p > 0) logarithms_[k] = std::log(p);
        logarithms_[k] -= step.rate * above;
        highest = std::max(highest, logarithms_[k]);
    }
    Real total = 0;
    for (const Real each : logarithms_) total += std::exp(each - highest);
    const Real lost = (mass - 1) + excess;
    const Real mixed = lost > -0.5 ? std::log1p(lost) : highest + std::log(total);
    const Real count = static_cast<Real>(members_);
    expected_.resize(members_);
    for (Index k = 0; k < members_; ++k) {
        const Real weight = std::exp(logarithms_[k] - highest) / total;
        expected_[k] = (1 - step.share) * weight + step.share / count;
        logarithms_[k] -= highest + std::log(total);
    }
    return (mass - 1) * low + mean + mixed / step.rate;
}

void TrackingBound::check_weights(Round round, const Step& step) {
    if (expected_.empty()) return;
    const bool first = !std::exchange(started_, true);
    if (first && step.share > 0) {
        // An ensemble may start from restored weights: the price of switches needs a least share only.
        const Real least = step.share / static_cast<Real>(members_) - kSameWeight;
        Real mass = 0;
        for (const Real weight : step.weights) mass += weight >= least ? weight : kInfinity;
        if (!(std::abs(mass - 1) <= kSameWeight)) off_rule.note(round);
        return;
    }
    for (Index k = 0; k < members_; ++k) {
        if (!(std::abs(step.weights[k] - expected_[k]) <= kSameWeight)) {
            off_rule.note(round);
            return;
        }
    }
}

void TrackingBound::add_best() {
    for (Index s = kMostSwitches + 1; s-- > 0;) {
        const auto row = best_.begin() + static_cast<std::ptrdiff_t>(s * members_);
        if (s > 0) {
            const auto fewer = row - static_cast<std::ptrdiff_t>(members_);
            const CompensatedSum least = *std::min_element(
                fewer, row,
                [](const CompensatedSum& a, const CompensatedSum& b) { return a.value() < b.value(); });
            for (Index k = 0; k < members_; ++k) {
                CompensatedSum& ending = row[static_cast<std::ptrdiff_t>(k)];
                if (least.value() < ending.value()) ending = least;
            }
        }
        for (Index k = 0; k < members_; ++k) row[static_cast<std::ptrdiff_t>(k)].add(losses_[k]);
    }
}

Real TrackingBound::best(Index switches) const {
    Real least = kInfinity;
    for (Index k = 0; k < members_; ++k) least = std::min(least, best_[switches * members_ + k].value());
    return least;
}

std::optional<Real> TrackingBound::price(Index switches) const {
    const Real count = static_cast<Real>(members_);
    const Real rest = leak_.value() + gap_.value();
    // Without a share a weight may vanish, and only the start bounds ln 1/p.
    if (smallest_share_ == 0) {
        if (switches > 0 || !constant_rate_) return std::nullopt;
        return std::log(count) * inverse_rates_ + rest;
    }
    const Real segments = static_cast<Real>(switches + 1);
    return segments * std::log(count / smallest_share_) * inverse_rates_ + rest;
}

std::optional<TrackingBound::Side> TrackingBound::tightest() const {
    std::optional<Side> result;
    for (Index s = 0; s <= kMostSwitches; ++s) {
        const std::optional<Real> added = price(s);
        if (!added) continue;
        const Side side{s, best(s), *added};
        if (!result || side.best + side.price < result->best + result->price) result = side;
    }
    return result;
}

Real TrackingBound::slack() const {
    Real sums = 0;
    for (const CompensatedSum& each : best_) sums = std::max(sums, each.rounding(2));
    return slack_ + sums + weighted_.rounding(2) + gap_.rounding(2) + leak_.rounding(4);
}

}  // namespace proxstream
