/// Projections with one unknown threshold, in linear time and without a random generator:
///   onto {x >= 0, sum x = r}:  out_i = max(v_i - tau, 0)
///   onto {|x|_1 <= r}:         out_i = sign(v_i) max(|v_i| - tau, 0)
/// tau is the zero of the convex piecewise linear f(tau) = sum max(v_i - tau, 0) - r. Because the largest
/// entry ends at no more than r, tau >= max - r. One pass for the maximum (kept per chunk) and one over the
/// chunks that reach max - r leave few candidates. Newton's method from there never oversteps, and each of
/// its steps halves f or halves the number of candidates, so O(n) typically and O(n log(1/eps)) for any
/// input.
///
/// A NaN or infinity in v fills out with NaN. Points that are feasible as far as adding n numbers can tell
/// are returned unchanged. out may alias v.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

namespace proxstream {

/// Both return 0, the value of the indicator at out, or NaN. radius > 0.
Real project_onto_simplex(ConstView v, Real radius, View out, Scratch& scratch);
Real project_onto_l1_ball(ConstView v, Real radius, View out, Scratch& scratch);

/// The level at which clipping takes |v|_1 - sum min(|v_i|, level) = radius away from v: the prox of the
/// L-infinity norm clips there. 0 if |v|_1 <= radius, NaN if v is not finite.
Real l1_ball_level(ConstView v, Real radius, Scratch& scratch);

}  // namespace proxstream
