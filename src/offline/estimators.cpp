#include "offline/estimators.hpp"

#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace proxstream {
namespace {

/// Samples drawn at a time if a batch is too large to store.
constexpr std::uint64_t kPiece = 8192;

}  // namespace

bool BatchGradients::mean(Batch batch, ConstView x, View out, Cost& cost) {
    const Real value = batch.empty() ? loss_.f(x, out, scratch_) : loss_.mean(batch, x, out, scratch_);
    if (batch.empty()) {
        cost.base_samples += loss_.components();
        ++cost.passes;
    } else {
        cost.base_samples += batch.size();
        ++cost.oracle_calls;
    }
    return std::isfinite(value) && all_finite(out);
}

bool BatchGradients::mean_of_draws(SampleDraws& draws, std::uint64_t count, std::uint64_t calls, ConstView x,
                                   View out, Cost& cost) {
    assert(count > 0);
    cost.base_samples += count;
    cost.oracle_calls += calls;
    Scratch::Frame frame(scratch_);
    const View piece = frame.take(out.size());
    bool finite = true;
    fill(out, 0);
    for (std::uint64_t done = 0; done < count;) {
        const std::uint64_t size = std::min(kPiece, count - done);
        finite = std::isfinite(loss_.mean(draws.draw(size), x, piece, scratch_)) && finite;
        axpy(static_cast<Real>(size) / static_cast<Real>(count), piece, out);
        done += size;
    }
    return finite && all_finite(out);
}

bool GradientEstimate::accept(bool finite) {
    if (finite) value_.swap(trial_);
    return finite;
}

bool GradientEstimate::begin(Batch batch, ConstView x, Cost& cost) {
    return accept(gradients_.mean(batch, x, trial_, cost));
}

bool GradientEstimate::begin(SampleDraws& draws, std::uint64_t count, ConstView x, Cost& cost) {
    return accept(gradients_.mean_of_draws(draws, count, 1, x, trial_, cost));
}

bool GradientEstimate::carry(Batch batch, Real keep, ConstView from, ConstView to, Cost& cost) {
    if (!gradients_.mean(batch, to, trial_, cost)) return false;
    if (batch.empty()) return true;
    Scratch::Frame frame(gradients_.scratch());
    const View there = frame.take(trial_.size());
    if (!gradients_.mean(batch, from, there, cost)) return false;
    for (Index i = 0; i < trial_.size(); ++i) trial_[i] += keep * (value_[i] - there[i]);
    return all_finite(trial_);
}

bool GradientEstimate::follow(Batch batch, Real keep, ConstView from, ConstView to, Cost& cost) {
    return accept(carry(batch, keep, from, to, cost));
}

bool GradientEstimate::follow(Batch batch, Batch fresh, Real share, ConstView from, ConstView to,
                              Cost& cost) {
    if (!carry(batch, 1, from, to, cost)) return false;
    if (batch.empty()) return accept(true);
    Scratch::Frame frame(gradients_.scratch());
    const View second = frame.take(trial_.size());
    if (!gradients_.mean(fresh, to, second, cost)) return false;
    for (Index i = 0; i < trial_.size(); ++i) trial_[i] = share * trial_[i] + (1 - share) * second[i];
    return accept(true);
}

bool GradientEstimate::correct(Batch batch, ConstView anchor, ConstView x, View out, Cost& cost) {
    if (!gradients_.mean(batch, x, out, cost)) return false;
    if (batch.empty()) return true;
    Scratch::Frame frame(gradients_.scratch());
    const View there = frame.take(out.size());
    if (!gradients_.mean(batch, anchor, there, cost)) return false;
    axpy(-1, there, out);
    axpy(1, value_, out);
    return all_finite(out);
}

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
