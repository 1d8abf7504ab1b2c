/// The few names every room speaks: numbers, sizes and views of flat vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace proxstream {

using Real = double;
using Index = std::size_t;
using Round = std::uint64_t;  // t, counted from 1

using View = std::span<Real>;
using ConstView = std::span<const Real>;

inline constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
inline constexpr Real kUnitRoundoff = std::numeric_limits<Real>::epsilon() / 2;

/// Beyond this a figure given by a user can only be a mistake: squares of it still have room.
inline constexpr Real kAbsurd = 1e150;

/// Points closer than this to a set, relative to the set's own scale, count as members: a projection
/// lands on the boundary only up to rounding, and value(prox(v)) must not be infinite.
inline constexpr Real kFeasibility = 1e-9;

}  // namespace proxstream
