/// The user's own sampler of gradients.
#pragma once

#include "window/oracle.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

class CallbackOracle {
  public:
    /// Writes a base sample of the gradient at x of the loss of round `record` into `gradient`, which has to
    /// end up as long as x. A sample is what a draw makes it: the same draw at two points is the same sample.
    using Sampler =
        std::function<void(Round record, ConstView x, const Draw& draw, std::vector<Real>& gradient)>;

    struct Claim {
        std::optional<Real> base_noise = {};  // sigma_0 of a base sample of one record
        bool bounded = false;                 // surely, not only in the mean square
        bool independent = true;              // across records
        std::string name = "callback";        // in the certificate
    };

    CallbackOracle(Sampler sampler, std::uint64_t samples, const Claim& claim)
        : sampler_(std::move(sampler)), samples_(samples), claim_(claim) {}

    const std::string& name() const noexcept { return claim_.name; }
    std::uint64_t samples() const noexcept { return samples_; }
    bool exact() const noexcept { return false; }
    bool bounded() const noexcept { return claim_.bounded; }
    bool independent() const noexcept { return claim_.independent; }
    std::optional<Real> level(std::span<const Real> weights, std::uint64_t samples) const {
        if (!claim_.base_noise) return std::nullopt;
        if (claim_.bounded) return noise_level(*claim_.base_noise, weights, 1, false);
        return noise_level(*claim_.base_noise, weights, samples, claim_.independent);
    }

    template <RecordBatch B>
    void estimate(const OracleView<B>& window, const Ticket& ticket, std::uint64_t samples, ConstView y,
                  View out, Cost& cost, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const View single = frame.take(out.size());
        fill(out, 0);
        for (Index age = window.weights.size(); age-- > 0;) {
            if (window.weights[age] == 0) continue;
            answer(window.batch, age, ticket, samples, y, single, cost, scratch);
            axpy(window.weights[age], single, out);
        }
    }

    template <RecordBatch B>
    void answer(const B& /*batch*/, Index age, const Ticket& ticket, std::uint64_t samples, ConstView y,
                View out, Cost& cost, Scratch& /*scratch*/) const {
        std::vector<Real> gradient(out.size());
        fill(out, 0);
        Draw draw = claim_.independent ? ticket.of_record(age) : ticket.shared();
        for (draw.sample = 0; draw.sample < samples; ++draw.sample) {
            add_sample(ticket.round - age, y, draw, 1 / static_cast<Real>(samples), out, gradient);
        }
        ++cost.oracle_calls;
        cost.base_samples += samples;
    }

    template <RecordBatch B>
    void difference(const OracleView<B>& window, const Ticket& ticket, std::uint64_t samples, ConstView y,
                    ConstView from, View out, Cost& cost, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const auto parts = frame.take<WeightedPart>(samples);
        draw_ages(window.weights, ticket.shared(), parts);
        std::vector<Real> gradient(out.size());
        fill(out, 0);
        for (Index i = 0; i < parts.size(); ++i) {
            const Round record = ticket.round - parts[i].age;
            Draw draw = claim_.independent ? ticket.of_record(parts[i].age) : ticket.shared();
            draw.step = ~draw.step;  // apart from the draws of the records themselves
            draw.sample = i;
            add_sample(record, y, draw, parts[i].weight, out, gradient);
            add_sample(record, from, draw, -parts[i].weight, out, gradient);
        }
        cost.oracle_calls += 2 * samples;
        cost.base_samples += 2 * samples;
    }

  private:
    /// Adds weight times a base sample. Throws Error if the sample has another length than x.
    void add_sample(Round record, ConstView x, const Draw& draw, Real weight, View out,
                    std::vector<Real>& gradient) const;

    Sampler sampler_;
    std::uint64_t samples_;
    Claim claim_;
};

}  // namespace proxstream
