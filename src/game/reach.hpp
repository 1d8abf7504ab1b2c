/// Bounds on plays within their sets and on gradients, for the constants of costs.
#pragma once

#include "proxstream/prox/regulariser.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

namespace proxstream {

/// A number between two bounds, which may be infinite. 0 times infinity is 0 here: the term is absent.
struct Interval {
    Real low = 0;
    Real high = 0;

    Real radius() const { return (high - low) / 2; }
    Real largest() const { return std::max(std::abs(low), std::abs(high)); }
    bool bounded() const { return std::isfinite(low) && std::isfinite(high); }
};

inline Interval operator+(const Interval& a, const Interval& b) {
    return {a.low + b.low, a.high + b.high};
}

inline Interval operator*(const Interval& a, const Interval& b) {
    const auto times = [](Real x, Real y) { return x == 0 || y == 0 ? 0 : x * y; };
    const Real ll = times(a.low, b.low);
    const Real lh = times(a.low, b.high);
    const Real hl = times(a.high, b.low);
    const Real hh = times(a.high, b.high);
    return {std::min({ll, lh, hl, hh}), std::max({ll, lh, hl, hh})};
}

inline Interval operator*(Real factor, const Interval& a) {
    return Interval{factor, factor} * a;
}

/// a^power, as one function: an even power is not negative.
inline Interval raised(const Interval& a, Index power) {
    if (power == 0) return {1, 1};
    const Real p = static_cast<Real>(power);
    const Interval ends{std::pow(a.low, p), std::pow(a.high, p)};
    if (power % 2 == 1) return ends;
    const Real top = std::max(ends.low, ends.high);
    if (a.low <= 0 && a.high >= 0) return {0, top};
    return {std::min(ends.low, ends.high), top};
}

/// An upper bound, close to sup direction.z over dom g; infinite if there is none. It needs only the prox:
/// the projection p of M e onto the set (e a unit vector, M large) satisfies (M e - p).(z - p) <= 0 for every
/// z in it, that is e.z <= e.p + p.(z - p) / M.
Real support(const AnyRegulariser& g, ConstView direction, Scratch& scratch);

/// The range of direction.z over dom g.
Interval reach(const AnyRegulariser& g, ConstView direction, Scratch& scratch);

/// The range of each coordinate.
std::vector<Interval> coordinate_reach(const AnyRegulariser& g, Index n);

/// D of CostClaims. `gradient` bounds the coordinates of a gradient over all plays, `rivals` the difference
/// of two gradients at one own play. Only components along the affine hull of `own`'s domain count, as in
/// gaps and variations. nullopt: not bounded.
std::optional<Real> variation_bound(const AnyRegulariser& own, std::span<const Interval> gradient,
                                    ConstView rivals);

}  // namespace proxstream
