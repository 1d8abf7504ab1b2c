/// A loss made of functions: for problems that are code.
#pragma once

#include "offline/sampled_loss.hpp"

#include <functional>
#include <optional>

namespace proxstream {

class FunctionLoss final : public SampledLoss {
  public:
    struct Parts {
        Index dimension = 0;
        std::uint64_t components = 0;  // n of a sum, 0 of an expectation
        /// Returns the loss of one sample at x and overwrites `gradient`. A pure function of both: a number
        /// names the same random choice at every x.
        std::function<Real(SampleId sample, ConstView x, View gradient)> sample;
        /// f(x), and its gradient unless `gradient` is empty. Without it, sums are evaluated sample by
        /// sample, and f is unknown for expectations.
        std::function<Real(ConstView x, View gradient)> exact = {};
        std::optional<SmoothnessFacts> smoothness = {};
        Real infimum = -kInfinity;
    };

    /// Throws ConfigError if there is no dimension or no `sample`.
    explicit FunctionLoss(Parts parts);

    Index dimension() const override { return parts_.dimension; }
    std::uint64_t components() const override { return parts_.components; }
    Real mean(std::span<const SampleId> samples, ConstView x, View gradient, Scratch& scratch) const override;
    bool knows_f() const override { return parts_.components > 0 || parts_.exact; }
    Real f(ConstView x, View gradient, Scratch& scratch) const override;
    std::optional<SmoothnessFacts> smoothness() const override { return parts_.smoothness; }
    Real infimum() const override { return parts_.infimum; }

  private:
    Parts parts_;
};

}  // namespace proxstream
