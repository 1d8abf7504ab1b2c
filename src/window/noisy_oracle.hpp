/// Exact gradients with noise of a known law on them.
#pragma once

#include "window/oracle.hpp"

namespace proxstream {

/// A law of noise.
struct NoiseModel {
    enum class Kind : std::uint8_t {
        sphere,    // uniform on the sphere of radius sigma: bounded
        gaussian,  // E|e|^2 = sigma^2
        heavy,     // uniform direction, Pareto length: E|e|^2 = sigma^2, no moment above `tail`
        dropout,   // the gradient is lost with probability sigma, and else scaled up to stay unbiased
    };
    Kind kind = Kind::gaussian;
    Real sigma = 0;   // of one base sample; the probability of dropout
    Real tail = 2.5;  // of heavy: P(|e| > u) falls like u^-tail; above 2

    /// The mean of `samples` base samples of additive noise; not for dropout. `draw` says where they come
    /// from, sample and coordinate apart.
    void mean_noise(const Draw& draw, std::uint64_t samples, View out, Scratch& scratch) const;
    /// The mean of `samples` factors of dropout: 0 or 1/(1 - p) each.
    Real mean_factor(const Draw& draw, std::uint64_t samples) const;

    bool additive() const noexcept { return kind != Kind::dropout; }
    bool bounded() const noexcept { return kind == Kind::sphere; }

    /// Throws ConfigError with everything that cannot be.
    void validate() const;
};

class NoisyOracle final : public GradientOracle {
  public:
    /// `samples` base samples an answer; noise independent from record to record, or one for all of them.
    /// Throws ConfigError if the model cannot be.
    NoisyOracle(const NoiseModel& model, std::uint64_t samples, bool independent)
        : model_(model), samples_(samples), independent_(independent) {
        model_.validate();
    }

    std::uint64_t samples() const override { return samples_; }
    bool bounded() const override { return model_.bounded(); }
    bool independent() const override { return independent_; }
    /// Of bounded noise the sure bound, which averaging does not lower. Of dropout nothing: its noise grows
    /// with the gradient.
    std::optional<Real> level(std::span<const Real> weights, std::uint64_t samples) const override;
    void estimate(const OracleView& window, const OracleCall& call, ConstView y, View out) const override;
    void answer(const AnyBatch& batch, Index age, const OracleCall& call, ConstView y,
                View out) const override;
    void difference(const OracleView& window, const OracleCall& call, ConstView y, ConstView from,
                    View out) const override;

  private:
    Draw draw_for(const Ticket& ticket, Index age) const {
        return independent_ ? ticket.of_record(age) : ticket.shared();
    }

    NoiseModel model_;
    std::uint64_t samples_;
    bool independent_;
};

}  // namespace proxstream
