#include "proxstream/prox/box.hpp"

#include "core/simd.hpp"
#include "core/violations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proxstream {
namespace {

Real finite_size(Real bound) {
    return std::isfinite(bound) ? std::abs(bound) : 0;
}

}  // namespace

Box::Box(Coefficients lo, Coefficients hi) : lo_(std::move(lo)), hi_(std::move(hi)) {
    Violations violations;
    const Index lows = lo_.entries().size();
    const Index highs = hi_.entries().size();
    violations.require(lo_.common_for_all() || hi_.common_for_all() || lows == highs,
                       "{} lower bounds do not fit {} upper bounds", lows, highs);
    violations.conclude();
    const Index entries = std::max(lo_.common_for_all() ? 1 : lows, hi_.common_for_all() ? 1 : highs);
    for (Index i = 0; i < entries; ++i) {
        violations.require(lo_[i] <= hi_[i], "the box is empty at {}: lo = {} must not exceed hi = {}", i,
                           lo_[i], hi_[i]);
        violations.require(lo_[i] < kInfinity, "lo[{}] = {} must be below infinity", i, lo_[i]);
        violations.require(hi_[i] > -kInfinity, "hi[{}] = {} must be above -infinity", i, hi_[i]);
    }
    violations.conclude();
}

Box Box::linf_ball(Real radius) {
    checked_radius(radius);
    return {-radius, radius};
}

Real Box::value(ConstView x, Scratch&) const {
    bool inside = true;
    bool comparable = true;
    lo_.visit([&](auto lo) {
        hi_.visit([&](auto hi) {
            for (Index i = 0; i < x.size(); ++i) {
                const Real size = std::max(finite_size(lo(i)), finite_size(hi(i)));
                const Real slack = kFeasibility * (size > 0 ? size : 1);
                inside = inside && x[i] >= lo(i) - slack && x[i] <= hi(i) + slack;
                comparable = comparable && !std::isnan(x[i]);
            }
        });
    });
    if (!comparable) return std::numeric_limits<Real>::quiet_NaN();
    return inside ? 0 : kInfinity;
}

Real Box::prox(ConstView v, Real, View out, Scratch&) const {
    return lo_.visit([&](auto lo) {
        return hi_.visit([&](auto hi) {
            // In this order std::max and std::min pass a NaN on.
            for (Index i = 0; i < v.size(); ++i) out[i] = std::min(std::max(v[i], lo(i)), hi(i));
            return lane_sum(out.size(), [&](Index i) { return 0 * out[i]; });
        });
    });
}

void Box::check_dimension(Index n) const {
    lo_.check_size(n, "lower bounds");
    hi_.check_size(n, "upper bounds");
}

SumTraits Box::sum_traits() const {
    const auto cone_bound = [](Real bound) { return bound == 0 || std::isinf(bound); };
    const ConstView lows = lo_.entries();
    const ConstView highs = hi_.entries();
    return {.separable = true,
            .uniform = lo_.common_for_all() && hi_.common_for_all(),
            .interval = true,
            .homogeneous = std::all_of(lows.begin(), lows.end(), cone_bound) &&
                           std::all_of(highs.begin(), highs.end(), cone_bound)};
}

}  // namespace proxstream
