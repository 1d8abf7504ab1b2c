/// The user's own sampler of gradients.
#pragma once

#include "window/oracle.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

class CallbackOracle final : public GradientOracle {
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

    std::string name() const override { return claim_.name; }
    std::uint64_t samples() const override { return samples_; }
    bool bounded() const override { return claim_.bounded; }
    bool independent() const override { return claim_.independent; }
    std::optional<Real> level(std::span<const Real> weights, std::uint64_t samples) const override;
    void answer(const AnyBatch& batch, Index age, const OracleCall& call, ConstView y,
                View out) const override;
    void difference(const OracleView& window, const OracleCall& call, ConstView y, ConstView from,
                    View out) const override;

  private:
    /// Adds weight times a base sample. Throws Error if the sample has another length than x.
    void add_sample(Round record, ConstView x, const Draw& draw, Real weight, View out,
                    std::vector<Real>& gradient) const;

    Sampler sampler_;
    std::uint64_t samples_;
    Claim claim_;
};

}  // namespace proxstream
