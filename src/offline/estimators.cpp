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

bool SvrgEstimator::begin(Batch batch, ConstView x, Cost& cost) {
    if (!gradients_.mean(batch, x, trial_, cost)) return false;
    copy(x, anchor_);
    anchor_gradient_.swap(trial_);
    return true;
}

bool SvrgEstimator::begin(SampleDraws& draws, std::uint64_t count, ConstView x, Cost& cost) {
    if (!gradients_.mean_of_draws(draws, count, 1, x, trial_, cost)) return false;
    copy(x, anchor_);
    anchor_gradient_.swap(trial_);
    return true;
}

bool SvrgEstimator::estimate(Batch batch, ConstView x, View out, Cost& cost) {
    if (!gradients_.mean(batch, x, out, cost)) return false;
    if (batch.empty()) return true;
    Scratch::Frame frame(gradients_.scratch());
    const View there = frame.take(out.size());
    if (!gradients_.mean(batch, anchor_, there, cost)) return false;
    axpy(-1, there, out);
    axpy(1, anchor_gradient_, out);
    return all_finite(out);
}

void SvrgEstimator::exchange(Checkpoint& checkpoint) {
    checkpoint.fixed("anchor", anchor_);
    checkpoint.fixed("anchor gradient", anchor_gradient_);
}

bool CarriedEstimate::begin(Batch batch, ConstView x, Cost& cost) {
    if (!gradients_.mean(batch, x, trial_, cost)) return false;
    value_.swap(trial_);
    return true;
}

bool CarriedEstimate::begin(SampleDraws& draws, std::uint64_t count, ConstView x, Cost& cost) {
    if (!gradients_.mean_of_draws(draws, count, 1, x, trial_, cost)) return false;
    value_.swap(trial_);
    return true;
}

bool CarriedEstimate::correct(Batch batch, Real keep, ConstView from, ConstView to, View out, Cost& cost) {
    if (!gradients_.mean(batch, to, out, cost)) return false;
    if (batch.empty()) return true;
    Scratch::Frame frame(gradients_.scratch());
    const View there = frame.take(out.size());
    if (!gradients_.mean(batch, from, there, cost)) return false;
    for (Index i = 0; i < out.size(); ++i) out[i] += keep * (value_[i] - there[i]);
    return all_finite(out);
}

bool RecursiveEstimator::follow(Batch batch, ConstView from, ConstView to, Cost& cost) {
    if (!correct(batch, 1, from, to, trial_, cost)) return false;
    value_.swap(trial_);
    return true;
}

bool StormEstimator::follow(Batch batch, Real beta, ConstView from, ConstView to, Cost& cost) {
    if (!correct(batch, 1 - beta, from, to, trial_, cost)) return false;
    value_.swap(trial_);
    return true;
}

bool HybridEstimator::follow(Batch batch, Batch fresh, Real beta, ConstView from, ConstView to, Cost& cost) {
    if (!correct(batch, 1, from, to, trial_, cost)) return false;
    if (!batch.empty()) {
        Scratch::Frame frame(gradients_.scratch());
        const View second = frame.take(trial_.size());
        if (!gradients_.mean(fresh, to, second, cost)) return false;
        for (Index i = 0; i < trial_.size(); ++i) trial_[i] = beta * trial_[i] + (1 - beta) * second[i];
    }
    value_.swap(trial_);
    return true;
}

}  // namespace proxstream
