/// The test of a step e that was found by trying: f(y) <= f(x) + <grad f(x), d> + |d|^2 / (2e), d = y - x.
/// With it a forward-backward step lowers F by m_e at least, (T3).
#pragma once

#include "proxstream/core/linalg.hpp"

#include <cmath>

namespace proxstream {

/// What values of this size may miss a comparison by.
inline Real rounding_slack(Real a, Real b) {
    return 16 * kUnitRoundoff * (std::abs(a) + std::abs(b));
}

/// A move d from x to y: values at both, and what f rises by along d at both, <grad f(x), d> and <grad f(y),
/// d>.
struct Bend {
    Real value = 0;
    Real next_value = 0;
    Real slope = 0;
    Real next_slope = 0;
    Real length_squared = 0;
};

/// Where |d|^2 / (2e) is so small that rounding of the values would decide, gradients do:
/// <grad f(y) - grad f(x), d> <= |d|^2 / e, which for quadratic f, and moves so short, says the same. A value
/// that rises by more than rounding is refused.
inline bool bends_little(const Bend& bend, Real step) {
    constexpr Real kClear = 1e4;
    constexpr Real kNoise = 64;  // less than the referee forgives
    const Real allowed = bend.length_squared / (2 * step);
    const Real slack = rounding_slack(bend.value, bend.next_value);
    const Real above = bend.next_value - (bend.value + bend.slope + allowed);
    if (allowed > kClear * slack || above > kNoise * slack) return above <= 0;
    return bend.next_slope - bend.slope <= 2 * allowed;
}
inline bool bends_little(Real value, ConstView gradient, Real next_value, ConstView next_gradient,
                         ConstView move, Real step) {
    return bends_little({.value = value,
                         .next_value = next_value,
                         .slope = dot(gradient, move),
                         .next_slope = dot(next_gradient, move),
                         .length_squared = squared_norm(move)},
                        step);
}

}  // namespace proxstream
