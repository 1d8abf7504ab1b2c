#include "game/reach.hpp"

#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

Real support(const AnyRegulariser& g, ConstView direction, Scratch& scratch) {
    // Far from the set, but not so far that rounding dominates: 1e6 to 1e9 times its size.
    constexpr Real kNearest = 1e7;
    constexpr Real kFarther = 1e3;
    constexpr Real kFarthest = 1e19;
    constexpr Real kSmall = 1e-6;
    constexpr Real kSlack = 1e-5;
    constexpr Real kRounding = 1e-8;
    constexpr Real kStep = 1e-200;  // so small that only the domain of g matters

    const Real length = norm(direction);
    if (length == 0) return 0;
    Scratch::Frame frame(scratch);
    const View far = frame.take(direction.size());
    const View nearest = frame.take(direction.size());
    for (Real distance = kNearest; distance <= kFarthest; distance *= kFarther) {
        scaled(distance / length, direction, far);
        g.prox(far, kStep, nearest, scratch);
        const Real size = norm(nearest);
        if (!std::isfinite(size)) break;
        if (size <= kSmall * distance) return dot(direction, nearest) + length * (kSlack * size + kRounding);
    }
    return kInfinity;
}

Interval reach(const AnyRegulariser& g, ConstView direction, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View back = frame.take(direction.size());
    scaled(-1, direction, back);
    return {-support(g, back, scratch), support(g, direction, scratch)};
}

std::vector<Interval> coordinate_reach(const AnyRegulariser& g, Index n) {
    Scratch scratch;
    std::vector<Real> direction(n, 0);
    std::vector<Interval> reaches;
    for (Index k = 0; k < n; ++k) {
        direction[k] = 1;
        reaches.push_back(reach(g, direction, scratch));
        direction[k] = 0;
    }
    return reaches;
}

std::optional<Real> variation_bound(const AnyRegulariser& own, std::span<const Interval> gradient,
                                    ConstView rivals) {
    std::vector<Real> largest, middle, radius;
    for (const Interval& each : gradient) {
        if (!each.bounded()) return std::nullopt;
        largest.push_back(each.largest());
        middle.push_back(each.low + each.radius());
        radius.push_back(each.radius());
    }
    if (!all_finite(rivals)) return std::nullopt;
    // Projections do not increase norms: |Pi (middle + r)| <= |Pi middle| + |r|.
    own.project_direction(middle);
    const Real one = std::min(norm(largest), norm(middle) + norm(radius));
    return std::max(one, norm(rivals));
}

}  // namespace proxstream
