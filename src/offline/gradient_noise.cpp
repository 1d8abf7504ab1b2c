#include "offline/gradient_noise.hpp"

#include "proxstream/core/linalg.hpp"

#include "offline/sample_draws.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace proxstream {

GradientNoise measure_gradient_noise(const SampledLoss& loss, ConstView x, Index samples, std::uint64_t seed,
                                     Cost& cost, Scratch& scratch) {
    const std::uint64_t n = loss.components();
    if (n > 0) samples = std::min<Index>(samples, n);
    SampleDraws draws(seed, n, DrawPurpose::noise);
    const std::span<const SampleId> ids = draws.draw_distinct(samples);
    Scratch::Frame frame(scratch);
    const View first = frame.take(x.size());
    const View gradient = frame.take(x.size());
    const View total = frame.take(x.size());  // of the differences from the first: nothing cancels
    GradientNoise noise{.samples = samples};
    fill(total, 0);
    Real squares = 0;
    for (Index i = 0; i < samples; ++i) {
        const Real value = loss.mean(ids.subspan(i, 1), x, i == 0 ? first : gradient, scratch);
        noise.finite = noise.finite && std::isfinite(value);
        if (i == 0) continue;
        axpy(-1, first, gradient);
        squares += squared_norm(gradient);
        axpy(1, gradient, total);
    }
    cost.base_samples += samples;
    ++cost.oracle_calls;
    const Real count = static_cast<Real>(samples);
    if (samples > 1) {
        // All components of a sum: its deviation itself. Otherwise the unbiased estimate of its square.
        const Real divisor = samples == n ? count : count - 1;
        noise.deviation = std::sqrt(std::max<Real>(0, squares - squared_norm(total) / count) / divisor);
    }
    axpy(count, first, total);
    noise.gradient = norm(total) / count;
    noise.finite = noise.finite && std::isfinite(noise.deviation) && std::isfinite(noise.gradient);
    return noise;
}

}  // namespace proxstream
