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

/// Where |d|^2 / (2e) is so small that rounding of the values would decide, gradients do:
/// <grad f(y) - grad f(x), d> <= |d|^2 / e, which for quadratic f, and moves so short, says the same.
inline bool bends_little(Real value, ConstView gradient, Real next_value, ConstView next_gradient,
                         ConstView move, Real step) {
    constexpr Real kClear = 1e4;
    const Real allowed = squared_norm(move) / (2 * step);
    const Real slack = rounding_slack(value, next_value);
    const Real slope = dot(gradient, move);
    if (allowed > kClear * slack) return next_value <= value + slope + allowed;
    return dot(next_gradient, move) - slope <= 2 * allowed;
}

}  // namespace proxstream
