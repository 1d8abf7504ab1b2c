/// Sets given by linear equations, or by one linear inequality.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <cmath>
#include <vector>

namespace proxstream {

/// The set {A x = b} as a regulariser: 0 inside and infinite outside, so its prox is the projection. The rows
/// of A are replaced once by an orthonormal basis Q of their span, so prox(v) = v - Q (Q' v - c) costs O(rank
/// n), and repeated rows do no harm. Text: `affine:a=1;1;0;0;1;-1,b=1;0`.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = AffineSet({1, 1, 0, 0, 1, -1}, {1, 0});  // x_1 + x_2 = 1 and x_2 = x_3
/// \endcode
class AffineSet {
  public:
    /// `a` holds b.size() rows one after the other. Throws ConfigError for sizes that do not fit, entries
    /// that are not finite, a zero matrix, and equations that contradict each other.
    AffineSet(const std::vector<Real>& a, const std::vector<Real>& b);
    /// The set {a.x = b}.
    static AffineSet hyperplane(const std::vector<Real>& a, Real b) { return {a, {b}}; }

    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    void check_dimension(Index n) const;
    void project_direction(View d) const;
    Real prox_scale(Index /*n*/) const { return norm(offsets_); }
    SumTraits sum_traits() const;

  private:
    ConstView normal(Index k) const { return ConstView(basis_).subspan(k * dimension_, dimension_); }

    Index dimension_ = 0;
    std::vector<Real> basis_;    // Q', one unit normal after the other
    std::vector<Real> offsets_;  // c: the set is {Q' x = c}
};

/// The set {a.x <= b} as a regulariser; prox moves a point outside along a to the boundary. Cost O(n). Text:
/// `halfspace:a=1;2;3,b=1`.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = HalfSpace({1, 2, 3}, 1);
/// \endcode
class HalfSpace {
  public:
    /// Throws ConfigError unless a is finite and not zero, and b is finite.
    HalfSpace(std::vector<Real> a, Real b);
    Real value(ConstView x, Scratch& scratch) const;
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const;
    void check_dimension(Index n) const;
    Real prox_scale(Index /*n*/) const { return std::abs(offset_); }
    SumTraits sum_traits() const;

  private:
    std::vector<Real> normal_;  // a / |a|
    Real offset_;               // b / |a|
};

}  // namespace proxstream
