/// Norms that couple all coordinates.
#pragma once

#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// The penalty g(x) = w |x|, under which all coordinates become zero together. It is not squared: see
/// L2Squared for that. prox(v) = max(1 - step w / |v|, 0) v. Cost O(n). Text: `l2:0.1`.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = L2Norm(0.1);
/// \endcode
class L2Norm {
  public:
    /// Throws ConfigError if the weight is negative or not finite.
    explicit L2Norm(Real weight);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    SumTraits sum_traits() const;

  private:
    Real weight_;  // w
};

/// The penalty g(x) = w max_i |x_i|, under which the largest coordinates share one magnitude. prox(v) clips v
/// at the level that removes step w from the sum of the magnitudes. Cost O(n). Text: `linf:0.1`.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = LInfinityNorm(0.1);
/// \endcode
class LInfinityNorm {
  public:
    /// Throws ConfigError if the weight is negative or not finite.
    explicit LInfinityNorm(Real weight);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    SumTraits sum_traits() const;

  private:
    Real weight_;  // w
};

/// The prox of threshold |x|: scales v towards 0 and returns |out|. Every penalty made of L2 norms uses it.
Real shrink_norm(ConstView v, Real threshold, View out);

}  // namespace proxstream
