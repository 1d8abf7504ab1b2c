/// Polynomials in several variables, with cosines and sines: costs of games as text, `x1^2*x2 - 3*cos(x3)`.
#pragma once

#include "proxstream/core/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// f(variable)^power, f being the identity, the cosine or the sine.
struct Factor {
    enum class Function { identity, cosine, sine };
    Index variable = 0;
    Function function = Function::identity;
    Index power = 1;
    // What the compiler makes of a < b compares with a literal 0. NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const Factor&, const Factor&) = default;
};

/// coefficient times the product of the factors.
struct Monomial {
    Real coefficient = 0;
    std::vector<Factor> factors = {};
};

/// The sum of the terms. In normal form factors ascend, each function of a variable stands once in a term,
/// and no two terms have the same factors.
struct Polynomial {
    std::vector<Monomial> terms = {};

    Real value(ConstView x) const;
};

/// f(x)^power with its first two derivatives in x.
struct FactorValue {
    Real value = 1;
    Real slope = 0;
    Real bend = 0;
};
FactorValue factor_at(const Factor& factor, Real x);

/// Sums and products of numbers, variables, cos(..) and sin(..) of a variable, parentheses, `^` with a whole
/// number, `/` by a number. The result is multiplied out, in normal form. Throws ConfigError with the
/// position of a mistake.
Polynomial parse_polynomial(std::string_view text, const std::vector<std::string>& variables);

/// What the coordinates of a block are called: `x` if there is one, else `x[1]` to `x[n]`.
std::vector<std::string> coordinate_names(std::string_view block, Index n);

}  // namespace proxstream
