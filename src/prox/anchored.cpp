#include "prox/anchored.hpp"

#include "core/simd.hpp"
#include "core/violations.hpp"

#include <cmath>

namespace proxstream {

Real checked_switching(Real kappa, bool supported) {
    Violations violations;
    violations.require(std::isfinite(kappa) && kappa >= 0, "switching = {} must be finite and at least 0",
                       kappa);
    violations.require(
        supported,
        "this regulariser cannot carry a switching penalty: the prox of g + kappa |x - centre|_1 is known "
        "for zero, linear, l1, nonneg-l1, l2sq, elastic, box, nonneg, linfball, simplex, capped-simplex, for "
        "sums of them that decompose, and for blocks, scale, shift and slice of them");
    violations.conclude();
    return kappa;
}

Real checked_proximal(Real mu) {
    require(std::isfinite(mu) && mu >= 0, "proximal = {} must be finite and at least 0", mu);
    return mu;
}

void check_centre_fits(Index centre_size, Index n) {
    require(centre_size == n,
            "the centre of the penalty on moves has {} entries, but there are {} coordinates", centre_size,
            n);
}

Real anchor_penalty(const AnchorWeights& weights, ConstView x, ConstView centre) {
    Real penalty = 0;
    if (weights.kappa > 0)
        penalty += weights.kappa * lane_sum(x.size(), [&](Index i) { return std::abs(x[i] - centre[i]); });
    if (weights.mu > 0) {
        penalty += weights.mu / 2 * lane_sum(x.size(), [&](Index i) {
                       const Real away = x[i] - centre[i];
                       return away * away;
                   });
    }
    return penalty;
}

void move_towards(ConstView v, ConstView centre, Real share, View out) {
    for (Index i = 0; i < v.size(); ++i) out[i] = v[i] + share * (centre[i] - v[i]);
}

}  // namespace proxstream
