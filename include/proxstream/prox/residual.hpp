/// The prox residual, the measure of stationarity everything here is about:
///   T_eta(x; d) = prox_{eta g}(x - eta d),   P_eta(x; d) = (x - T_eta(x; d)) / eta.
/// P vanishes exactly at the stationary points of f + g when d = grad f(x).
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

struct ProxResidual {
    Real norm = 0;         // |P|
    Real regulariser = 0;  // g(T)
};

/// Throws ConfigError: a step has to be positive and finite.
[[noreturn]] void refuse_step(Real step);

/// Writes T into `forward` and P into `residual`. The residual uses the very step that made the point: a test
/// at another step would not be the test the regret is measured with.
template <Regulariser G>
ProxResidual prox_residual(const G& g, ConstView x, ConstView direction, Real step, View forward,
                           View residual, Scratch& scratch) {
    if (!(step > 0 && step < kInfinity)) refuse_step(step);
    step_along(x, -step, direction, forward);
    ProxResidual result;
    result.regulariser = g.prox(forward, step, forward, scratch);
    result.norm = scaled_difference(1 / step, x, forward, residual);
    return result;
}

}  // namespace proxstream
