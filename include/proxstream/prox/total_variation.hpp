/// Penalties on jumps between neighbouring coordinates.
#pragma once

#include "proxstream/prox/separable.hpp"
#include "proxstream/prox/sums.hpp"

namespace proxstream {

/// The penalty g(x) = w sum |x_{i+1} - x_i|, which makes x piecewise constant. prox is computed directly, not
/// iteratively, in O(n) for any input. Text: `tv:0.1`.
///
/// \code
/// OnlineOptions options{.dimension = 100};
/// options.regulariser = TotalVariation(0.1);
/// \endcode
///
/// How the prox works: let D_i be the derivative of the best cost of the first i coordinates as a function of
/// x_i, and m = step w. A jump penalty clips a derivative to [-m, m], hence
///
///     D_1(x) = x - v_1,   D_i(x) = x - v_i + clip(D_{i-1}(x), -m, m),
///
/// which is increasing and piecewise linear. Each step adds one knot at either end and removes those it clips
/// away, so all steps together touch O(n) knots. Going back, x_n is the zero of D_n, and x_i is x_{i+1}
/// clipped to the interval where
/// |D_i| <= m.
class TotalVariation {
  public:
    /// Throws ConfigError if the weight is negative or not finite.
    explicit TotalVariation(Real weight);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    SumTraits sum_traits() const;

  private:
    Real weight_;  // w
};

/// The fused lasso: TotalVariation plus L1Norm. prox applies the first, then the soft threshold. Text:
/// `fused:0.1,0.05`.
using FusedLasso = Composed<TotalVariation, L1Norm>;

}  // namespace proxstream
