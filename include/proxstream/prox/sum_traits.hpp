/// What decides whether prox_{g+h} can be had from the proxes of g and h (prox/sums.hpp has the rules).
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

struct SumTraits {
    bool linear = false;            // c.x: its prox is a shift
    bool separable = false;         // sum of functions of one coordinate each
    bool uniform = false;           // separable, and the same function for every coordinate
    bool interval = false;          // separable, and each part is the indicator of an interval
    bool homogeneous = false;       // g(c x) = c g(x) for c > 0
    bool radial = false;            // depends on |x| alone
    bool radial_by_blocks = false;  // a sum of radial functions of disjoint groups of coordinates
    bool differences = false;       // total variation: sees the order of neighbours and their gaps
    bool keeps_order = false;       // total variation plus a uniform separable term
    Real curvature = 0;             // g is exactly (curvature / 2) |x|^2
};

/// What is known of a sum of two such terms.
SumTraits traits_of_sum(const SumTraits& first, const SumTraits& second);

/// How traits survive what combinators do to a term.
SumTraits traits_when_scaled(SumTraits traits, Real factor);
SumTraits traits_when_translated(SumTraits traits);
SumTraits traits_when_sliced(SumTraits traits);
SumTraits traits_in_blocks(SumTraits traits);

}  // namespace proxstream
