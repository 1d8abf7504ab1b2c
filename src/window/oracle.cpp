#include "window/oracle.hpp"

#include "proxstream/core/error.hpp"

#include "window/callback_oracle.hpp"
#include "window/minibatch_oracle.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

namespace proxstream {

std::uint64_t count_records(std::span<const Real> weights) {
    return static_cast<std::uint64_t>(
        std::count_if(weights.begin(), weights.end(), [](Real weight) { return weight != 0; }));
}

void draw_ages(std::span<const Real> weights, const Draw& draw, std::span<WeightedPart> out) {
    Real total = 0;
    for (const Real weight : weights) total += weight;
    const Real slice = total / static_cast<Real>(out.size());
    Index age = 0;
    Index last = 0;  // the last record that has a weight: rounding must not run past it
    for (Index i = 0; i < weights.size(); ++i) {
        if (weights[i] != 0) last = i;
    }
    Real below = 0;  // the sum of the weights before `age`
    for (Index i = 0; i < out.size(); ++i) {
        Draw own = draw;
        own.sample = i;
        const Real at = (static_cast<Real>(i) + uniform(own)) * slice;
        while (age < last && below + weights[age] <= at) below += weights[age++];
        out[i] = {age, 0, slice};
    }
}

Real noise_level(Real base_noise, std::span<const Real> weights, std::uint64_t samples, bool independent) {
    Real sum = 0;
    Real squares = 0;
    for (const Real weight : weights) {
        sum += weight;
        squares += weight * weight;
    }
    return base_noise * (independent ? std::sqrt(squares) : sum) / std::sqrt(static_cast<Real>(samples));
}

std::optional<Real> MinibatchOracle::level(std::span<const Real> weights, std::uint64_t samples) const {
    if (!base_noise_) return std::nullopt;
    const Real level = noise_level(*base_noise_, weights, samples, true);
    if (replace_ || record_rows_ < 2) return level;
    if (samples >= record_rows_) return 0;
    return level * std::sqrt(static_cast<Real>(record_rows_ - samples) / static_cast<Real>(record_rows_ - 1));
}

void MinibatchOracle::draw_rows(Draw draw, Index count, std::span<Index> rows, Scratch& scratch) const {
    if (replace_) {
        for (Index i = 0; i < rows.size(); ++i) {
            draw.sample = i;
            rows[i] = uniform_below(draw, count);
        }
        return;
    }
    if (rows.size() == count) {
        for (Index i = 0; i < count; ++i) rows[i] = i;
        return;
    }
    // Floyd's subset: the i-th draw is from the first count - rows + i + 1, and stands for the last of them
    // if it is already taken.
    Scratch::Frame frame(scratch);
    const auto taken = frame.take<unsigned char>(count);
    std::fill(taken.begin(), taken.end(), static_cast<unsigned char>(0));
    for (Index i = 0; i < rows.size(); ++i) {
        const Index last = count - rows.size() + i;
        draw.sample = i;
        Index row = uniform_below(draw, last + 1);
        if (taken[row] != 0) row = last;
        taken[row] = 1;
        rows[i] = row;
    }
}

void CallbackOracle::add_sample(Round record, ConstView x, const Draw& draw, Real weight, View out,
                                std::vector<Real>& gradient) const {
    sampler_(record, x, draw, gradient);
    if (gradient.size() != x.size()) {
        throw ConfigError("the oracle's gradient of record " + std::to_string(record) + " has " +
                          std::to_string(gradient.size()) + " numbers, x has " + std::to_string(x.size()));
    }
    axpy(weight, gradient, out);
}

}  // namespace proxstream
