/// Estimates of grad f from batches of samples, each as its paper defines it. Those that correct an estimate
/// by a difference evaluate the same samples at both points: the batch is one argument, not two.
///
/// A batch is named by its samples; an empty one means all components of a sum, that is f itself. Every
/// function that evaluates charges what it evaluates and returns false where that was not finite: the
/// estimate is then the one before.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"

#include "offline/sample_draws.hpp"

#include <vector>

namespace proxstream {

using Batch = std::span<const SampleId>;

/// Mean gradients of batches.
class BatchGradients {
  public:
    /// The loss has to outlive it.
    explicit BatchGradients(const SampledLoss& loss) : loss_(loss) {}

    Index dimension() const { return loss_.dimension(); }

    /// Writes the mean over the batch of the gradients at x. E over uniform draws: grad f(x).
    [[nodiscard]] bool mean(Batch batch, ConstView x, View out, Cost& cost);
    /// The same over `count` samples to be drawn, in pieces: for batches too large to be held. They are
    /// charged as `calls` answers of an oracle.
    [[nodiscard]] bool mean_of_draws(SampleDraws& draws, std::uint64_t count, std::uint64_t calls,
                                     ConstView x, View out, Cost& cost);

    Scratch& scratch() { return scratch_; }

  private:
    const SampledLoss& loss_;
    Scratch scratch_;
};

/// An estimate v of the gradient at one point, from which those at other points follow.
class GradientEstimate {
  public:
    explicit GradientEstimate(const SampledLoss& loss)
        : gradients_(loss), value_(loss.dimension()), trial_(loss.dimension()) {}

    /// v = grad_b(x).
    [[nodiscard]] bool begin(Batch batch, ConstView x, Cost& cost);
    /// The same over `count` samples to be drawn, for batches too large to be held.
    [[nodiscard]] bool begin(SampleDraws& draws, std::uint64_t count, ConstView x, Cost& cost);

    /// v <- grad_b(to) + keep (v - grad_b(from)). With keep = 1 it is SARAH's and SPIDER's (Nguyen et al.
    /// 2017, Fang et al. 2018): given v its expected change is that of grad f, and errors add up. With less
    /// it is STORM's (Cutkosky, Orabona 2019); keep = 0 is the batch's own gradient.
    [[nodiscard]] bool follow(Batch batch, Real keep, ConstView from, ConstView to, Cost& cost);
    /// Hybrid SARAH-SGD (Tran-Dinh, Pham, Phan, Nguyen 2022): `share` times SARAH's, and the rest the
    /// gradient of a second batch, independent of the first. It is not needed if the first is the whole of f.
    [[nodiscard]] bool follow(Batch batch, Batch fresh, Real share, ConstView from, ConstView to, Cost& cost);
    /// SVRG (Johnson, Zhang 2013): out = grad_b(x) - grad_b(anchor) + v, with v that of the anchor. Unbiased
    /// wherever v is grad f(anchor).
    [[nodiscard]] bool correct(Batch batch, ConstView anchor, ConstView x, View out, Cost& cost);

    ConstView value() const { return value_; }
    void serialise(StateArchive& archive) { archive.fixed("estimate", value_); }

  private:
    /// Writes v's successor to `trial_`.
    bool carry(Batch batch, Real keep, ConstView from, ConstView to, Cost& cost);
    bool accept(bool finite);

    BatchGradients gradients_;
    std::vector<Real> value_;  // v
    std::vector<Real> trial_;
};

}  // namespace proxstream
