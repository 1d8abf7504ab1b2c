/// Bounded coordinates with a fixed sum (a box section).
#pragma once

#include "proxstream/prox/box.hpp"

#include <cmath>

namespace proxstream {

/// Indicator of {lo <= x <= hi, sum x = total}.
/// prox(v) = clip(v - tau) with tau the zero of the decreasing, piecewise linear sum clip(v - tau) - total.
/// Cost O(n) a pass, a few passes: see src/prox/box_section.hpp.
class CappedSimplex {
  public:
    /// Throws ConfigError for an empty box, or a total that bounds given per coordinate cannot reach.
    CappedSimplex(Real total, Coefficients lo, Coefficients hi);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    bool can_switch() const { return true; }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const;
    /// With common bounds, whether the total can be reached depends on n: n lo <= total <= n hi.
    void check_dimension(Index n) const;
    void project_direction(View d) const;
    Real prox_scale(Index /*n*/) const { return std::abs(total_); }

  private:
    Real total_;
    Coefficients lo_;
    Coefficients hi_;
    Box box_;
};

}  // namespace proxstream
