#include "core/student.hpp"

#include <cmath>
#include <numbers>

namespace proxstream {
namespace {

/// P(T <= t) - 1/2 of Student's t with `degrees` of freedom, t = sqrt(degrees) tan(angle): the integral of
/// cos^(degrees - 1) up to the angle, over its whole. By hand because nothing else here needs a library of
/// distributions.
Real student_mass(Real angle, Real degrees) {
    constexpr int kPairs = 64;
    const auto power = [degrees](Real theta) { return std::pow(std::cos(theta), degrees - 1); };
    const Real width = angle / (2 * kPairs);
    Real total = power(0) + power(angle);
    for (int i = 1; i < 2 * kPairs; ++i) total += (i % 2 == 1 ? 4 : 2) * power(i * width);
    const Real whole =
        std::sqrt(std::numbers::pi) * std::exp(std::lgamma(degrees / 2) - std::lgamma((degrees + 1) / 2));
    return total * width / 3 / whole;
}

}  // namespace

Real student_quantile(Real probability, Index degrees) {
    const auto nu = static_cast<Real>(degrees);
    Real low = 0;
    Real high = std::numbers::pi / 2;
    for (int halvings = 0; halvings < 50; ++halvings) {
        const Real middle = (low + high) / 2;
        (student_mass(middle, nu) < probability - Real{0.5} ? low : high) = middle;
    }
    return std::sqrt(nu) * std::tan(low);
}

}  // namespace proxstream
