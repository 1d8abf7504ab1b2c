/// Sums g + h whose prox is known from the proxes of g and h. Two rules cover all of them.
///
/// 1. Composition: prox_{g+h}(v) = prox_h(prox_g(v)), at the same step. Let p = prox_g(v) and q = prox_h(p).
///    Then v - p is in step dg(p) and p - q in step dh(q), where d stands for the subdifferential. If dg(p)
///    is contained in dg(q), the sum v - q is in step d(g+h)(q), which says q = prox_{g+h}(v). This holds
///    when
///    - g is linear: dg is one point;
///    - g is positively homogeneous and h radial: q = c p with 0 <= c <= 1, and dg(p) is within dg(c p);
///    - g is separable and homogeneous and h radial on groups: the same, group by group;
///    - g is the total variation and h uniform separable: q_i is the same nondecreasing function of p_i for
///      every i, so neighbours keep their order, and dg depends on nothing else.
///
///    If g is separable and h bounds each coordinate, q is right for another reason: on an interval, a convex
///    function of one variable is least at the clipped free minimiser.
/// 2. Curvature: with g = (a/2) |x|^2, completing the square gives
///    prox_{g+h}(v, step) = prox_h(v / (1 + step a), step / (1 + step a)), for any h.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser.hpp"
#include "proxstream/prox/separable.hpp"

#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// The sum first + second, where its prox is that of `first` followed by that of `second`. This is right only
/// for some pairs, and the constructor does not check it: add() does, so prefer that. SparseGroup and
/// FusedLasso are such sums.
///
/// \code
/// const SparseGroup g(L1Norm(0.05), GroupL2(0.1, BlockLayout::uniform(4)));
/// const AnyRegulariser same = add({L1Norm(0.05), GroupL2(0.1, BlockLayout::uniform(4))});
/// \endcode
template <Regulariser First, Regulariser Second>
class Composed {
  public:
    /// The caller is responsible for the pair being one of those listed at the top of this header.
    Composed(First first, Second second) : first_(std::move(first)), second_(std::move(second)) {}
    Real value(ConstView x, Scratch& scratch) const {
        return first_.value(x, scratch) + second_.value(x, scratch);
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        first_.prox(v, step, out, scratch);
        const Real second = second_.prox(out, step, out, scratch);
        return first_.value(out, scratch) + second;
    }
    /// Both are then separable, and in one variable the rules hold at any step.
    bool can_weigh() const { return supports_weighted_prox(first_) && supports_weighted_prox(second_); }
    Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const {
        proxstream::weighted_prox(first_, v, steps, out, scratch);
        const Real second = proxstream::weighted_prox(second_, out, steps, out, scratch);
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
    /// A linear first term only shifts v, whatever it is added to.
    bool can_switch() const { return proxstream::sum_traits(first_).linear && supports_switching(second_); }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
        first_.prox(v, step, out, scratch);
        const Real second = proxstream::switching_prox(second_, out, step, pull, out, scratch);
        return first_.value(out, scratch) + second;
    }

  private:
    First first_;
    Second second_;
};

/// The sum of a quadratic and any other regulariser: (w / 2) |x|^2 + g(x). Completing the square gives its
/// prox from that of g, for every g. ElasticNet is such a sum.
///
/// \code
/// OnlineOptions options{.dimension = 3};
/// options.regulariser = Curved(L2Squared(0.2), Simplex());
/// \endcode
template <Regulariser G>
class Curved {
  public:
    /// The quadratic, and the other term.
    Curved(L2Squared square, G g) : square_(square), g_(std::move(g)) {}
    Real value(ConstView x, Scratch& scratch) const {
        return square_.value(x, scratch) + g_.value(x, scratch);
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        square_.prox(v, step, out, scratch);
        const Real inner = g_.prox(out, step / (1 + step * square_.weight()), out, scratch);
        return square_.value(out, scratch) + inner;
    }
    bool can_weigh() const { return supports_weighted_prox(g_); }
    Real weighted_prox(ConstView v, ConstView steps, View out, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const View shorter = frame.take(steps.size());
        for (Index i = 0; i < steps.size(); ++i) shorter[i] = steps[i] / (1 + steps[i] * square_.weight());
        square_.weighted_prox(v, steps, out, scratch);
        const Real inner = proxstream::weighted_prox(g_, out, shorter, out, scratch);
        return square_.value(out, scratch) + inner;
    }
    void check_dimension(Index n) const { proxstream::check_dimension(g_, n); }
    void project_direction(View d) const { proxstream::project_direction(g_, d); }
    /// A lower bound on the infimum, equal to it when g is least at 0.
    Real infimum() const { return proxstream::infimum(g_); }
    Real prox_scale(Index n) const { return proxstream::prox_scale(g_, n); }
    SumTraits sum_traits() const { return traits_of_sum(square_.sum_traits(), proxstream::sum_traits(g_)); }
    /// Completing the square divides the pull in the same way as the step.
    bool can_switch() const { return supports_switching(g_); }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
        const Real divisor = 1 + step * square_.weight();
        square_.prox(v, step, out, scratch);
        const Real inner = proxstream::switching_prox(
            g_, out, step / divisor, Pull{pull.strength / divisor, pull.centre}, out, scratch);
        return square_.value(out, scratch) + inner;
    }

  private:
    L2Squared square_;
    G g_;
};

/// The elastic net: l1 times the 1-norm plus (l2 / 2) |x|^2. Text: `elastic:0.1,0.2`.
using ElasticNet = Curved<L1Norm>;

/// The sum of several regularisers, composed in an order that gives the right prox. Throws ConfigError, with
/// the list of sums that work, if no rule covers these terms.
AnyRegulariser add(const std::vector<AnyRegulariser>& terms);

}  // namespace proxstream
