#include "study/slope.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

Estimate log_log_slope(std::span<const ChartPoint> points) {
    const auto has_logarithm = [](Real value) { return std::isfinite(value) && value > 0; };
    const auto usable = [&](const ChartPoint& p) { return has_logarithm(p.x) && has_logarithm(p.y); };
    if (points.empty() || !std::all_of(points.begin(), points.end(), usable)) return {};

    const auto count = static_cast<Real>(points.size());
    Real mean_x = 0;
    Real mean_y = 0;
    for (const ChartPoint& p : points) {
        mean_x += std::log(p.x) / count;
        mean_y += std::log(p.y) / count;
    }
    Real xx = 0;
    Real xy = 0;
    for (const ChartPoint& p : points) {
        const Real x = std::log(p.x) - mean_x;
        xx += x * x;
        xy += x * (std::log(p.y) - mean_y);
    }
    const bool same_x = std::all_of(points.begin(), points.end(),
                                    [&](const ChartPoint& p) { return p.x == points.front().x; });
    if (same_x) return {};

    Estimate slope;
    slope.count = points.size();
    slope.mean = xy / xx;
    if (points.size() < 3) return slope;
    Real squares = 0;
    for (const ChartPoint& p : points) {
        const Real off = std::log(p.y) - mean_y - slope.mean * (std::log(p.x) - mean_x);
        squares += off * off;
    }
    slope.error = std::sqrt(squares / (count - 2) / xx);
    return slope;
}

}  // namespace proxstream
