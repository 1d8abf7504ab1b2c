/// Bounds on each coordinate.
#pragma once

#include "proxstream/prox/coefficients.hpp"
#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// Indicator of {lo <= x <= hi}, bounds common or per coordinate, possibly infinite. prox clips. Cost O(n).
class Box {
  public:
    /// Throws ConfigError naming every coordinate with lo > hi, lo = +infinity or hi = -infinity.
    Box(Coefficients lo, Coefficients hi);
    static Box non_negative() { return {0, kInfinity}; }
    /// {max |x_i| <= radius}; radius > 0.
    static Box linf_ball(Real radius);

    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    void check_dimension(Index n) const;
    SumTraits sum_traits() const;

  private:
    Coefficients lo_;
    Coefficients hi_;
};

}  // namespace proxstream
