/// Penalties on groups of consecutive coordinates.
#pragma once

#include "proxstream/prox/block_layout.hpp"
#include "proxstream/prox/coefficients.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/prox/sums.hpp"

namespace proxstream {

/// The group lasso penalty: g(x) = sum over groups k of w_k |x_k|. Whole groups become zero together. Weights
/// are used as given: no factor sqrt(size) is hidden in them. prox shrinks each group as L2Norm does. Cost
/// O(n). Text: `group:0.1,size=4`.
///
/// \code
/// OnlineOptions options{.dimension = 12};
/// options.regulariser = GroupL2(0.1, BlockLayout::uniform(4));
/// \endcode
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

/// GroupL2 plus L1Norm: some groups are zero, and the others are sparse. prox applies the soft threshold,
/// then shrinks the groups. Text: `sparse-group:0.1,0.05,size=4`.
using SparseGroup = Composed<L1Norm, GroupL2>;

}  // namespace proxstream
