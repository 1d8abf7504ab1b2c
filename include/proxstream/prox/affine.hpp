/// Sets cut out by linear equations and one linear inequality.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <cmath>
#include <vector>

namespace proxstream {

/// Indicator of {A x = b}. The rows are replaced by an orthonormal basis Q of their span once, so that
/// prox(v) = v - Q (Q' v - c) costs O(rank n) and rows that repeat others do no harm.
class AffineSet {
  public:
    /// `a` holds b.size() rows one after the other. Throws ConfigError for sizes that do not fit, entries
    /// that are not finite, a zero matrix, and equations that contradict each other.
    AffineSet(const std::vector<Real>& a, const std::vector<Real>& b);
    /// {a.x = b}.
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

/// Indicator of {a.x <= b}; prox moves along a if the inequality fails. Cost O(n).
class HalfSpace {
  public:
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
