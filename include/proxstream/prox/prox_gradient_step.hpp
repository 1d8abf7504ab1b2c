/// The prox-gradient mapping P, whose norm is the stationarity gap, the measure of stationarity used
/// everywhere:
///
///   T_eta(x; d) = prox_{eta g}(x - eta d),   P_eta(x; d) = (x - T_eta(x; d)) / eta.
///
/// P is zero exactly at the stationary points of f + g if d = grad f(x).
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// The stationarity gap |P| at a point, and g at the point after the prox-gradient step. prox_gradient_step
/// returns it.
///
/// \code
/// const ProxStep at_x = prox_gradient_step(Simplex(), x, gradient, 0.1, {forward, mapping}, scratch);
/// const bool stationary = at_x.norm < 1e-6;
/// \endcode
struct ProxStep {
    Real norm = 0;         ///< |P_eta(x; d)|, the stationarity gap
    Real regulariser = 0;  ///< g(T_eta(x; d))
};

/// Where prox_gradient_step writes to: two vectors as long as the point. They must not overlap with it.
///
/// \code
/// std::vector<Real> forward(x.size()), mapping(x.size());
/// prox_gradient_step(Simplex(), x, gradient, 0.1, {forward, mapping}, scratch);
/// \endcode
struct ProxStepViews {
    View forward;  ///< gets T_eta(x; d)
    View mapping;  ///< gets P_eta(x; d)
};

/// Throws ConfigError: a step must be positive and finite.
[[noreturn]] void refuse_step(Real step);

/// Takes a prox-gradient step. P is computed with the same step that made T, because a gap at another step is
/// not the one the regret is measured with.
template <Regulariser G>
ProxStep prox_gradient_step(const G& g, ConstView x, ConstView direction, Real step, const ProxStepViews& to,
                            Scratch& scratch) {
    if (!(step > 0 && step < kInfinity)) refuse_step(step);
    step_along(x, -step, direction, to.forward);
    ProxStep result;
    result.regulariser = g.prox(to.forward, step, to.forward, scratch);
    result.norm = scaled_difference(1 / step, x, to.forward, to.mapping);
    return result;
}

}  // namespace proxstream
