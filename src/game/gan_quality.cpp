#include "game/gan_quality.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

GanQuality measure_quality(const PlaneMixture& data, std::span<const PlanePoint> points) {
    constexpr Real kDeviations = 3;
    GanQuality quality;
    quality.points = points.size();
    quality.histogram.assign(data.modes.size(), 0);
    std::vector<char> covered(data.modes.size(), 0);
    Index counted = 0;
    Index good = 0;
    for (const PlanePoint& point : points) {
        if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
        const Index mode = data.nearest(point);
        ++quality.histogram[mode];
        ++counted;
        const Real distance = std::hypot(point.x - data.modes[mode].x, point.y - data.modes[mode].y);
        if (distance > kDeviations * data.spread) continue;
        ++good;
        covered[mode] = 1;
    }
    quality.modes = static_cast<Index>(std::count(covered.begin(), covered.end(), 1));
    if (points.empty()) return quality;
    quality.high_quality = static_cast<Real>(good) / static_cast<Real>(points.size());
    for (const Index count : quality.histogram) {
        if (count == 0) continue;  // p log p is 0
        const Real share = static_cast<Real>(count) / static_cast<Real>(counted);
        quality.reverse_kl += share * std::log(share * static_cast<Real>(data.modes.size()));
    }
    return quality;
}

GanQuality measure_quality(const Gan& gan, ConstView generator, std::uint64_t seed, Scratch& scratch,
                           Index points) {
    Scratch::Frame frame(scratch);
    const auto made = frame.take<PlanePoint>(points);
    gan.generate(generator, seed, made, scratch);
    return measure_quality(gan.data(), made);
}

}  // namespace proxstream
