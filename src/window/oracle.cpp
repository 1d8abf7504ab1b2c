#include "window/oracle.hpp"

#include <algorithm>
#include <cmath>

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

void records_difference(const AnyBatch& batch, std::span<const Real> weights, ConstView y, ConstView from,
                        View out, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View before = frame.take(out.size());
    batch.weighted_value_and_gradient(weights, y, out, scratch);
    batch.weighted_value_and_gradient(weights, from, before, scratch);
    subtract(out, before, out);
}

void GradientOracle::estimate(const OracleView& window, const OracleCall& call, ConstView y, View out) const {
    Scratch::Frame frame(call.scratch);
    const View single = frame.take(out.size());
    fill(out, 0);
    for (Index age = window.weights.size(); age-- > 0;) {
        if (window.weights[age] == 0) continue;
        answer(window.batch, age, call, y, single);
        axpy(window.weights[age], single, out);
    }
}

void ExactOracle::estimate(const OracleView& window, const OracleCall& call, ConstView y, View out) const {
    window.batch.weighted_value_and_gradient(window.weights, y, out, call.scratch);
    call.cost.record_gradients += count_records(window.weights);
}

void ExactOracle::answer(const AnyBatch& batch, Index age, const OracleCall& call, ConstView y,
                         View out) const {
    batch.value_and_gradient(age, y, out, call.scratch);
    ++call.cost.record_gradients;
}

void ExactOracle::difference(const OracleView& window, const OracleCall& call, ConstView y, ConstView from,
                             View out) const {
    Scratch::Frame frame(call.scratch);
    const View weights = drawn_weights(window.weights, call.ticket.shared(), call.samples, frame,
                                       [](Index /*sample*/, Index /*age*/) { return Real{1}; });
    records_difference(window.batch, weights, y, from, out, call.scratch);
    call.cost.record_gradients += 2 * count_records(weights);
}

}  // namespace proxstream
