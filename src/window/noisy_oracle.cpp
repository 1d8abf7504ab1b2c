#include "window/noisy_oracle.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include "core/violations.hpp"

#include <cmath>
#include <numeric>
#include <vector>

namespace proxstream {
namespace {

/// A base sample has n coordinates and one number beside: each its own place in the sequence, counted from
/// the draw's.
Draw place(Draw draw, std::uint64_t sample, Index dimension, Index coordinate) {
    draw.sample += sample * (dimension + 1) + coordinate;
    return draw;
}

}  // namespace

void NoiseModel::mean_noise(const Draw& draw, std::uint64_t samples, View out, Scratch& scratch) const {
    const Index n = out.size();
    Scratch::Frame frame(scratch);
    const View one = frame.take(n);
    if (kind == Kind::gaussian) {
        // A mean of normal vectors is a normal vector: drawn at once, however many it stands for.
        const Real length = sigma / std::sqrt(static_cast<Real>(n) * static_cast<Real>(samples));
        for (Index i = 0; i < n; ++i) out[i] = length * normal(place(draw, 0, n, i));
        return;
    }
    fill(out, 0);
    for (std::uint64_t sample = 0; sample < samples; ++sample) {
        for (Index i = 0; i < n; ++i) one[i] = normal(place(draw, sample, n, i));
        const Real size = norm(one);
        // A normal vector of length 0 has probability 0; its direction is then as good as any.
        Real length = size > 0 ? sigma / size : 0;
        if (kind == Kind::heavy) {
            // The least length u_0 with E|e|^2 = tail u_0^2 / (tail - 2) = sigma^2.
            length *= std::sqrt((tail - 2) / tail) * std::pow(uniform(place(draw, sample, n, n)), -1 / tail);
        }
        axpy(length / static_cast<Real>(samples), one, out);
    }
}

Real NoiseModel::mean_factor(const Draw& draw, std::uint64_t samples) const {
    std::uint64_t kept = 0;
    for (std::uint64_t sample = 0; sample < samples; ++sample) {
        kept += uniform(place(draw, sample, 0, 0)) >= sigma ? 1 : 0;
    }
    return static_cast<Real>(kept) / (static_cast<Real>(samples) * (1 - sigma));
}

void NoiseModel::validate() const {
    Violations violations;
    const bool drops = kind == Kind::dropout;
    violations.require(!drops || (sigma >= 0 && sigma < 1),
                       "dropout: its probability must lie in [0, 1), not {}", format_short(sigma));
    violations.require(drops || (sigma >= 0 && sigma < kAbsurd),
                       "sigma = {}: must be finite and not negative", format_short(sigma));
    violations.require(tail > 2 && tail < kAbsurd, "tail = {}: must be above 2, or the noise has no variance",
                       format_short(tail));
    violations.conclude();
}

std::optional<Real> NoisyOracle::level(std::span<const Real> weights, std::uint64_t samples) const {
    if (!model_.additive()) return std::nullopt;
    if (model_.bounded()) return noise_level(model_.sigma, weights, 1, false);
    return noise_level(model_.sigma, weights, samples, independent_);
}

void NoisyOracle::estimate(const OracleView& window, const OracleCall& call, ConstView y, View out) const {
    Scratch::Frame frame(call.scratch);
    const std::uint64_t records = count_records(window.weights);
    call.cost.oracle_calls += records;
    call.cost.base_samples += call.samples * records;
    if (!model_.additive()) {
        const View weights = frame.take(window.weights.size());
        for (Index age = 0; age < weights.size(); ++age) {
            weights[age] =
                window.weights[age] == 0
                    ? 0
                    : window.weights[age] * model_.mean_factor(draw_for(call.ticket, age), call.samples);
        }
        window.batch.weighted_value_and_gradient(weights, y, out, call.scratch);
        return;
    }
    window.batch.weighted_value_and_gradient(window.weights, y, out, call.scratch);
    const View noise = frame.take(out.size());
    if (!independent_) {
        model_.mean_noise(call.ticket.shared(), call.samples, noise, call.scratch);
        axpy(std::accumulate(window.weights.begin(), window.weights.end(), Real{0}), noise, out);
        return;
    }
    for (Index age = window.weights.size(); age-- > 0;) {
        if (window.weights[age] == 0) continue;
        model_.mean_noise(call.ticket.of_record(age), call.samples, noise, call.scratch);
        axpy(window.weights[age], noise, out);
    }
}

void NoisyOracle::answer(const AnyBatch& batch, Index age, const OracleCall& call, ConstView y,
                         View out) const {
    ++call.cost.oracle_calls;
    call.cost.base_samples += call.samples;
    batch.value_and_gradient(age, y, out, call.scratch);
    const Draw draw = draw_for(call.ticket, age);
    if (!model_.additive()) {
        scaled(model_.mean_factor(draw, call.samples), out, out);
        return;
    }
    Scratch::Frame frame(call.scratch);
    const View noise = frame.take(out.size());
    model_.mean_noise(draw, call.samples, noise, call.scratch);
    axpy(1, noise, out);
}

/// Additive noise is the same at both points and cancels; what is left is the draw of the records.
void NoisyOracle::difference(const OracleView& window, const OracleCall& call, ConstView y, ConstView from,
                             View out) const {
    Scratch::Frame frame(call.scratch);
    const auto factor = [&](Index sample, Index age) {
        if (model_.additive()) return Real{1};
        Draw draw = draw_for(call.ticket, age);
        draw.step = ~draw.step;  // apart from the draws of records and of estimates
        draw.sample = independent_ ? sample : 0;
        return model_.mean_factor(draw, 1);
    };
    const View weights = drawn_weights(window.weights, call.ticket.shared(), call.samples, frame, factor);
    records_difference(window.batch, weights, y, from, out, call.scratch);
    call.cost.oracle_calls += 2 * call.samples;
    call.cost.base_samples += 2 * call.samples;
}

}  // namespace proxstream
