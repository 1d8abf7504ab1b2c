/// The norm that favours matrices of low rank.
#pragma once

#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// x is a rows x cols matrix, row after row. g(x) = w sum of singular values; prox subtracts step w from each
/// of them, down to 0. Cost O(rows cols min(rows, cols)); the decomposition keeps its own workspace.
class NuclearNorm {
  public:
    NuclearNorm(Real weight, Index rows, Index cols);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    void check_dimension(Index n) const;
    SumTraits sum_traits() const;

  private:
    Real weight_;  // w
    Index rows_;
    Index cols_;
};

}  // namespace proxstream
