#include "game/polynomial.hpp"

#include <cmath>

namespace proxstream {

FactorValue factor_at(const Factor& factor, Real x) {
    FactorValue inner{x, 1, 0};
    if (factor.function == Factor::Function::cosine) inner = {std::cos(x), -std::sin(x), -std::cos(x)};
    if (factor.function == Factor::Function::sine) inner = {std::sin(x), std::cos(x), -std::sin(x)};
    if (factor.power == 1) return inner;
    if (factor.power == 0) return {1, 0, 0};
    // By products: std::pow at this place would be most of a window's cost.
    Real lower = 1;  // inner^(power - 2)
    for (Index k = 2; k < factor.power; ++k) lower *= inner.value;
    const Real p = static_cast<Real>(factor.power);
    const Real slope = p * lower * inner.value;
    return {lower * inner.value * inner.value, slope * inner.slope,
            p * (p - 1) * lower * inner.slope * inner.slope + slope * inner.bend};
}

Real Polynomial::value(ConstView x) const {
    Real total = 0;
    for (const Monomial& term : terms) {
        Real product = term.coefficient;
        for (const Factor& factor : term.factors) product *= factor_at(factor, x[factor.variable]).value;
        total += product;
    }
    return total;
}

std::vector<std::string> coordinate_names(std::string_view block, Index n) {
    if (n == 1) return {std::string(block)};
    std::vector<std::string> names;
    for (Index k = 1; k <= n; ++k) names.push_back(std::string(block) + '[' + std::to_string(k) + ']');
    return names;
}

}  // namespace proxstream
