/// The norm that favours matrices of low rank.
#pragma once

#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// The penalty g(X) = w times the sum of the singular values of X, which favours matrices of low rank. x
/// holds X row after row. prox subtracts step w from each singular value, down to 0. Cost O(rows cols
/// min(rows, cols)). Text: `nuclear:0.1,rows=3,cols=4`.
///
/// \code
/// OnlineOptions options{.dimension = 12};
/// options.regulariser = NuclearNorm(0.1, 3, 4);
/// \endcode
class NuclearNorm {
  public:
    /// Throws ConfigError if the weight is negative or not finite, or the matrix is empty.
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
