#include "game/gan.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace proxstream {
namespace {

/// What a draw is for; weights begin with purpose 0.
constexpr std::uint32_t kTrainingCodes = 1;
constexpr std::uint32_t kTrainingData = 2;
constexpr std::uint32_t kFreshCodes = 3;

GanOptions checked(GanOptions options) {
    std::vector<std::string> violations;
    if (options.data.modes.empty()) violations.emplace_back("the data of a GAN need at least one mode");
    if (!(options.data.spread > 0 && std::isfinite(options.data.spread)))
        violations.emplace_back("the spread of a GAN's data must be positive");
    if (options.latent == 0) violations.emplace_back("a generator needs codes of at least one dimension");
    if (options.samples < 2) violations.emplace_back("a GAN needs at least 2 samples");
    if (!violations.empty()) throw ConfigError(std::move(violations));
    return options;
}

}  // namespace

Gan::Gan(GanOptions options)
    : options_(checked(std::move(options))),
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

}  // namespace proxstream
