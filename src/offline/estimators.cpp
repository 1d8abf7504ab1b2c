#include "offline/estimators.hpp"

#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace proxstream {
namespace {

/// Samples drawn at a time, where they are too many to be held.
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

}  // namespace proxstream
