#include "front/first_step.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace proxstream {
namespace {

constexpr Index kProbes = 8;
constexpr Index kClimb = 4;        // probes in a row that follow the change of the one before
constexpr Real kRadius = 1e-4;     // of a probe, in multiples of the size of x
constexpr Real kNoChange = 1e-10;  // of the gradient: less is rounding

}  // namespace

std::optional<Real> local_smoothness(const AnyBatch& batch, const AnyRegulariser& g, ConstView x) {
    const Index n = x.size();
    Scratch scratch;
    std::vector<Real> gradient(n), there(n), moved(n), direction(n);
    const Real loss = batch.value_and_gradient(0, x, gradient, scratch);
    const Real size = norm(gradient);
    if (!(std::abs(loss) <= kAbsurd) || !(size <= kAbsurd)) return std::nullopt;
    const Real radius = kRadius * std::max(Real{1}, norm(x));
    Real steepest = 0;
    for (Index k = 0; k < kProbes; ++k) {
        // Power iterations: the change of one probe is the direction of the next.
        if (k % kClimb == 0 || !(norm(direction) > 0)) {
            for (Index i = 0; i < n; ++i) {
                direction[i] = k == 0 ? -gradient[i] : normal({.round = k, .sample = i});
            }
        }
        const Real length = norm(direction);
        if (!(length > 0)) continue;
        step_along(x, radius / length, direction, moved);
        fill(direction, 0);
        g.prox(moved, radius * radius, moved, scratch);
        const Real way = distance(moved, x);
        if (!(way > 0)) continue;
        const Real value = batch.value_and_gradient(0, moved, there, scratch);
        if (!std::isfinite(value) || !all_finite(there)) continue;
        subtract(there, gradient, direction);
        g.project_direction(direction);
        const Real change = norm(direction);
        if (change > kNoChange * size && change / way <= kAbsurd) steepest = std::max(steepest, change / way);
    }
    return steepest;
}

}  // namespace proxstream
