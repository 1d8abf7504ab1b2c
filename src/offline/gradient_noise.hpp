/// How much the gradients of single samples differ. Some methods size their batches by it.
#pragma once

#include "proxstream/core/round_report.hpp"

#include "offline/sampled_loss.hpp"

namespace proxstream {

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
