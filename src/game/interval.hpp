/// Numbers of which only bounds are known. Infinite bounds are allowed; 0 times infinity is 0 here, because
/// what is multiplied by nothing plays no part.
#pragma once

#include "proxstream/core/types.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

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

}  // namespace proxstream
