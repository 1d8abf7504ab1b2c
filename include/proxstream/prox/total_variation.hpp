/// Penalties on jumps between neighbours.
#pragma once

#include "proxstream/prox/separable.hpp"
#include "proxstream/prox/sums.hpp"

namespace proxstream {

/// g(x) = w sum |x_{i+1} - x_i|.
///
/// prox, direct in O(n) for any input: let D_i be the derivative of the best cost of the first i coordinates
/// as a function of x_i, and m = step w. Passing a jump penalty clips a derivative to [-m, m], hence
///   D_1(x) = x - v_1,   D_i(x) = x - v_i + clip(D_{i-1}(x), -m, m):
/// increasing and piecewise linear. Each step adds one knot at either end and removes those it clips away, so
/// all steps together touch O(n) knots. Going back, x_n is the zero of D_n and x_i is x_{i+1} clipped to the
/// interval where |D_i| <= m.
class TotalVariation {
  public:
    explicit TotalVariation(Real weight);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    SumTraits sum_traits() const;

  private:
    Real weight_;  // w
};

/// Total variation plus L1: the prox of the first, then soft threshold.
using FusedLasso = Composed<TotalVariation, L1Norm>;

}  // namespace proxstream
