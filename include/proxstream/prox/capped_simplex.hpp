/// Bounded coordinates with a fixed sum (a box section).
#pragma once

#include "proxstream/prox/box.hpp"

#include <cmath>

namespace proxstream {

/// The set {lo <= x <= hi, sum x = total} as a regulariser: shares of a whole with bounds on each. prox(v) =
/// clip(v - tau), where tau makes the sum right. Cost O(n) a pass, a few passes. Text:
/// `capped-simplex:sum=1,lo=0,hi=0.5`.
///
/// \code
/// OnlineOptions options{.dimension = 4};
/// options.regulariser = CappedSimplex(1, 0, 0.5);  // no share above one half
/// \endcode
class CappedSimplex {
  public:
    /// Throws ConfigError for an empty box, or a total that bounds given for each coordinate cannot reach.
    CappedSimplex(Real total, Coefficients lo, Coefficients hi);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    bool can_switch() const { return true; }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const;
    /// Throws ConfigError unless the total can be reached; with common bounds that means n lo <= total <= n
    /// hi.
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
