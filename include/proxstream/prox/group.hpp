/// Penalties on groups of consecutive coordinates.
#pragma once

#include "proxstream/prox/block_layout.hpp"
#include "proxstream/prox/coefficients.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/prox/sums.hpp"

namespace proxstream {

/// g(x) = sum over groups of w_k |x_k|, the weights as given: no factor sqrt(size) is hidden in them.
/// prox: each group as in L2Norm. Cost O(n).
class GroupL2 {
  public:
    /// Throws ConfigError if a weight is negative or their number is not that of the groups.
    GroupL2(Coefficients weights, BlockLayout groups);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    void check_dimension(Index n) const;
    SumTraits sum_traits() const;

  private:
    Coefficients weights_;  // w
    BlockLayout groups_;
};

/// Group L2 plus L1: soft threshold first, then shrink the groups.
using SparseGroup = Composed<L1Norm, GroupL2>;

}  // namespace proxstream
