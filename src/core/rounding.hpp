/// Rounding rules that certificates of runs and of fits share (docs/certificate.md, Rounding).
#pragma once

#include "proxstream/core/types.hpp"

#include <cmath>
#include <limits>

namespace proxstream {

/// A slack of at most this part of what it is compared with is small: two sides that agree within it hold up
/// to rounding. A larger one leaves open whether the inequality holds.
inline constexpr Real kSmallSlack = 1e-6;

/// Relative rounding of a figure made of sums of so many terms, with room for the constants in front.
inline Real relative_rounding(Index terms) {
    return (0x1p10 + 4 * static_cast<Real>(terms)) * kUnitRoundoff;
}

/// A slack below this can only leave open figures whose squares underflow.
inline constexpr Real kTinySlack = 1e-140;

/// What underflow takes from a sum of so many products at most: each loses less than the smallest normal
/// number, with room for 2^53 of its size.
inline Real lost_to_underflow(Index terms) {
    return static_cast<Real>(terms) * std::numeric_limits<Real>::min();
}

/// The same of the root of a sum of squares.
inline Real root_lost_to_underflow(Index terms) {
    return std::sqrt(lost_to_underflow(terms));
}

}  // namespace proxstream
