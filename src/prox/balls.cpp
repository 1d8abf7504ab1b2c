#include "proxstream/prox/balls.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/coefficients.hpp"

#include "core/simd.hpp"
#include "not_finite.hpp"
#include "prox/simplex_projection.hpp"

#include <cmath>

namespace proxstream {
namespace {

Real ball_indicator(Real size, Real radius) {
    if (std::isnan(size)) return size;
    return size <= radius * (1 + kFeasibility) ? 0 : kInfinity;
}

}  // namespace

L1Ball::L1Ball(Real radius) : radius_(checked_radius(radius)) {}

Real L1Ball::value(ConstView x, Scratch&) const {
    return ball_indicator(lane_sum(x.size(), [&](Index i) { return std::abs(x[i]); }), radius_);
}

Real L1Ball::prox(ConstView v, Real, View out, Scratch& scratch) const {
    return project_onto_l1_ball(v, radius_, out, scratch);
}

L2Ball::L2Ball(Real radius) : radius_(checked_radius(radius)) {}

Real L2Ball::value(ConstView x, Scratch&) const {
    return ball_indicator(norm(x), radius_);
}

Real L2Ball::prox(ConstView v, Real, View out, Scratch&) const {
    const Real size = norm(v);
    if (!std::isfinite(size)) return refuse_not_finite(out);
    // A point scaled onto the sphere may miss it by a few ulps; it must not move again.
    constexpr Real kRounding = 8 * kUnitRoundoff;
    if (size > radius_ * (1 + kRounding)) {
        scaled(radius_ / size, v, out);
    } else if (out.data() != v.data()) {
        copy(v, out);
    }
    return 0;
}

SumTraits L2Ball::sum_traits() const {
    return {.radial = true, .radial_by_blocks = true};
}

}  // namespace proxstream
