/// Balls around 0. The L-infinity ball is Box::linf_ball.
#pragma once

#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// Indicator of {|x|_1 <= radius}. Cost O(n), see simplex_projection.hpp.
class L1Ball {
  public:
    explicit L1Ball(Real radius);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    Real prox_scale(Index /*n*/) const { return radius_; }

  private:
    Real radius_;
};

/// Indicator of {|x| <= radius}; prox scales down what is outside. Cost O(n).
class L2Ball {
  public:
    explicit L2Ball(Real radius);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    Real prox_scale(Index /*n*/) const { return radius_; }
    SumTraits sum_traits() const;

  private:
    Real radius_;
};

}  // namespace proxstream
