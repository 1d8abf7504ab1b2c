/// Points of {lo <= x <= hi, sum x = total} on a path x(tau) along which no coordinate rises. The sum is a
/// decreasing, piecewise linear function of tau. Its zero is found by Newton's method inside a bracket that
/// is halved whenever Newton does not do it. Cost O(n) a pass: a handful of passes usually, never more than a
/// bisection takes to run out of doubles. Between neighbouring doubles the two points are mixed, so the sum
/// is right to rounding however large v is.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/prox/coefficients.hpp"
#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// Whether a sum over n numbers of total size `size` is as close to `total` as adding them up can tell.
bool sum_reached(Real sum, Real total, Real size, Index n);

/// out = clip(v - tau): the projection of v. False if the total was not reached. v is finite and not empty;
/// out may alias it.
bool project_onto_section(ConstView v, Real total, const Coefficients& lo, const Coefficients& hi, View out);

/// The same with the penalty strength |x - centre|_1 added to |v - x|^2 / 2. Given the multiplier tau of the
/// sum, the minimiser in each coordinate is the clipped centre. It is clipped to what the plain projections
/// of v - tau - strength and v - tau + strength leave.
bool switch_on_section(ConstView v, const Pull& pull, Real total, const Coefficients& lo,
                       const Coefficients& hi, View out);

}  // namespace proxstream
