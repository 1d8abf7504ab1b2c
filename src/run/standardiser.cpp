#include "run/standardiser.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

constexpr Real kLargest = 1e140;  // (2e140)^2 times 2^64 rows is still finite

/// A deviation at rounding level belongs to a constant column, and must not be scaled up to 1.
Real deviation_of(Real mean, Real m2, std::uint64_t count) {
    const Real rounding = 4 * kUnitRoundoff * std::abs(mean);
    const Real deviation = std::sqrt(m2 / static_cast<Real>(count));
    return deviation > rounding ? deviation : 0;
}

}  // namespace

Standardiser::Standardiser(Index features) {
    state_.mean.assign(features, 0);
    state_.m2.assign(features, 0);
}

Standardiser::Standardiser(State state) : state_(std::move(state)) {
    const auto finite = [](Real value) { return std::isfinite(value); };
    const auto proper = [](Real value) { return std::isfinite(value) && value >= 0; };
    if (state_.mean.size() != state_.m2.size() ||
        !std::all_of(state_.mean.begin(), state_.mean.end(), finite) ||
        !std::all_of(state_.m2.begin(), state_.m2.end(), proper)) {
        throw ConfigError(
            "standardisation: mean and m2 must be finite, of equal length, and m2 must not be negative");
    }
}

std::optional<Index> Standardiser::too_large(ConstView row) {
    for (Index i = 0; i < row.size(); ++i) {
        if (!(std::abs(row[i]) <= kLargest)) return i;
    }
    return std::nullopt;
}

void Standardiser::refuse(DataLocation where) {
    throw DataError(std::move(where), "the value is too large to be standardised",
                    "a magnitude of at most 1e140");
}

void Standardiser::update(ConstView row) {
    assert(row.size() == features());
    if (const auto place = too_large(row)) refuse({"row", 0, *place + 1, ""});
    ++state_.count;
    const Real share = 1 / static_cast<Real>(state_.count);
    for (Index i = 0; i < row.size(); ++i) {
        const Real before = row[i] - state_.mean[i];
        state_.mean[i] += before * share;
        state_.m2[i] += before * (row[i] - state_.mean[i]);
    }
}

Real Standardiser::deviation(Index column) const {
    return state_.count == 0 ? 0 : deviation_of(state_.mean[column], state_.m2[column], state_.count);
}

void Standardiser::transform_next(ConstView row, View out) const {
    const std::uint64_t count = state_.count + 1;
    const Real share = 1 / static_cast<Real>(count);
    for (Index i = 0; i < row.size(); ++i) {
        const Real before = row[i] - state_.mean[i];
        const Real mean = state_.mean[i] + before * share;
        const Real after = row[i] - mean;
        const Real scale = deviation_of(mean, state_.m2[i] + before * after, count);
        out[i] = scale > 0 ? after / scale : 0;
    }
}

void Standardiser::transform(ConstView row, View out) const {
    for (Index i = 0; i < row.size(); ++i) {
        const Real scale = deviation(i);
        out[i] = scale > 0 ? (row[i] - state_.mean[i]) / scale : 0;
    }
}

void Standardiser::serialise(StateArchive& archive) {
    archive.field("count", state_.count);
    archive.fixed("mean", state_.mean);
    archive.fixed("m2", state_.m2);
}

}  // namespace proxstream
