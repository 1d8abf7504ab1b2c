/// Estimates of grad f from batches of samples, as in their papers. Differences evaluate the same samples at
/// both points, so the batch is one argument.
///
/// An empty batch means all components of a sum, that is f itself. Functions charge their evaluations. They
/// return false if a result is not finite; the estimate is then unchanged.
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
    /// The same over `count` drawn samples, in pieces, for batches too large to store. Charged as `calls`
    /// answers of an oracle.
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
    /// The same over `count` drawn samples, for batches too large to store.
    [[nodiscard]] bool begin(SampleDraws& draws, std::uint64_t count, ConstView x, Cost& cost);

    /// v <- grad_b(to) + keep (v - grad_b(from)). keep = 1: SARAH and SPIDER (Nguyen et al. 2017, Fang et al.
    /// 2018); errors accumulate. keep < 1: STORM (Cutkosky, Orabona 2019). keep = 0: the batch's gradient.
    [[nodiscard]] bool follow(Batch batch, Real keep, ConstView from, ConstView to, Cost& cost);
    /// Hybrid SARAH-SGD (Tran-Dinh, Pham, Phan, Nguyen 2022): `share` times SARAH's estimate plus the rest
    /// times the gradient of a second, independent batch. That batch is unused if the first batch is all of
    /// f.
    [[nodiscard]] bool follow(Batch batch, Batch fresh, Real share, ConstView from, ConstView to, Cost& cost);
    /// SVRG (Johnson, Zhang 2013): out = grad_b(x) - grad_b(anchor) + v, where v is the estimate at the
    /// anchor. Unbiased if v is grad f(anchor).
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

/// How much the gradients of single samples differ. Some methods choose their batch sizes by it.
struct GradientNoise {
    Real deviation = 0;  // sigma_0: root of the mean of |grad f_i(x) - grad f(x)|^2
    Real gradient = 0;   // |grad f(x)|, estimated
    Index samples = 0;   // it was measured on
    bool finite = true;
};

/// Measures at x, on at most `samples` samples that are drawn for this alone, and charges a gradient each.
/// The result is not a bound.
GradientNoise measure_gradient_noise(const SampledLoss& loss, ConstView x, Index samples, std::uint64_t seed,
                                     Cost& cost, Scratch& scratch);

}  // namespace proxstream
