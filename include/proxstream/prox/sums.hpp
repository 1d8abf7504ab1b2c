/// Sums g + h whose prox comes from the proxes of g and h. Two forms cover all of them.
///
/// 1. Composition: prox_{g+h} = prox_h o prox_g, at the same step. With p = prox_g(v) and q = prox_h(p), v -
/// p is in
///    step dg(p) and p - q in step dh(q); if dg(p) is contained in dg(q), the sum v - q is in step d(g+h)(q),
///    which says q = prox_{g+h}(v). The inclusion holds when
///    - g is linear: dg is one point;
///    - g is positively homogeneous and h radial: q = c p with 0 <= c <= 1, and dg(p) is within dg(c p);
///    - g is separable and homogeneous and h radial on groups: the same, group by group;
///    - g is the total variation and h uniform separable: q_i is the same nondecreasing function of p_i for
///    every
///      i, so neighbours keep their order, which is all dg sees.
///    If g is separable and h bounds each coordinate, q is right for another reason: a convex function of one
///    variable is least on an interval at the clipped free minimiser.
/// 2. Curvature: with g = (a/2) |x|^2 completing the square gives
///    prox_{g+h}(v, step) = prox_h(v / (1 + step a), step / (1 + step a)), for any h.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser.hpp"
#include "proxstream/prox/separable.hpp"

#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// first + second by composition. The caller vouches for the pair; add() checks it.
template <Regulariser First, Regulariser Second>
class Composed {
  public:
    Composed(First first, Second second) : first_(std::move(first)), second_(std::move(second)) {}
    Real value(ConstView x, Scratch& scratch) const {
        return first_.value(x, scratch) + second_.value(x, scratch);
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        first_.prox(v, step, out, scratch);
        const Real second = second_.prox(out, step, out, scratch);
        return first_.value(out, scratch) + second;
    }
    void check_dimension(Index n) const {
        proxstream::check_dimension(first_, n);
        proxstream::check_dimension(second_, n);
    }
    /// Either projector removes only what is orthogonal to both affine hulls' common part.
    void project_direction(View d) const {
        proxstream::project_direction(first_, d);
        proxstream::project_direction(second_, d);
    }
    /// A lower bound on the infimum, equal to it when both are attained at one point.
    Real infimum() const { return proxstream::infimum(first_) + proxstream::infimum(second_); }
    Real prox_scale(Index n) const {
        return proxstream::prox_scale(first_, n) + proxstream::prox_scale(second_, n);
    }
    SumTraits sum_traits() const {
        return traits_of_sum(proxstream::sum_traits(first_), proxstream::sum_traits(second_));
    }
    /// A linear first term only moves v, whatever it is added to.
    bool can_switch() const { return proxstream::sum_traits(first_).linear && supports_switching(second_); }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const {
        first_.prox(v, step, out, scratch);
        const Real second = proxstream::switching_prox(second_, out, step, pull, centre, out, scratch);
        return first_.value(out, scratch) + second;
    }

  private:
    First first_;
    Second second_;
};

/// (curvature / 2) |x|^2 + g(x).
template <Regulariser G>
class Curved {
  public:
    Curved(L2Squared square, G g) : square_(square), g_(std::move(g)) {}
    Real value(ConstView x, Scratch& scratch) const {
        return square_.value(x, scratch) + g_.value(x, scratch);
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        square_.prox(v, step, out, scratch);
        const Real inner = g_.prox(out, step / (1 + step * square_.weight()), out, scratch);
        return square_.value(out, scratch) + inner;
    }
    void check_dimension(Index n) const { proxstream::check_dimension(g_, n); }
    void project_direction(View d) const { proxstream::project_direction(g_, d); }
    /// A lower bound on the infimum, equal to it when g is least at 0.
    Real infimum() const { return proxstream::infimum(g_); }
    Real prox_scale(Index n) const { return proxstream::prox_scale(g_, n); }
    SumTraits sum_traits() const { return traits_of_sum(square_.sum_traits(), proxstream::sum_traits(g_)); }
    /// Completing the square divides the pull like the step.
    bool can_switch() const { return supports_switching(g_); }
    Real switching_prox(ConstView v, Real step, Real pull, ConstView centre, View out,
                        Scratch& scratch) const {
        const Real divisor = 1 + step * square_.weight();
        square_.prox(v, step, out, scratch);
        const Real inner =
            proxstream::switching_prox(g_, out, step / divisor, pull / divisor, centre, out, scratch);
        return square_.value(out, scratch) + inner;
    }

  private:
    L2Squared square_;
    G g_;
};

/// l1 |x|_1 + (l2 / 2) |x|^2.
using ElasticNet = Curved<L1Norm>;

/// The sum of the terms, in whatever order of composition is right. Throws ConfigError, with the sums that do
/// decompose, when the rules above give none.
AnyRegulariser add(const std::vector<AnyRegulariser>& terms);

}  // namespace proxstream
