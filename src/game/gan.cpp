#include "game/gan.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace proxstream {
namespace {

/// Purposes of draws; 0 is that of start weights.
constexpr std::uint32_t kTrainingCodes = 1;
constexpr std::uint32_t kTrainingData = 2;
constexpr std::uint32_t kFreshCodes = 3;

PlaneMixture ring(Index modes) {
    PlaneMixture mixture{.name = "ring8", .modes = {}, .spread = 0.02};
    for (Index i = 0; i < modes; ++i) {
        const Real angle = 2 * std::numbers::pi * static_cast<Real>(i) / static_cast<Real>(modes);
        mixture.modes.push_back({std::cos(angle), std::sin(angle)});
    }
    return mixture;
}

PlaneMixture grid(Index side) {
    PlaneMixture mixture{.name = "grid25", .modes = {}, .spread = 0.05};
    const auto place = [side](Index i) { return 2 * static_cast<Real>(i) - static_cast<Real>(side - 1); };
    for (Index i = 0; i < side; ++i) {
        for (Index j = 0; j < side; ++j) mixture.modes.push_back({place(i), place(j)});
    }
    return mixture;
}

}  // namespace

PlaneMixture PlaneMixture::named(std::string_view name, Real spread, Real scale) {
    PlaneMixture mixture;
    if (name == "ring8") {
        mixture = ring(8);
    } else if (name == "grid25") {
        mixture = grid(5);
    } else {
        throw ConfigError(unknown_name("data of a GAN", name, {"ring8", "grid25"}));
    }
    if (spread > 0) mixture.spread = spread;
    mixture.spread *= scale;
    for (PlanePoint& mode : mixture.modes) mode = {scale * mode.x, scale * mode.y};
    return mixture;
}

PlanePoint PlaneMixture::at(const Draw& draw) const {
    const auto step = [&draw](std::uint32_t k) {
        Draw own = draw;
        own.step = draw.step + k;
        return own;
    };
    const PlanePoint mode = modes[uniform_below(step(0), modes.size())];
    return {mode.x + spread * normal(step(1)), mode.y + spread * normal(step(2))};
}

Index PlaneMixture::nearest(PlanePoint point) const {
    Index best = 0;
    Real least = kInfinity;
    for (Index i = 0; i < modes.size(); ++i) {
        const Real across = point.x - modes[i].x;
        const Real up = point.y - modes[i].y;
        const Real square = across * across + up * up;
        if (square < least) {
            least = square;
            best = i;
        }
    }
    return best;
}

Gan::Gan(GanOptions options)
    : options_(std::move(options)),
      generator_(options_.latent, options_.hidden, 2, options_.activation),
      discriminator_(2, options_.hidden, 1, options_.activation) {}

void Gan::draw_code(std::uint64_t seed, std::uint32_t purpose, Index sample, View z) const {
    for (Index i = 0; i < z.size(); ++i) {
        z[i] = normal({.seed = seed,
                       .round = 0,
                       .record = purpose,
                       .step = static_cast<std::uint32_t>(i),
                       .sample = sample});
    }
}

void Gan::code(Index sample, View z) const {
    draw_code(options_.seed, kTrainingCodes, sample, z);
}

PlanePoint Gan::data_point(Index sample) const {
    return data().at(
        {.seed = options_.seed, .round = 0, .record = kTrainingData, .step = 0, .sample = sample});
}

std::vector<Real> Gan::generator_start() const {
    std::vector<Real> weights(generator_.dimension());
    generator_.start(weights, options_.seed);
    return weights;
}

std::vector<Real> Gan::discriminator_start() const {
    std::vector<Real> weights(discriminator_.dimension());
    discriminator_.start(weights, ~options_.seed);
    return weights;
}

void Gan::generate(ConstView weights, std::uint64_t seed, std::span<PlanePoint> out, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    Perceptron::Tile tile(generator_, Perceptron::Tile::kUsual, false, frame);
    for (Index first = 0; first < out.size(); first += tile.room()) {
        const Index count = std::min(tile.room(), out.size() - first);
        for (Index k = 0; k < count; ++k) draw_code(seed, kFreshCodes, first + k, tile.input(k));
        const View points = tile.forward(weights, count);
        for (Index k = 0; k < count; ++k) out[first + k] = {points[2 * k], points[2 * k + 1]};
    }
}

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
