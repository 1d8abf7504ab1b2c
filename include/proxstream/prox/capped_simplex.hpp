/// Bounded coordinates with a fixed sum (a box section).
#pragma once

#include "proxstream/prox/box.hpp"

namespace proxstream {

/// Indicator of {lo <= x <= hi, sum x = total}.
/// prox(v) = clip(v - tau) with tau the zero of the decreasing, piecewise linear sum clip(v - tau) - total,
/// found by Newton's method inside a bracket that is halved whenever Newton does not do it. Cost O(n) a pass:
/// a handful of passes usually, never more than a bisection takes to run out of doubles.
class CappedSimplex {
  public:
    /// Throws ConfigError for an empty box, or a total that bounds given per coordinate cannot reach.
    CappedSimplex(Real total, Coefficients lo, Coefficients hi);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    /// With common bounds, whether the total can be reached depends on n: n lo <= total <= n hi.
    void check_dimension(Index n) const;
    void project_direction(View d) const;

  private:
    /// The sum of clip(v - tau), and how many coordinates are strictly between their bounds.
    struct Section {
        Real total = 0;
        Real size = 0;  // sum of |clip(v - tau)|: what the rounding of the total is relative to
        Index free = 0;
    };
    /// tau, or two neighbouring candidates with the total between theirs.
    struct Threshold {
        Real low = 0;
        Real high = 0;
        bool found = false;
    };
    Section section(ConstView v, Real tau) const;
    Threshold threshold(ConstView v) const;
    bool reached(const Section& section, Index n) const;

    Real total_;
    Coefficients lo_;
    Coefficients hi_;
    Box box_;
};

}  // namespace proxstream
