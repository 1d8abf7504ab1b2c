/// How far plays reach within their sets, and what that says of gradients: where a cost's constants come
/// from.
#pragma once

#include "proxstream/prox/regulariser.hpp"

#include "interval.hpp"

#include <optional>
#include <span>
#include <vector>

namespace proxstream {

/// sup of direction.z over dom g, or a little more; infinite where it is not bounded. Found by asking the
/// prox, so it is there for every set: p, the projection of M e onto the set (e a unit vector, M large), has
/// (M e - p).(z - p) <= 0 for every z of it, that is e.z <= e.p + p.(z - p) / M.
Real support(const AnyRegulariser& g, ConstView direction, Scratch& scratch);

/// Of direction.z over dom g.
Interval reach(const AnyRegulariser& g, ConstView direction, Scratch& scratch);

/// Of each coordinate.
std::vector<Interval> coordinate_reach(const AnyRegulariser& g, Index n);

/// D of PlayerCost: `gradient` says where a gradient's coordinates lie, whatever anybody plays, `rivals` how
/// far rivals can move each (a difference of two gradients lies within +-`rivals`). What is orthogonal to the
/// affine hull of `own`'s domain does not count: residuals do not see it, and variations are measured
/// without it. Nullopt: not bounded.
std::optional<Real> variation_bound(const AnyRegulariser& own, std::span<const Interval> gradient,
                                    ConstView rivals);

}  // namespace proxstream
