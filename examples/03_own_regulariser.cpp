// Your own regulariser: any copyable type with two const methods:
//   value(x)            g(x), +infinity where x is not allowed;
//   prox(v, step, out)  writes the minimiser z of step g(z) + |v - z|^2 / 2 and returns g(z); v and out may
//                       be the same.
// This one is a dead zone: a coordinate is free within [-free, free], and beyond it pays a price.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <proxstream/proxstream.hpp>

namespace ps = proxstream;

namespace {

/// g(x) = price * sum max(0, |x_i| - free).
struct DeadZone {
    double free;
    double price;

    double value(ps::ConstView x) const {
        double total = 0;
        for (const double coordinate : x) total += std::max(0.0, std::abs(coordinate) - free);
        return price * total;
    }
    double prox(ps::ConstView v, double step, ps::View out) const {
        for (ps::Index i = 0; i < v.size(); ++i) {
            const double size = std::abs(v[i]);
            // Inside: no change. Just outside: back to the edge. Far outside: the price pulls inwards.
            const double kept = size <= free ? size : std::max(free, size - step * price);
            out[i] = std::copysign(kept, v[i]);
        }
        return value(out);
    }
    // Optional: check_dimension(n), project_direction(d), infimum(). inf g is 0 here, which is the default.
};

}  // namespace

int main() {
    ps::OnlineLearner learner(
        {.dimension = 3, .regulariser = DeadZone{.free = 1, .price = 0.2}, .window = 8, .tolerance = 1e-8});
    double worst_exit = 0;
    for (int t = 1; t <= 200; ++t) {
        const double wobble = 0.1 * std::sin(t);
        // The first target lies inside the zone, the second a little outside, the third far outside. The loss
        // is stored as long as the window reaches back, so it captures the target by value.
        const std::array<double, 3> target{0.5 + wobble, 1.1 + wobble, 3 + wobble};
        const ps::RoundReport& report = learner.observe([target](ps::ConstView x, ps::View gradient) {
            double total = 0;
            for (ps::Index i = 0; i < x.size(); ++i) {
                const double r = x[i] - target[i];
                total += std::log1p(r * r) / 2;
                gradient[i] = r / (1 + r * r);
            }
            return total;
        });
        worst_exit = std::max(worst_exit, report.exit_gap);
    }
    const ps::ConstView x = learner.decision();
    std::printf("inside the zone: %.4f (free), at its edge: %.17g, beyond: %.4f (pulled back from about 3)\n",
                x[0], x[1], x[2]);
    std::printf("largest stationarity gap at the end of a round: %.1e\n", worst_exit);

    // A prox lands exactly on kinks: the second coordinate is 1, not 0.9999 or 1.0001.
    const bool as_expected = std::abs(x[0] - 0.5) < 0.1 && x[1] == 1 && x[2] > 2.5 && x[2] < 3;
    return as_expected && worst_exit <= 1e-8 / 8 && learner.certificate().sound() ? EXIT_SUCCESS
                                                                                  : EXIT_FAILURE;
}
