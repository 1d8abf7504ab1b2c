#include "box_section.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/simd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// Enough for Newton and bisection taking turns over the whole range of doubles; a total out of reach ends
/// here.
constexpr int kMostPasses = 4200;

Real clip(Real v, Real lo, Real hi) {
    return std::min(std::max(v, lo), hi);
}

/// x_i = clip(v_i - tau).
template <class Lo, class Hi>
struct PlainPath {
    ConstView v;
    Lo lo;
    Hi hi;

    Real at(Index i, Real tau) const { return clip(v[i] - tau, lo(i), hi(i)); }
    /// Whether x_i moves with tau.
    bool free(Index i, Real tau) const { return v[i] - tau > lo(i) && v[i] - tau < hi(i); }
    /// Right of here x_i is held by its lower bound at most, left of there by its upper one.
    Real last_hold(Index i) const { return v[i] - hi(i); }
    Real first_hold(Index i) const { return v[i] - lo(i); }
};

/// x_i = the centre, clipped to [clip(v_i - tau - pull), clip(v_i - tau + pull)].
template <class Lo, class Hi>
struct PulledPath {
    ConstView v;
    Lo lo;
    Hi hi;
    ConstView centre;
    Real pull;

    Real at(Index i, Real tau) const {
        const Real u = v[i] - tau;
        return clip(centre[i], clip(u - pull, lo(i), hi(i)), clip(u + pull, lo(i), hi(i)));
    }
    bool free(Index i, Real tau) const {
        const Real x = at(i, tau);
        return x > lo(i) && x < hi(i) && x != centre[i];
    }
    Real last_hold(Index i) const { return v[i] + pull - std::min(centre[i], hi(i)); }
    Real first_hold(Index i) const { return v[i] - pull - std::max(centre[i], lo(i)); }
};

/// The sum of x(tau), and how many coordinates move with tau.
struct Section {
    Real total = 0;
    Real size = 0;  // sum of |x_i|: what the rounding of the total is relative to
    Index free = 0;
};

template <class Path>
Section section(const Path& path, Real tau) {
    Section result;
    const Index n = path.v.size();
    result.total = lane_sum(n, [&](Index i) { return path.at(i, tau); });
    result.size = lane_sum(n, [&](Index i) { return std::abs(path.at(i, tau)); });
    for (Index i = 0; i < n; ++i) result.free += path.free(i, tau) ? 1 : 0;
    return result;
}

/// tau, or two neighbouring candidates with the total between theirs.
struct Threshold {
    Real low = 0;
    Real high = 0;
    bool found = false;
};

/// Where to continue if no coordinate moves with tau.
struct Holds {
    Real last = -kInfinity;
    Real first = kInfinity;
};

template <class Path>
Holds holds_of(const Path& path) {
    Holds holds;
    for (Index i = 0; i < path.v.size(); ++i) {
        holds.last = std::max(holds.last, path.last_hold(i));
        holds.first = std::min(holds.first, path.first_hold(i));
    }
    return holds;
}

/// An interval that contains tau.
struct Bracket {
    Real low = -kInfinity;  // the total is too large here
    Real high = kInfinity;  // and too small here
    Real width = kInfinity;

    bool finite() const { return std::isfinite(low) && std::isfinite(high); }
    bool contains(Real tau) const { return tau > low && tau < high; }
    /// Moves the end of the sign of `excess` to tau. False if that left more than half of the interval.
    bool narrow(Real tau, Real excess) {
        (excess > 0 ? low : high) = tau;
        const bool halved = !finite() || high - low <= width / 2;
        width = high - low;
        return halved;
    }
};

template <class Path>
Threshold threshold(const Path& path, Real total) {
    const Index size = path.v.size();
    const Real n = static_cast<Real>(size);
    const Holds holds = holds_of(path);
    Real tau = (sum(path.v) - total) / n;
    if (!std::isfinite(tau)) tau = 0;
    Bracket bracket;
    for (int pass = 0; pass < kMostPasses; ++pass) {
        const Section here = section(path, tau);
        if (sum_reached(here.total, total, here.size, size)) return {tau, tau, true};
        const Real excess = here.total - total;
        const bool halved = bracket.narrow(tau, excess);
        const Real newton = tau + excess / static_cast<Real>(here.free);  // infinite if nothing is free
        if (halved && bracket.contains(newton)) {
            tau = newton;
        } else if (bracket.finite()) {
            tau = bracket.low + (bracket.high - bracket.low) / 2;
            if (!bracket.contains(tau)) return {bracket.low, bracket.high, true};
        } else {
            tau = (excess > 0 ? std::max(holds.last, tau) : std::min(holds.first, tau)) + excess / n;
            // A tau so large that it swallowed the step.
            if (tau == bracket.low || tau == bracket.high)
                tau = std::nextafter(tau, excess > 0 ? kInfinity : -kInfinity);
        }
    }
    return {tau, tau, false};
}

template <class Path>
bool meet(const Path& path, Real total, View out) {
    const Threshold tau = threshold(path, total);
    // Between neighbouring doubles the total is met by mixing their two points, from the nearer one.
    Real share = 0;
    Real near = tau.low;
    Real far = tau.high;
    if (tau.low < tau.high) {
        const Real above = section(path, tau.low).total;
        const Real below = section(path, tau.high).total;
        if (above - total > total - below) std::swap(near, far);
        share = std::min(above - total, total - below) / (above - below);
    }
    for (Index i = 0; i < out.size(); ++i) {
        const Real from = path.at(i, near);
        const Real to = path.at(i, far);
        out[i] = clip(from + share * (to - from), path.lo(i), path.hi(i));
    }
    return tau.found;
}

}  // namespace

bool sum_reached(Real sum, Real total, Real size, Index n) {
    // What adding n numbers in eight lanes can tell.
    const Real rounding = (8 + std::sqrt(static_cast<Real>(n)) / 16) * 2 * kUnitRoundoff;
    return std::abs(sum - total) <= rounding * (size + std::abs(total)) / 2;
}

bool project_onto_section(ConstView v, Real total, const Coefficients& lo, const Coefficients& hi, View out) {
    return lo.visit([&](auto low) {
        return hi.visit([&](auto high) {
            return meet(PlainPath<decltype(low), decltype(high)>{v, low, high}, total, out);
        });
    });
}

bool switch_on_section(ConstView v, const Pull& pull, Real total, const Coefficients& lo,
                       const Coefficients& hi, View out) {
    return lo.visit([&](auto low) {
        return hi.visit([&](auto high) {
            return meet(PulledPath<decltype(low), decltype(high)>{v, low, high, pull.centre, pull.strength},
                        total, out);
        });
    });
}

}  // namespace proxstream
