/// Exact gradients with noise of a known law on them.
#pragma once

#include "window/noise_model.hpp"
#include "window/oracle.hpp"

#include <numeric>

namespace proxstream {

class NoisyOracle {
  public:
    /// `samples` base samples an answer; noise independent from record to record, or one for all of them.
    /// Throws ConfigError if the model cannot be.
    NoisyOracle(const NoiseModel& model, std::uint64_t samples, bool independent)
        : model_(model), samples_(samples), independent_(independent) {
        model_.validate();
    }

    std::uint64_t samples() const noexcept { return samples_; }
    bool exact() const noexcept { return false; }
    bool bounded() const noexcept { return model_.bounded(); }
    bool independent() const noexcept { return independent_; }
    /// Of bounded noise the sure bound, which averaging does not lower. Of dropout nothing: its noise grows
    /// with the gradient.
    std::optional<Real> level(std::span<const Real> weights, std::uint64_t samples) const {
        if (!model_.additive()) return std::nullopt;
        if (model_.bounded()) return noise_level(model_.sigma, weights, 1, false);
        return noise_level(model_.sigma, weights, samples, independent_);
    }

    template <RecordBatch B>
    void estimate(const OracleView<B>& window, const Ticket& ticket, std::uint64_t samples, ConstView y,
                  View out, Cost& cost, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const std::uint64_t records = count_records(window.weights);
        cost.oracle_calls += records;
        cost.base_samples += samples * records;
        if (!model_.additive()) {
            const View weights = frame.take(window.weights.size());
            for (Index age = 0; age < weights.size(); ++age) {
                weights[age] = window.weights[age] == 0
                                   ? 0
                                   : window.weights[age] * model_.mean_factor(draw_for(ticket, age), samples);
            }
            window.batch.weighted_value_and_gradient(weights, y, out, scratch);
            return;
        }
        window.batch.weighted_value_and_gradient(window.weights, y, out, scratch);
        const View noise = frame.take(out.size());
        if (!independent_) {
            model_.mean_noise(ticket.shared(), samples, noise, scratch);
            axpy(std::accumulate(window.weights.begin(), window.weights.end(), Real{0}), noise, out);
            return;
        }
        for (Index age = window.weights.size(); age-- > 0;) {
            if (window.weights[age] == 0) continue;
            model_.mean_noise(ticket.of_record(age), samples, noise, scratch);
            axpy(window.weights[age], noise, out);
        }
    }

    template <RecordBatch B>
    void answer(const B& batch, Index age, const Ticket& ticket, std::uint64_t samples, ConstView y, View out,
                Cost& cost, Scratch& scratch) const {
        ++cost.oracle_calls;
        cost.base_samples += samples;
        batch.value_and_gradient(age, y, out, scratch);
        const Draw draw = draw_for(ticket, age);
        if (!model_.additive()) {
            scaled(model_.mean_factor(draw, samples), out, out);
            return;
        }
        Scratch::Frame frame(scratch);
        const View noise = frame.take(out.size());
        model_.mean_noise(draw, samples, noise, scratch);
        axpy(1, noise, out);
    }

    /// Additive noise is the same at both points and cancels; what is left is the draw of the records.
    template <RecordBatch B>
    void difference(const OracleView<B>& window, const Ticket& ticket, std::uint64_t samples, ConstView y,
                    ConstView from, View out, Cost& cost, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const auto factor = [&](Index sample, Index age) {
            if (model_.additive()) return Real{1};
            Draw draw = draw_for(ticket, age);
            draw.step = ~draw.step;  // apart from the draws of records and of estimates
            draw.sample = independent_ ? sample : 0;
            return model_.mean_factor(draw, 1);
        };
        const View weights = drawn_weights(window.weights, ticket.shared(), samples, frame, factor);
        records_difference(window.batch, weights, y, from, out, scratch);
        cost.oracle_calls += 2 * samples;
        cost.base_samples += 2 * samples;
    }

  private:
    Draw draw_for(const Ticket& ticket, Index age) const {
        return independent_ ? ticket.of_record(age) : ticket.shared();
    }

    NoiseModel model_;
    std::uint64_t samples_;
    bool independent_;
};

}  // namespace proxstream
