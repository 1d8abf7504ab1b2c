/// Bounds on each coordinate.
#pragma once

#include "proxstream/prox/coefficients.hpp"
#include "proxstream/prox/regulariser.hpp"

namespace proxstream {

/// The set {lo <= x <= hi} as a regulariser, with common bounds or one for each coordinate, possibly
/// infinite. prox clips to the bounds. Cost O(n). Text: `box:-1,1`.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = Box(0, std::vector<Real>{1, 2, kInfinity});
/// \endcode
class Box {
  public:
    /// Throws ConfigError that names every coordinate with lo > hi, lo = +infinity or hi = -infinity.
    Box(Coefficients lo, Coefficients hi);
    /// The set {x >= 0}.
    static Box non_negative() { return {0, kInfinity}; }
    /// The set {max |x_i| <= radius}, radius > 0.
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
