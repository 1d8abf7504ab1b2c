#include "offline/argument_reader.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

/// Samples that sigma_0 is measured on.
constexpr Index kNoiseSamples = 1024;

}  // namespace

void ArgumentReader::require(bool holds, const std::string& what) const {
    if (!holds) throw ConfigError("method = '" + spec_.text() + "': " + what);
}

void ArgumentReader::note(std::string_view name, Real value, std::string_view source) {
    parameters_.push_back({std::string(name), format_short(value), std::string(source)});
}

Real ArgumentReader::read(std::string_view key, Real fallback, std::string_view source) {
    const bool given = spec_.has(key);
    const Real value = spec_.number_or(Spec::kByNameOnly, key, fallback);
    require(!given || std::abs(value) < kAbsurd,
            std::string(key) + " = " + format_short(value) + " is too large");
    note(key, value, given ? "given" : source);
    return value;
}

Real ArgumentReader::positive(std::string_view key, Real fallback, std::string_view source) {
    const Real value = read(key, fallback, source);
    require(value > 0, std::string(key) + " = " + format_short(value) + " must be positive");
    return value;
}

Real ArgumentReader::not_negative(std::string_view key, Real fallback, std::string_view source) {
    const Real value = read(key, fallback, source);
    require(value >= 0, std::string(key) + " = " + format_short(value) + " must not be negative");
    return value;
}

Real ArgumentReader::fraction(std::string_view key, Real fallback, std::string_view source) {
    const Real value = read(key, fallback, source);
    require(value >= 0 && value <= 1, std::string(key) + " = " + format_short(value) + " must lie in [0, 1]");
    return value;
}

Index ArgumentReader::count(std::string_view key, Index fallback, std::string_view source) {
    const Index value = spec_.count_or(key, fallback);
    parameters_.push_back(
        {std::string(key), std::to_string(value), std::string(spec_.has(key) ? "given" : source)});
    return value;
}

std::string ArgumentReader::word(std::string_view key, std::initializer_list<std::string_view> allowed,
                                 std::string_view fallback, std::string_view source) {
    std::string value = spec_.word_or(key, fallback);
    std::string list;
    for (const std::string_view name : allowed) list += (list.empty() ? "" : ", ") + std::string(name);
    require(std::find(allowed.begin(), allowed.end(), value) != allowed.end(),
            std::string(key) + " = '" + value + "' must be one of " + list);
    parameters_.push_back({std::string(key), value, std::string(spec_.has(key) ? "given" : source)});
    return value;
}

Real ArgumentReader::step(Real fallback, std::string_view source) {
    const bool given = spec_.has("step");
    const Real value = spec_.number_or(Spec::kByNameOnly, "step", fallback);
    require(value > 0 && value < kAbsurd, "step = " + format_short(value) + " must be positive and finite");
    const Real scale = parts_.step_scale;
    require(scale > 0 && scale < kAbsurd,
            "the step is scaled by " + format_short(scale) + ", which must be positive and finite");
    std::string origin(given ? "given" : source);
    if (scale != 1) origin += ", times " + format_short(scale);
    note("step", value * scale, origin);
    return value * scale;
}

const GradientNoise& ArgumentReader::noise() {
    if (!noise_) {
        Scratch scratch;
        noise_ = measure_gradient_noise(*problem().loss, problem().start, kNoiseSamples, parts_.seed,
                                        setup_cost_, scratch);
    }
    return *noise_;
}

Real ArgumentReader::sigma0() {
    if (spec_.has("sigma0")) return not_negative("sigma0", 0, "");
    const GradientNoise& measured = noise();
    return not_negative("sigma0", measured.finite ? measured.deviation : 0,
                        "measured at the start on " + std::to_string(measured.samples) + " samples");
}

Real ArgumentReader::usable(std::string_view name, Real smoothness) {
    const SmoothnessFacts& facts = problem().smoothness;
    std::string origin = facts.origin;
    // No curvature was measured: fall back to the reference step.
    if (!(smoothness > 0) || !std::isfinite(smoothness)) {
        smoothness = 1 / problem().reference_step;
        origin = "1 / reference step";
    }
    note(name, smoothness, origin);
    return smoothness;
}

Real ArgumentReader::mean_smoothness() {
    return usable("smoothness", problem().smoothness.mean);
}

Real ArgumentReader::mean_square_smoothness() {
    const SmoothnessFacts& facts = problem().smoothness;
    return usable("smoothness in the mean square", std::max(facts.mean_square, facts.mean));
}

Real ArgumentReader::largest_smoothness() {
    const SmoothnessFacts& facts = problem().smoothness;
    if (!(facts.largest > 0) || !std::isfinite(facts.largest)) return mean_square_smoothness();
    return usable("smoothness of single samples", facts.largest);
}

Index root_batch(std::uint64_t n, Real power) {
    return std::max<Index>(1, static_cast<Index>(std::lround(std::pow(static_cast<Real>(n), power))));
}

std::uint64_t count_of(Real value) {
    constexpr Real kMost = 1e15;
    return static_cast<std::uint64_t>(std::ceil(std::clamp<Real>(value, 1, kMost)));
}

}  // namespace proxstream
