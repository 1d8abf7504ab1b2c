#include "proxstream/core/linalg.hpp"

#include "proxstream/core/simd.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace proxstream {
namespace {

PROXSTREAM_CLONES Real largest_of_finite(ConstView a) {
    const Real* pa = a.data();
    const Index n = a.size();
    Real lanes[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (Index k = 0; k < kLanes; ++k) {
            const Real size = std::abs(pa[i + k]);
            lanes[k] = size > lanes[k] ? size : lanes[k];
        }
    }
    for (; i < n; ++i) lanes[0] = std::max(lanes[0], std::abs(pa[i]));
    return *std::max_element(lanes, lanes + kLanes);
}

}  // namespace

PROXSTREAM_CLONES Real dot(ConstView a, ConstView b) {
    assert(a.size() == b.size());
    const Real* pa = a.data();
    const Real* pb = b.data();
    return lane_sum(a.size(), [=](Index i) { return pa[i] * pb[i]; });
}

PROXSTREAM_CLONES Real squared_norm(ConstView a) {
    const Real* pa = a.data();
    return lane_sum(a.size(), [=](Index i) { return pa[i] * pa[i]; });
}

Real norm(ConstView a) {
    const Real squares = squared_norm(a);
    // The plain sum is exact enough unless it under- or overflowed; only then pay for scaling.
    if (squares > 1e-280 && squares < 1e280) return std::sqrt(squares);
    const Real largest = max_abs(a);
    if (largest == 0 || !std::isfinite(largest)) return std::isnan(squares) ? squares : largest;
    Real total = 0;
    for (const Real value : a) total += (value / largest) * (value / largest);
    return largest * std::sqrt(total);
}

PROXSTREAM_CLONES Real distance(ConstView a, ConstView b) {
    assert(a.size() == b.size());
    const Real* pa = a.data();
    const Real* pb = b.data();
    return std::sqrt(lane_sum(a.size(), [=](Index i) { return (pa[i] - pb[i]) * (pa[i] - pb[i]); }));
}

PROXSTREAM_CLONES Real norm_of_sum(ConstView a, Real scale, ConstView b) {
    assert(a.size() == b.size());
    const Real* pa = a.data();
    const Real* pb = b.data();
    return std::sqrt(lane_sum(a.size(), [=](Index i) {
        const Real s = pa[i] + scale * pb[i];
        return s * s;
    }));
}

PROXSTREAM_CLONES Real sum(ConstView a) {
    const Real* pa = a.data();
    return lane_sum(a.size(), [=](Index i) { return pa[i]; });
}

Real max_abs(ConstView a) {
    if (all_finite(a)) return largest_of_finite(a);
    // A comparison would lose a NaN: it is looked for first.
    const auto is_nan = [](Real value) { return std::isnan(value); };
    const auto nan = std::find_if(a.begin(), a.end(), is_nan);
    return nan != a.end() ? *nan : kInfinity;
}

PROXSTREAM_CLONES void axpy(Real scale, ConstView a, View y) {
    assert(a.size() == y.size());
    const Real* pa = a.data();
    Real* py = y.data();
    const Index n = y.size();
    for (Index i = 0; i < n; ++i) py[i] += scale * pa[i];
}

PROXSTREAM_CLONES void scaled(Real scale, ConstView a, View out) {
    assert(a.size() == out.size());
    const Real* pa = a.data();
    Real* po = out.data();
    const Index n = out.size();
    for (Index i = 0; i < n; ++i) po[i] = scale * pa[i];
}

PROXSTREAM_CLONES void step_along(ConstView x, Real scale, ConstView d, View out) {
    assert(x.size() == d.size() && x.size() == out.size());
    const Real* px = x.data();
    const Real* pd = d.data();
    Real* po = out.data();
    const Index n = out.size();
    for (Index i = 0; i < n; ++i) po[i] = px[i] + scale * pd[i];
}

PROXSTREAM_CLONES void subtract(ConstView a, ConstView b, View out) {
    assert(a.size() == b.size() && a.size() == out.size());
    const Real* pa = a.data();
    const Real* pb = b.data();
    Real* po = out.data();
    const Index n = out.size();
    for (Index i = 0; i < n; ++i) po[i] = pa[i] - pb[i];
}

void copy(ConstView from, View to) {
    assert(from.size() == to.size());
    std::copy(from.begin(), from.end(), to.begin());
}

void fill(View out, Real value) {
    std::fill(out.begin(), out.end(), value);
}

PROXSTREAM_CLONES bool all_finite(ConstView a) {
    // x - x is 0 for finite x and NaN otherwise; the sum of zeros stays 0.
    const Real* pa = a.data();
    return lane_sum(a.size(), [=](Index i) { return pa[i] - pa[i]; }) == 0;
}

}  // namespace proxstream
