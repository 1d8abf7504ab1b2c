#include "proxstream/prox/norms.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/coefficients.hpp"

#include "not_finite.hpp"
#include "prox/simplex_projection.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

Real shrink_norm(ConstView v, Real threshold, View out) {
    const Real size = norm(v);
    if (size <= threshold) {
        fill(out, 0);
        return 0;
    }
    if (!std::isfinite(size)) return refuse_not_finite(out);
    scaled((size - threshold) / size, v, out);
    return size - threshold;
}

L2Norm::L2Norm(Real weight) : weight_(checked_weights(weight, "weight")[0]) {}

Real L2Norm::value(ConstView x, Scratch&) const {
    return weight_ * norm(x);
}

Real L2Norm::prox(ConstView v, Real step, View out, Scratch&) const {
    return weight_ * shrink_norm(v, step * weight_, out);
}

SumTraits L2Norm::sum_traits() const {
    return {.homogeneous = true, .radial = true, .radial_by_blocks = true};
}

LInfinityNorm::LInfinityNorm(Real weight) : weight_(checked_weights(weight, "weight")[0]) {}

Real LInfinityNorm::value(ConstView x, Scratch&) const {
    return weight_ * max_abs(x);
}

Real LInfinityNorm::prox(ConstView v, Real step, View out, Scratch& scratch) const {
    const Real budget = step * weight_;
    if (budget > 0) {
        const Real level = l1_ball_level(v, budget, scratch);
        for (Index i = 0; i < v.size(); ++i) {
            out[i] = std::isnan(level) ? level : std::min(std::max(v[i], -level), level);
        }
    } else if (out.data() != v.data()) {
        copy(v, out);
    }
    return value(out, scratch);
}

SumTraits LInfinityNorm::sum_traits() const {
    return {.homogeneous = true};
}

}  // namespace proxstream
