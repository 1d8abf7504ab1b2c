/// Balls around 0 in the 1-norm and the 2-norm. The ball in the maximum norm is Box::linf_ball.
#pragma once

#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// The set {|x|_1 <= radius} as a regulariser; prox is the projection. It bounds the sum of the magnitudes,
/// which favours sparse points. Cost O(n). Text: `l1ball:1`.
///
/// \code
/// OnlineOptions options{.dimension = 20};
/// options.regulariser = L1Ball(1);
/// \endcode
class L1Ball {
  public:
    /// Throws ConfigError unless the radius is positive and finite.
    explicit L1Ball(Real radius);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    Real prox_scale(Index /*n*/) const { return radius_; }

  private:
    Real radius_;
};

/// The set {|x| <= radius} as a regulariser; prox scales a point outside down to the boundary. Cost O(n).
/// Text: `l2ball:1`. Example: examples/04_own_loss.cpp
class L2Ball {
  public:
    /// Throws ConfigError unless the radius is positive and finite.
    explicit L2Ball(Real radius);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    Real prox_scale(Index /*n*/) const { return radius_; }
    SumTraits sum_traits() const;

  private:
    Real radius_;
};

}  // namespace proxstream
