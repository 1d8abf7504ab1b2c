#include "study/estimate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Beyond these a power of ten is taken out.
constexpr Real kSmall = 1e-3;
constexpr Real kLarge = 1e6;

int magnitude(Real value) {
    return static_cast<int>(std::floor(std::log10(value)));
}

/// Decimals that show two digits of the error, but no more than four of the mean: a few seeds tell no more.
int decimals(Real mean, Real error) {
    const int of_mean = mean == 0 ? 3 : std::max(0, 3 - magnitude(std::abs(mean)));
    return error > 0 ? std::clamp(1 - magnitude(error), 0, of_mean) : of_mean;
}

}  // namespace

Estimate estimate(std::span<const Real> values) {
    Estimate result;
    result.count = values.size();
    if (values.empty()) return result;
    const auto count = static_cast<Real>(values.size());
    for (const Real value : values) result.mean += value / count;
    if (values.size() < 2) return result;
    Real squares = 0;
    for (const Real value : values) squares += (value - result.mean) * (value - result.mean);
    result.error = std::sqrt(squares / (count - 1) / count);
    return result;
}

Estimate over(Estimate estimate, Real unit) {
    estimate.mean /= unit;
    if (estimate.error) *estimate.error /= std::abs(unit);
    return estimate;
}

std::string to_text(const Estimate& estimate) {
    if (estimate.count == 0) return "-";
    const Real error = estimate.error.value_or(0);
    if (!std::isfinite(estimate.mean) || !std::isfinite(error)) return fmt::format("{}", estimate.mean);
    const Real size = std::max(std::abs(estimate.mean), error);
    const int power = size > 0 && (size < kSmall || size >= kLarge) ? magnitude(size) : 0;
    const Real unit = std::pow(Real{10}, power);
    const Real mean = estimate.mean / unit;
    const int places = decimals(mean, error / unit);
    std::string text = fmt::format("{:.{}f}", mean, places);
    if (estimate.error) text += fmt::format(" +- {:.{}f}", error / unit, places);
    if (power == 0) return text;
    return estimate.error ? fmt::format("({})e{:+03d}", text, power) : fmt::format("{}e{:+03d}", text, power);
}

}  // namespace proxstream
