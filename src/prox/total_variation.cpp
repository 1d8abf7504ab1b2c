#include "proxstream/prox/total_variation.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/coefficients.hpp"

#include "core/simd.hpp"
#include "not_finite.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace proxstream {
namespace {

/// slope x + shift.
struct Line {
    Real slope = 0;
    Real shift = 0;
    Real at(Real x) const { return slope * x + shift; }
    Real where(Real height) const { return (height - shift) / slope; }
    void add(const Line& other, Real sign) {
        slope += sign * other.slope;
        shift += sign * other.shift;
    }
};

/// A place where the clipped derivative bends, and the line that is added there from left to right.
struct Knot {
    Real position = 0;
    Line bend;
};

/// The knots of clip(D_i, -m, m), in [first, last) of a buffer with room at both ends.
class Derivative {
  public:
    Derivative(Knot* knots, Index middle) : knots_(knots), first_(middle), last_(middle) {}

    /// From clip(D_{i-1}) to D_i, cut where it reaches -m and m. Returns that interval.
    std::pair<Real, Real> advance(Real v, Real m, Real inherited) {
        Line left{1, -v - inherited};
        drop_below(left, -m);
        const Real low = left.where(-m);
        Line right{1, -v + inherited};
        while (last_ > first_ && right.at(knots_[last_ - 1].position) > m)
            right.add(knots_[--last_].bend, -1);
        const Real high = right.where(m);
        knots_[--first_] = {low, {left.slope, left.shift + m}};
        knots_[last_++] = {high, {-right.slope, m - right.shift}};
        return {low, high};
    }

    /// The zero of the last D.
    Real zero(Real v, Real inherited) {
        Line left{1, -v - inherited};
        drop_below(left, 0);
        return left.where(0);
    }

  private:
    void drop_below(Line& left, Real height) {
        while (first_ < last_ && left.at(knots_[first_].position) < height)
            left.add(knots_[first_++].bend, 1);
    }

    Knot* knots_;
    Index first_;
    Index last_;
};

}  // namespace

TotalVariation::TotalVariation(Real weight) : weight_(checked_weights(weight, "weight")[0]) {}

Real TotalVariation::value(ConstView x, Scratch&) const {
    if (x.size() < 2) return x.empty() ? 0 : 0 * x[0];  // a lone NaN is still one
    return weight_ * lane_sum(x.size() - 1, [&](Index i) { return std::abs(x[i + 1] - x[i]); });
}

Real TotalVariation::prox(ConstView v, Real step, View out, Scratch& scratch) const {
    const Index n = v.size();
    const Real m = step * weight_;
    if (!all_finite(v)) return refuse_not_finite(out);
    if (n < 2 || m == 0) {
        if (out.data() != v.data()) copy(v, out);
        return value(out, scratch);
    }
    Scratch::Frame frame(scratch);
    const View low = frame.take(n - 1);
    const View high = frame.take(n - 1);
    // Each of n - 1 steps adds one knot at either end.
    Derivative derivative(frame.take<Knot>(2 * n).data(), n);
    for (Index i = 0; i + 1 < n; ++i) {
        std::tie(low[i], high[i]) = derivative.advance(v[i], m, i == 0 ? 0 : m);
    }
    Real x = derivative.zero(v[n - 1], m);
    out[n - 1] = x;
    for (Index i = n - 1; i-- > 0;) {
        x = std::min(std::max(x, low[i]), high[i]);
        out[i] = x;
    }
    return value(out, scratch);
}

SumTraits TotalVariation::sum_traits() const {
    return {.homogeneous = true, .differences = true, .keeps_order = true};
}

}  // namespace proxstream
