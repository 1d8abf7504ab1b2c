/// Properties of a regulariser that decide whether the prox of a sum is known (prox/sums.hpp has the rules).
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

/// Properties of a regulariser that decide with which others it can be added. add() and parse_regulariser use
/// them to accept or refuse a sum. A regulariser of your own may offer `SumTraits sum_traits() const`;
/// without it only sums with a linear or a quadratic term are accepted.
///
/// \code
/// const SumTraits traits = sum_traits(L1Norm(0.1));
/// const bool can_be_bounded = traits.separable;  // separable + box has a known prox
/// \endcode
struct SumTraits {
    bool linear = false;            ///< g(x) = c.x: its prox is a shift
    bool separable = false;         ///< a sum of functions of one coordinate each
    bool uniform = false;           ///< separable, with the same function for every coordinate
    bool interval = false;          ///< separable, and each part is the indicator of an interval
    bool homogeneous = false;       ///< g(c x) = c g(x) for c > 0
    bool radial = false;            ///< depends on |x| only
    bool radial_by_blocks = false;  ///< a sum of radial functions of disjoint groups of coordinates
    bool differences = false;  ///< total variation: depends on the order of neighbours and their differences
    bool keeps_order = false;  ///< total variation plus a uniform separable term
    Real curvature = 0;        ///< not 0: g is exactly (curvature / 2) |x|^2
};

/// The traits of a sum of two terms.
SumTraits traits_of_sum(const SumTraits& first, const SumTraits& second);

/// The traits of a positive multiple of a term.
SumTraits traits_when_scaled(SumTraits traits, Real factor);
/// The traits of a term moved to another centre.
SumTraits traits_when_translated(SumTraits traits);
/// The traits of a term on some of the coordinates.
SumTraits traits_when_sliced(SumTraits traits);
/// The traits of a term repeated on blocks.
SumTraits traits_in_blocks(SumTraits traits);

}  // namespace proxstream
