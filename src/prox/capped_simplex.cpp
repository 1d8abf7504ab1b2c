#include "proxstream/prox/capped_simplex.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/simd.hpp"
#include "proxstream/prox/simplex.hpp"

#include "not_finite.hpp"
#include "violations.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

/// Enough for Newton and bisection taking turns over the whole range of doubles; a total out of reach ends
/// here.
constexpr int kMostPasses = 4200;

Real clip(Real v, Real lo, Real hi) {
    return std::min(std::max(v, lo), hi);
}

}  // namespace

CappedSimplex::CappedSimplex(Real total, Coefficients lo, Coefficients hi)
    : total_(total), lo_(lo), hi_(hi), box_(std::move(lo), std::move(hi)) {
    Violations violations;
    violations.require(std::isfinite(total), "sum = {} must be finite", total);
    violations.raise();
    if (!lo_.common_for_all()) check_dimension(lo_.entries().size());
    if (!hi_.common_for_all()) check_dimension(hi_.entries().size());
}

void CappedSimplex::check_dimension(Index n) const {
    box_.check_dimension(n);
    const Real least = lane_sum(n, [&](Index i) { return lo_[i]; });
    const Real most = lane_sum(n, [&](Index i) { return hi_[i]; });
    const Real slack = kFeasibility * std::abs(total_);
    Violations violations;
    violations.require(least <= total_ + slack && total_ <= most + slack,
                       "sum = {} cannot be reached: {} coordinates within their bounds add up to [{}, {}]",
                       total_, n, least, most);
    violations.raise();
}

Real CappedSimplex::value(ConstView x, Scratch& scratch) const {
    const Real boxed = box_.value(x, scratch);
    if (boxed != 0) return boxed;
    return std::abs(sum(x) - total_) <= kFeasibility * (std::abs(total_) + max_abs(x)) ? 0 : kInfinity;
}

CappedSimplex::Section CappedSimplex::section(ConstView v, Real tau) const {
    Section result;
    lo_.visit([&](auto lo) {
        hi_.visit([&](auto hi) {
            const auto clipped = [&](Index i) { return clip(v[i] - tau, lo(i), hi(i)); };
            result.total = lane_sum(v.size(), clipped);
            result.size = lane_sum(v.size(), [&](Index i) { return std::abs(clipped(i)); });
            for (Index i = 0; i < v.size(); ++i) {
                result.free += v[i] - tau > lo(i) && v[i] - tau < hi(i) ? 1 : 0;
            }
        });
    });
    return result;
}

bool CappedSimplex::reached(const Section& section, Index n) const {
    // What adding n numbers in eight lanes can tell.
    const Real rounding = (8 + std::sqrt(static_cast<Real>(n)) / 16) * 2 * kUnitRoundoff;
    return std::abs(section.total - total_) <= rounding * (section.size + std::abs(total_)) / 2;
}

CappedSimplex::Threshold CappedSimplex::threshold(ConstView v) const {
    const Real n = static_cast<Real>(v.size());
    // Right of `last_cap` nothing is held at its upper bound, left of `first_floor` nothing at its lower one:
    // where to go when every coordinate is stuck.
    Real last_cap = -kInfinity;
    Real first_floor = kInfinity;
    for (Index i = 0; i < v.size(); ++i) {
        last_cap = std::max(last_cap, v[i] - hi_[i]);
        first_floor = std::min(first_floor, v[i] - lo_[i]);
    }
    Real tau = (sum(v) - total_) / n;
    if (!std::isfinite(tau)) tau = 0;
    Real low = -kInfinity;  // here the total is too large
    Real high = kInfinity;  // and here too small
    Real width = kInfinity;
    for (int pass = 0; pass < kMostPasses; ++pass) {
        const Section here = section(v, tau);
        if (reached(here, v.size())) return {tau, tau, true};
        const Real excess = here.total - total_;
        (excess > 0 ? low : high) = tau;
        const bool bracketed = std::isfinite(low) && std::isfinite(high);
        const bool halved = !bracketed || high - low <= width / 2;
        width = high - low;
        const Real newton = tau + excess / static_cast<Real>(here.free);  // infinite if nothing is free
        if (halved && newton > low && newton < high) {
            tau = newton;
        } else if (bracketed) {
            tau = low + (high - low) / 2;
            if (!(tau > low && tau < high)) return {low, high, true};
        } else {
            tau = (excess > 0 ? std::max(last_cap, tau) : std::min(first_floor, tau)) + excess / n;
        }
    }
    return {tau, tau, false};
}

Real CappedSimplex::prox(ConstView v, Real, View out, Scratch& scratch) const {
    if (!all_finite(v)) return refuse_not_finite(out);
    if (v.empty()) return value(v, scratch);
    bool inside = reached(section(v, 0), v.size());
    for (Index i = 0; inside && i < v.size(); ++i) inside = v[i] >= lo_[i] && v[i] <= hi_[i];
    if (inside) {
        if (out.data() != v.data()) copy(v, out);
        return 0;
    }
    const Threshold tau = threshold(v);
    // Between neighbouring doubles the total is met by mixing their two points.
    Real share = 0;
    if (tau.low < tau.high) {
        const Real above = section(v, tau.low).total;
        const Real below = section(v, tau.high).total;
        share = (above - total_) / (above - below);
    }
    for (Index i = 0; i < v.size(); ++i) {
        const Real from = clip(v[i] - tau.low, lo_[i], hi_[i]);
        const Real to = clip(v[i] - tau.high, lo_[i], hi_[i]);
        out[i] = clip(from + share * (to - from), lo_[i], hi_[i]);
    }
    return tau.found ? 0 : value(out, scratch);
}

void CappedSimplex::project_direction(View d) const {
    remove_mean(d);
}

}  // namespace proxstream
