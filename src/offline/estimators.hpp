/// Estimates of grad f from batches of samples, each as its paper defines it. Those that correct an estimate
/// by a difference evaluate the same samples at both points: the batch is one argument, not two.
///
/// A batch is named by its samples; an empty one means all components of a sum, that is f itself. Every
/// function that evaluates charges what it evaluates and returns false where that was not finite: the
/// estimate is then the one before.
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/round_report.hpp"

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

/// SVRG (Johnson, Zhang 2013): v = grad_b(x) - grad_b(anchor) + G, G the anchor's gradient. Unbiased wherever
/// G is grad f(anchor).
class SvrgEstimator {
  public:
    explicit SvrgEstimator(const SampledLoss& loss)
        : gradients_(loss),
          anchor_(loss.dimension()),
          anchor_gradient_(loss.dimension()),
          trial_(loss.dimension()) {}

    [[nodiscard]] bool begin(Batch batch, ConstView x, Cost& cost);
    [[nodiscard]] bool begin(SampleDraws& draws, std::uint64_t count, ConstView x, Cost& cost);
    [[nodiscard]] bool estimate(Batch batch, ConstView x, View out, Cost& cost);

    ConstView anchor() const { return anchor_; }
    ConstView anchor_gradient() const { return anchor_gradient_; }
    void exchange(Checkpoint& checkpoint);

  private:
    BatchGradients gradients_;
    std::vector<Real> anchor_;
    std::vector<Real> anchor_gradient_;  // G
    std::vector<Real> trial_;
};

/// What the estimators below share: an estimate v of the gradient at one point, carried on to the next.
class CarriedEstimate {
  public:
    /// v = grad_b(x).
    [[nodiscard]] bool begin(Batch batch, ConstView x, Cost& cost);
    [[nodiscard]] bool begin(SampleDraws& draws, std::uint64_t count, ConstView x, Cost& cost);

    ConstView value() const { return value_; }
    void exchange(Checkpoint& checkpoint) { checkpoint.fixed("estimate", value_); }

  protected:
    explicit CarriedEstimate(const SampledLoss& loss)
        : gradients_(loss), value_(loss.dimension()), trial_(loss.dimension()) {}

    /// v <- keep (v - grad_b(from)) + grad_b(to); the whole of f needs no correction.
    [[nodiscard]] bool correct(Batch batch, Real keep, ConstView from, ConstView to, View out, Cost& cost);

    BatchGradients gradients_;
    std::vector<Real> value_;  // v
    std::vector<Real> trial_;
};

/// SARAH and SPIDER (Nguyen et al. 2017, Fang et al. 2018): v <- v + grad_b(to) - grad_b(from). Given v, its
/// expected change is that of grad f; its errors add up, so it has to begin anew from time to time.
class RecursiveEstimator : public CarriedEstimate {
  public:
    explicit RecursiveEstimator(const SampledLoss& loss) : CarriedEstimate(loss) {}

    [[nodiscard]] bool follow(Batch batch, ConstView from, ConstView to, Cost& cost);
};

/// STORM (Cutkosky, Orabona 2019): v <- grad_b(to) + (1 - beta) (v - grad_b(from)). beta = 0 is the recursive
/// one, beta = 1 the batch's own gradient.
class StormEstimator : public CarriedEstimate {
  public:
    explicit StormEstimator(const SampledLoss& loss) : CarriedEstimate(loss) {}

    [[nodiscard]] bool follow(Batch batch, Real beta, ConstView from, ConstView to, Cost& cost);
};

/// Hybrid SARAH-SGD (Tran-Dinh, Pham, Phan, Nguyen 2022): with a second batch, independent of the first,
/// v <- beta (v + grad_b(to) - grad_b(from)) + (1 - beta) grad_b'(to). If the first is the whole of f, the
/// second is not needed.
class HybridEstimator : public CarriedEstimate {
  public:
    explicit HybridEstimator(const SampledLoss& loss) : CarriedEstimate(loss) {}

    [[nodiscard]] bool follow(Batch batch, Batch fresh, Real beta, ConstView from, ConstView to, Cost& cost);
};

}  // namespace proxstream
