#include "proxstream/prox/separable.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/simd.hpp"
#include "core/violations.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

Real Zero::value(ConstView, Scratch&) const {
    return 0;
}

Real Zero::prox(ConstView v, Real, View out, Scratch&) const {
    if (out.data() != v.data()) copy(v, out);
    return 0;
}

Real Zero::weighted_prox(ConstView v, ConstView, View out, Scratch& scratch) const {
    return prox(v, 1, out, scratch);
}

SumTraits Zero::sum_traits() const {
    return {.linear = true, .separable = true, .uniform = true, .homogeneous = true};
}

Linear::Linear(Coefficients slope) : slope_(std::move(slope)) {
    Violations violations;
    for (const Real c : slope_.entries()) violations.require(std::isfinite(c), "slope {} must be finite", c);
    violations.conclude();
}

Real Linear::value(ConstView x, Scratch&) const {
    return slope_.visit([&](auto c) { return lane_sum(x.size(), [&](Index i) { return c(i) * x[i]; }); });
}

Real Linear::prox(ConstView v, Real step, View out, Scratch& scratch) const {
    slope_.visit([&](auto c) {
        for (Index i = 0; i < v.size(); ++i) out[i] = v[i] - step * c(i);
    });
    return value(out, scratch);
}

Real Linear::infimum() const {
    const ConstView slopes = slope_.entries();
    return std::all_of(slopes.begin(), slopes.end(), [](Real c) { return c == 0; }) ? 0 : -kInfinity;
}

SumTraits Linear::sum_traits() const {
    return {.linear = true, .separable = true, .uniform = slope_.common_for_all(), .homogeneous = true};
}

L1Norm::L1Norm(Coefficients weights) : weights_(checked_weights(std::move(weights), "weight")) {}

namespace {

template <class Weight>
[[gnu::always_inline]] inline Real l1_sum(const Real* x, Index n, Weight weight) {
    return lane_sum(
        n, [=](Index i) __attribute__((always_inline)) { return weight(i) * std::abs(x[i]); });
}
/// In place: where a result may lie over what it is made of, compilers go number by number.
template <class Weight>
[[gnu::always_inline]] inline void shrink_all(Real* x, Index n, Real step, Weight weight) {
    for (Index i = 0; i < n; ++i) {
        const Real threshold = step * weight(i);
        // x minus its clipped self: exactly 0 inside, and a NaN stays one.
        x[i] -= std::min(std::max(x[i], -threshold), threshold);
    }
}

PROXSTREAM_CLONES Real l1_value(ConstView x, const Coefficients& weights) {
    return weights.visit([&](auto weight)
                             __attribute__((always_inline)) { return l1_sum(x.data(), x.size(), weight); });
}
PROXSTREAM_CLONES Real l1_prox(View x, Real step, const Coefficients& weights) {
    return weights.visit([&](auto weight) __attribute__((always_inline)) {
        shrink_all(x.data(), x.size(), step, weight);
        return l1_sum(x.data(), x.size(), weight);
    });
}

}  // namespace

Real L1Norm::value(ConstView x, Scratch&) const {
    return l1_value(x, weights_);
}

Real L1Norm::prox(ConstView v, Real step, View out, Scratch&) const {
    if (out.data() != v.data()) copy(v, out);
    return l1_prox(out, step, weights_);
}

Real L1Norm::weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const {
    weights_.visit([&](auto weight) {
        for (Index i = 0; i < v.size(); ++i) {
            const Real threshold = steps[i] * weight(i);
            out[i] = v[i] - std::min(std::max(v[i], -threshold), threshold);
        }
    });
    return value(out, scratch);
}

SumTraits L1Norm::sum_traits() const {
    return {.separable = true, .uniform = weights_.common_for_all(), .homogeneous = true};
}

L2Squared::L2Squared(Real weight) : weight_(checked_weights(weight, "weight")[0]) {}

Real L2Squared::value(ConstView x, Scratch&) const {
    return weight_ / 2 * squared_norm(x);
}

Real L2Squared::prox(ConstView v, Real step, View out, Scratch& scratch) const {
    const Real divisor = 1 + step * weight_;
    for (Index i = 0; i < v.size(); ++i) out[i] = v[i] / divisor;
    return value(out, scratch);
}

Real L2Squared::weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const {
    for (Index i = 0; i < v.size(); ++i) out[i] = v[i] / (1 + steps[i] * weight_);
    return value(out, scratch);
}

SumTraits L2Squared::sum_traits() const {
    return {.linear = weight_ == 0, .separable = true, .uniform = true, .radial = true, .curvature = weight_};
}

}  // namespace proxstream
