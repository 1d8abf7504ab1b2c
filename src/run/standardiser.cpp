#include "run/standardiser.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

constexpr Real kLargest = 1e140;  // (2e140)^2 times 2^64 rows is still a finite number

void refuse_sparse(const RowBlock& block) {
    if (!block.sparse()) return;
    throw ConfigError(
        "--standardise: sparse rows cannot be standardised, subtracting the mean would fill every zero");
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

void Standardiser::check(ConstView row) const {
    assert(row.size() == features());
    for (Index i = 0; i < row.size(); ++i) {
        if (std::abs(row[i]) <= kLargest) continue;
        throw DataError({"row", 0, i + 1, ""}, "the value is too large to be standardised",
                        "a magnitude of at most 1e140");
    }
}

void Standardiser::update(ConstView row) {
    check(row);
    ++state_.count;
    const Real share = 1 / static_cast<Real>(state_.count);
    for (Index i = 0; i < row.size(); ++i) {
        const Real before = row[i] - state_.mean[i];
        state_.mean[i] += before * share;
        state_.m2[i] += before * (row[i] - state_.mean[i]);
    }
}

Real Standardiser::deviation(Index column) const {
    if (state_.count == 0) return 0;
    // Deviations of the size of rounding come from a constant column and must not be blown up to 1.
    const Real rounding = 4 * kUnitRoundoff * std::abs(state_.mean[column]);
    const Real deviation = std::sqrt(state_.m2[column] / static_cast<Real>(state_.count));
    return deviation > rounding ? deviation : 0;
}

void Standardiser::transform(ConstView row, View out) const {
    for (Index i = 0; i < row.size(); ++i) {
        const Real scale = deviation(i);
        out[i] = scale > 0 ? (row[i] - state_.mean[i]) / scale : 0;
    }
}

void Standardiser::apply(const RowBlock& from, RowBlock& to, Scratch& scratch) {
    refuse_sparse(from);
    for (Index i = 0; i < from.rows(); ++i) check(from.values(i));
    Scratch::Frame frame(scratch);
    const View row = frame.take(features());
    for (Index i = 0; i < from.rows(); ++i) {
        update(from.values(i));
        transform(from.values(i), row);
        to.add_dense(row, from.target(i));
    }
}

void Standardiser::transform(const RowBlock& from, RowBlock& to, Scratch& scratch) const {
    refuse_sparse(from);
    Scratch::Frame frame(scratch);
    const View row = frame.take(features());
    for (Index i = 0; i < from.rows(); ++i) {
        transform(from.values(i), row);
        to.add_dense(row, from.target(i));
    }
}

void Standardiser::serialise(StateArchive& archive) {
    archive.field("count", state_.count);
    archive.fixed("mean", state_.mean);
    archive.fixed("m2", state_.m2);
}

}  // namespace proxstream
