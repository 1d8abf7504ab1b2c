// A regulariser of your own. It is any copyable type with two const methods:
//   value(x)            g(x), +infinity where x is not allowed;
//   prox(v, step, out)  writes the z that minimises step g(z) + |v - z|^2 / 2, and returns g(z); out may be
//   v.
// This one is a dead zone: a coordinate may move freely within [-free, free]; what goes beyond costs.
#include "proxstream/loss/function_family.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/time_smoothed.hpp"
#include "solve/backtracking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using namespace proxstream;

namespace {

/// g(x) = price * sum max(0, |x_i| - free).
struct DeadZone {
    Real free;
    Real price;

    Real value(ConstView x, Scratch& /*scratch*/) const {
        Real total = 0;
        for (const Real coordinate : x) total += std::max(Real{0}, std::abs(coordinate) - free);
        return price * total;
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        for (Index i = 0; i < v.size(); ++i) {
            const Real size = std::abs(v[i]);
            // Inside: nothing to pay. Just outside: back to the edge. Far outside: the price pulls.
            const Real kept = size <= free ? size : std::max(free, size - step * price);
            out[i] = std::copysign(kept, v[i]);
        }
        return value(out, scratch);
    }
    // Optional: check_dimension(n), project_direction(d), infimum(). inf g is 0 here, which is the default.
};
static_assert(Regulariser<DeadZone>);

/// f(x) = sum log(1 + (x_i - target_i)^2) / 2: robust tracking, not convex, |f''| <= 1.
FunctionFamily::Record track(std::vector<Real> target) {
    return [target = std::move(target)](ConstView x, View gradient) {
        Real total = 0;
        for (Index i = 0; i < x.size(); ++i) {
            const Real r = x[i] - target[i];
            total += std::log1p(r * r) / 2;
            if (!gradient.empty()) gradient[i] = r / (1 + r * r);
        }
        return total;
    };
}

}  // namespace

int main() {
    constexpr Index kWindow = 8;
    const DeadZone g{.free = 1, .price = 0.2};
    // step <= 1/L = 1, so the reference step could be used as it is (ProxGrad{1}); backtracking finds longer
    // ones.
    TimeSmoothed learner(
        g, make_batch(FunctionFamily(3), kWindow + 1), std::vector<Real>(3, 0),
        TimeSmoothedOptions{
            .window = kWindow, .step = 1, .tolerance = Tolerance::fixed(1e-8), .budget = {.max_steps = 1000}},
        Backtracking{});
    Real worst_exit = 0;
    for (Round t = 1; t <= 200; ++t) {
        const Real wobble = 0.1 * std::sin(static_cast<Real>(t));
        // The first target lies inside the zone, the second a little outside, the third far outside.
        worst_exit = std::max(worst_exit,
                              learner.observe(track({0.5 + wobble, 1.1 + wobble, 3 + wobble})).exit_residual);
    }
    const ConstView x = learner.decide();
    std::printf("inside the zone: %.4f (free), at its edge: %.17g, beyond: %.4f (pulled back from about 3)\n",
                x[0], x[1], x[2]);
    std::printf("largest exit residual %.1e\n", worst_exit);

    // Stationarity is exact where it matters: the second coordinate is 1, not 0.9999 or 1.0001.
    const bool as_expected = std::abs(x[0] - 0.5) < 0.1 && x[1] == 1 && x[2] > 2.5 && x[2] < 3;
    return as_expected && worst_exit <= 1e-8 / kWindow ? EXIT_SUCCESS : EXIT_FAILURE;
}
