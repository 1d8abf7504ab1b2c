/// Measures constants of losses that have no formula, by differences of gradients.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include "offline/offline_problem.hpp"
#include "offline/sample_draws.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace proxstream {
namespace {

/// Factor on measured curvature, because the curvature elsewhere is unknown.
constexpr Real kSafety = 2;
/// Sums of more components are sampled by a batch of so many.
constexpr Index kMostComponents = 16'384;
constexpr Index kBatch = 4096;
/// Samples whose own curvature is measured, each by itself.
constexpr Index kSingles = 256;
constexpr std::uint32_t kSingleDirections =
    4;  // random ones, besides the direction of largest curvature of f
constexpr Index kIterations = 30;
/// Relative change at which the iteration ends.
constexpr Real kSettled = 0.01;
/// Length of differences, relative to 1 + |x|: far above rounding, and with nearly constant curvature.
constexpr Real kLength = 1e-5;

/// Differences of one function's gradients around one point: its Hessian times a direction.
template <class Gradient>
class Curvature {
  public:
    Curvature(Gradient gradient, ConstView x, Scratch& scratch, Scratch::Frame& frame)
        : gradient_(gradient), x_(x), scratch_(scratch), length_(kLength * (1 + norm(x))) {
        here_ = frame.take(x.size());
        there_ = frame.take(x.size());
        gradient_(x_, here_, scratch_);
    }

    ConstView slope() const { return here_; }

    /// out = Hessian * direction; returns its length over that of the direction.
    Real multiply(ConstView direction, View out) {
        const Real size = norm(direction);
        if (size == 0) {
            fill(out, 0);
            return 0;
        }
        step_along(x_, length_ / size, direction, there_);
        gradient_(there_, out, scratch_);
        subtract(out, here_, out);
        scaled(size / length_, out, out);
        return norm(out) / size;
    }

  private:
    Gradient gradient_;
    ConstView x_;
    Scratch& scratch_;
    Real length_;
    View here_;
    View there_;
};

void draw_direction(View out, std::uint64_t seed, std::uint32_t which) {
    constexpr std::uint32_t kRecord = 0x5300;
    for (Index i = 0; i < out.size(); ++i) {
        out[i] = normal({.seed = seed, .round = 0, .record = kRecord + which, .step = 0, .sample = i});
    }
    scaled(1 / norm(out), out, out);
}

/// The largest |eigenvalue| of the Hessian at a point, by power iteration from `direction`, which it turns
/// into its eigenvector.
template <class Gradient>
Real power_iteration(Curvature<Gradient>& curvature, View direction, View product) {
    Real found = 0;
    for (Index k = 0; k < kIterations; ++k) {
        const Real before = found;
        found = curvature.multiply(direction, product);
        if (!(found > 0) || !std::isfinite(found)) break;
        scaled(1 / norm(product), product, direction);
        if (std::abs(found - before) <= kSettled * found) break;
    }
    return found;
}

/// The root mean square over samples of the change of their gradients along a direction.
Real measure_singles(const SampledLoss& loss, std::span<const SampleId> samples, ConstView x,
                     ConstView direction, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View product = frame.take(x.size());
    Real squares = 0;
    for (const SampleId& sample : samples) {
        Scratch::Frame own(scratch);
        const auto gradient = [&](ConstView at, View slope, Scratch& memory) {
            loss.mean({&sample, 1}, at, slope, memory);
        };
        Curvature curvature(gradient, x, scratch, own);
        const Real change = curvature.multiply(direction, product);
        squares += change * change / static_cast<Real>(samples.size());
    }
    return std::sqrt(squares);
}

}  // namespace

SmoothnessFacts measure_smoothness(const SampledLoss& loss, ConstView x, std::uint64_t seed,
                                   Scratch& scratch) {
    const std::uint64_t n = loss.components();
    SampleDraws draws(seed, n, DrawPurpose::smoothness);
    const bool exact = loss.knows_f() && n <= kMostComponents;
    std::vector<SampleId> batch;
    if (!exact) {
        const auto drawn = draws.draw_distinct(kBatch);
        batch.assign(drawn.begin(), drawn.end());
    }
    const auto gradient = [&](ConstView at, View slope, Scratch& memory) {
        if (exact) {
            loss.f(at, slope, memory);
        } else {
            loss.mean(batch, at, slope, memory);
        }
    };

    Scratch::Frame frame(scratch);
    const View point = frame.take(x.size());
    const View direction = frame.take(x.size());
    const View product = frame.take(x.size());
    copy(x, point);
    draw_direction(direction, seed, 0);
    Real mean = 0;
    // At x, after a step from x, and beside x: the start may be flatter than later points.
    for (std::uint32_t place = 0; place < 3; ++place) {
        Scratch::Frame own(scratch);
        Curvature curvature(gradient, point, scratch, own);
        const Real found = power_iteration(curvature, direction, product);
        if (std::isfinite(found)) mean = std::max(mean, found);
        if (place == 0 && mean > 0) {
            step_along(x, -1 / mean, curvature.slope(), point);
        } else {
            draw_direction(point, seed, place + 1);
            step_along(x, std::max<Real>(1, norm(x)) / 2, point, point);
        }
        if (!all_finite(direction) || norm(direction) == 0) draw_direction(direction, seed, place + 4);
    }

    const Index count = n == 0 ? kSingles : static_cast<Index>(std::min<std::uint64_t>(n, kSingles));
    const std::span<const SampleId> singles = draws.draw_distinct(count);
    Real single = 0;
    for (std::uint32_t trial = 0; trial <= kSingleDirections; ++trial) {
        const Real found = measure_singles(loss, singles, x, direction, scratch);
        if (std::isfinite(found)) single = std::max(single, found);
        draw_direction(direction, seed, 16 + trial);
    }

    SmoothnessFacts facts;
    facts.mean = kSafety * mean;
    facts.mean_square = kSafety * std::max(mean, single);
    facts.largest = kInfinity;
    facts.proved = false;
    facts.origin = format_short(kSafety) +
                   " times the curvature met around the start, by power iteration on "
                   "differences of gradients of " +
                   (exact ? std::string("f") : std::to_string(kBatch) + " samples") + ", and of " +
                   std::to_string(count) + " single ones along a few directions";
    return facts;
}

}  // namespace proxstream
