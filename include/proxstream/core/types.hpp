/// Number, size and view types that every other header uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

/// Everything in the library. Start with OnlineLearner (decide, observe the loss, certify), or see the main
/// page.
namespace proxstream {

/// The floating-point type of every computation.
using Real = double;
/// Sizes, and positions counted from 0.
using Index = std::size_t;
using Round = std::uint64_t;  ///< t, the number of a round, counted from 1

/// A vector that the function may write to; it does not own its memory.
using View = std::span<Real>;
/// A vector that the function only reads; it does not own its memory.
using ConstView = std::span<const Real>;

/// Positive infinity: the value of an indicator outside its set.
inline constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
/// The largest relative error of one rounded operation, 2^-53.
inline constexpr Real kUnitRoundoff = std::numeric_limits<Real>::epsilon() / 2;

/// Largest magnitude accepted for a number given by a user. Larger ones are taken for mistakes; the square of
/// this one does not overflow.
inline constexpr Real kAbsurd = 1e150;

/// Points closer than this to a set, relative to the set's own scale, count as members. A projection lands on
/// the boundary only up to rounding, and value(prox(v)) must not be infinite.
inline constexpr Real kFeasibility = 1e-9;

}  // namespace proxstream
