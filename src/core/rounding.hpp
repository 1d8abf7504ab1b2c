/// Rounding rules that certificates of runs and of fits share (docs/certificate.md, Rounding).
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

/// A slack of at most this part of what it is compared with is small: two sides that agree within it hold up
/// to rounding. A larger one leaves open whether the inequality holds.
inline constexpr Real kSmallSlack = 1e-6;

/// Relative rounding of a figure made of sums of so many terms, with room for the constants in front.
inline Real relative_rounding(Index terms) {
    return (0x1p10 + 4 * static_cast<Real>(terms)) * kUnitRoundoff;
}

}  // namespace proxstream
