#include "window/callback_oracle.hpp"

#include "proxstream/core/error.hpp"

namespace proxstream {

std::optional<Real> CallbackOracle::level(std::span<const Real> weights, std::uint64_t samples) const {
    if (!claim_.base_noise) return std::nullopt;
    if (claim_.bounded) return noise_level(*claim_.base_noise, weights, 1, false);
    return noise_level(*claim_.base_noise, weights, samples, claim_.independent);
}

void CallbackOracle::answer(const AnyBatch& /*batch*/, Index age, const OracleCall& call, ConstView y,
                            View out) const {
    std::vector<Real> gradient(out.size());
    fill(out, 0);
    Draw draw = claim_.independent ? call.ticket.of_record(age) : call.ticket.shared();
    for (draw.sample = 0; draw.sample < call.samples; ++draw.sample) {
        add_sample(call.ticket.round - age, y, draw, 1 / static_cast<Real>(call.samples), out, gradient);
    }
    ++call.cost.oracle_calls;
    call.cost.base_samples += call.samples;
}

void CallbackOracle::difference(const OracleView& window, const OracleCall& call, ConstView y, ConstView from,
                                View out) const {
    Scratch::Frame frame(call.scratch);
    const auto parts = frame.take<WeightedPart>(call.samples);
    draw_ages(window.weights, call.ticket.shared(), parts);
    std::vector<Real> gradient(out.size());
    fill(out, 0);
    for (Index i = 0; i < parts.size(); ++i) {
        const Round record = call.ticket.round - parts[i].age;
        Draw draw = claim_.independent ? call.ticket.of_record(parts[i].age) : call.ticket.shared();
        draw.step = ~draw.step;  // apart from the draws of the records themselves
        draw.sample = i;
        add_sample(record, y, draw, parts[i].weight, out, gradient);
        add_sample(record, from, draw, -parts[i].weight, out, gradient);
    }
    call.cost.oracle_calls += 2 * call.samples;
    call.cost.base_samples += 2 * call.samples;
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
