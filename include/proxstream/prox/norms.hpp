/// Norms that couple all coordinates.
#pragma once

#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// g(x) = w |x|; prox(v) = max(1 - step w / |v|, 0) v. Cost O(n).
class L2Norm {
  public:
    explicit L2Norm(Real weight);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    SumTraits sum_traits() const;

  private:
    Real weight_;  // w
};

/// g(x) = w max_i |x_i|; prox(v) clips v at the level that removes step w from |v|_1 (Moreau: the rest is the
/// projection onto an L1 ball). Cost O(n), see simplex_projection.hpp.
class LInfinityNorm {
  public:
    explicit LInfinityNorm(Real weight);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    SumTraits sum_traits() const;

  private:
    Real weight_;  // w
};

/// The prox of threshold |.|: scales v towards 0 and returns |out|. Shared by every penalty made of L2 norms.
Real shrink_norm(ConstView v, Real threshold, View out);

}  // namespace proxstream
