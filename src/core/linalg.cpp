#include "proxstream/core/linalg.hpp"

#include "core/simd.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace proxstream {
namespace {

/// The largest of |entry(i)| over [0, n), of which none is NaN.
template <class Entry>
[[gnu::always_inline]] inline Real lane_max(Index n, Entry entry) {
    Real lanes[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (Index k = 0; k < kLanes; ++k) {
            const Real size = std::abs(entry(i + k));
            lanes[k] = size > lanes[k] ? size : lanes[k];
        }
    }
    for (; i < n; ++i) lanes[0] = std::max(lanes[0], std::abs(entry(i)));
    return *std::max_element(lanes, lanes + kLanes);
}

/// The Euclidean norm of the vector of entries, from the plain sum of their squares. That is exact enough
/// unless it under- or overflowed. Only then pay for scaling.
template <class Entry>
[[gnu::always_inline]] inline Real norm_from(Real squares, Index n, Entry entry) {
    if (squares > 1e-280 && squares < 1e280) return std::sqrt(squares);
    if (std::isnan(squares)) return squares;
    const Real largest = lane_max(n, entry);
    if (largest == 0 || std::isinf(largest)) return largest;
    return largest * std::sqrt(lane_sum(n, [=](Index i) {
               const Real share = entry(i) / largest;
               return share * share;
           }));
}

template <class Entry>
[[gnu::always_inline]] inline Real lane_norm(Index n, Entry entry) {
    return norm_from(lane_sum(n, [=](Index i) { return entry(i) * entry(i); }), n, entry);
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

PROXSTREAM_CLONES Real norm(ConstView a) {
    const Real* pa = a.data();
    return lane_norm(a.size(), [=](Index i) { return pa[i]; });
}

PROXSTREAM_CLONES Real distance(ConstView a, ConstView b) {
    assert(a.size() == b.size());
    const Real* pa = a.data();
    const Real* pb = b.data();
    return lane_norm(a.size(), [=](Index i) { return pa[i] - pb[i]; });
}

PROXSTREAM_CLONES Real norm_of_sum(ConstView a, Real scale, ConstView b) {
    assert(a.size() == b.size());
    const Real* pa = a.data();
    const Real* pb = b.data();
    return lane_norm(a.size(), [=](Index i) { return pa[i] + scale * pb[i]; });
}

PROXSTREAM_CLONES Real sum(ConstView a) {
    const Real* pa = a.data();
    return lane_sum(a.size(), [=](Index i) { return pa[i]; });
}

PROXSTREAM_CLONES Real max_abs(ConstView a) {
    // Comparisons drop a NaN, so it is searched for first.
    const auto nan = std::find_if(a.begin(), a.end(), [](Real value) { return std::isnan(value); });
    if (nan != a.end()) return *nan;
    const Real* pa = a.data();
    return lane_max(a.size(), [=](Index i) { return pa[i]; });
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

PROXSTREAM_CLONES MoveSums move_between(ConstView from, ConstView to, ConstView gradient, View d) {
    assert(from.size() == to.size() && from.size() == gradient.size() && from.size() == d.size());
    const Real* pf = from.data();
    const Real* pt = to.data();
    const Real* pg = gradient.data();
    Real* pd = d.data();
    const Index n = d.size();
    Real squares[kLanes] = {};
    Real products[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        Real values[kLanes];
        for (Index k = 0; k < kLanes; ++k) values[k] = pt[i + k] - pf[i + k];
        for (Index k = 0; k < kLanes; ++k) squares[k] += values[k] * values[k];
        for (Index k = 0; k < kLanes; ++k) products[k] += pg[i + k] * values[k];
        for (Index k = 0; k < kLanes; ++k) pd[i + k] = values[k];
    }
    add_rest(n, i, squares, [=](Index j) {
        pd[j] = pt[j] - pf[j];
        return pd[j] * pd[j];
    });
    add_rest(n, i, products, [=](Index j) { return pg[j] * pd[j]; });
    return {.length_squared = add_lanes(squares), .slope = add_lanes(products)};
}

PROXSTREAM_CLONES Real scaled_difference(Real scale, ConstView a, ConstView b, View out) {
    assert(a.size() == b.size() && a.size() == out.size());
    const Real* pa = a.data();
    const Real* pb = b.data();
    Real* po = out.data();
    const Index n = out.size();
    Real lanes[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        Real values[kLanes];
        for (Index k = 0; k < kLanes; ++k) values[k] = scale * (pa[i + k] - pb[i + k]);
        for (Index k = 0; k < kLanes; ++k) po[i + k] = values[k];
        for (Index k = 0; k < kLanes; ++k) lanes[k] += values[k] * values[k];
    }
    add_rest(n, i, lanes, [=](Index j) {
        po[j] = scale * (pa[j] - pb[j]);
        return po[j] * po[j];
    });
    return norm_from(add_lanes(lanes), n, [=](Index j) { return po[j]; });
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
