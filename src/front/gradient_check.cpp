#include "proxstream/gradient_check.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include "front/online_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Steps of the differences, relative to the size of x. The error of a wrong gradient is equal at both.
/// Rounding errors shrink with a longer step, curvature errors with a shorter one.
constexpr std::array<Real, 2> kSteps{1e-4, 1e-6};
constexpr Real kFarAway = 0.1;
constexpr Real kVisible = 1e-2;        // of the larger slope: smaller differences are ignored
constexpr Real kAlike = 4;             // largest ratio of the two differences
constexpr Real kRounding = 256;        // rounding errors that a loss value may contain
constexpr Index kCoordinates = 3;      // checked in a round
constexpr Index kMostSearched = 4096;  // coordinates searched for the cause of a wrong direction

/// Losses that are computed in single precision have larger rounding errors.
bool is_single(Real value) {
    return static_cast<Real>(static_cast<float>(value)) == value;
}

class Differences {
  public:
    Differences(const LossFunction& loss, ConstView x)
        : loss_(loss),
          x_(x),
          scale_(std::max(Real{1}, max_abs(x))),
          moved_(x.begin(), x.end()),
          unused_(x.size()),
          gradient_(x.size()) {
        value_ = loss_(x_, gradient_);
    }

    bool usable() const { return std::isfinite(value_) && all_finite(gradient_); }
    ConstView gradient() const { return gradient_; }

    GradientReport::Entry at(Index coordinate) {
        const auto result = compare(gradient_[coordinate], [&](Real step) {
            moved_[coordinate] = x_[coordinate] + step;
            const Real there = loss_(moved_, unused_);
            const Real taken = moved_[coordinate] - x_[coordinate];
            moved_[coordinate] = x_[coordinate];
            return std::pair(there, taken);
        });
        return {coordinate, gradient_[coordinate], result.measured, result.compared, result.agrees};
    }

    bool agrees_along(ConstView direction) {
        const auto result = compare(dot(gradient_, direction), [&](Real step) {
            step_along(x_, step, direction, moved_);
            return std::pair(loss_(moved_, unused_), step);
        });
        copy(x_, moved_);
        return result.agrees;
    }

  private:
    struct Outcome {
        Real measured = 0;
        bool compared = false;
        bool agrees = true;
    };

    /// The distance of `given` from the range between the slopes on both sides of x. A correct derivative
    /// lies in it, up to curvature and rounding; a kink between the points widens it.
    struct Gap {
        Real signed_distance = 0;
        Real allowed = 0;
        Real slope = 0;
        bool finite = false;
        bool constant = false;  // all values are equal
    };
    template <class Move>
    Gap gap_at(Real given, Real step, const Move& move) {
        const auto [ahead, forward] = move(step);
        const auto [behind, back] = move(-step);
        Gap gap;
        gap.finite = std::isfinite(ahead) && std::isfinite(behind);
        if (!gap.finite) return gap;
        const Real right = (ahead - value_) / forward;
        const Real left = (behind - value_) / back;
        const bool single = is_single(value_) && is_single(ahead) && is_single(behind);
        const Real unit = single ? Real{0x1p-24} : kUnitRoundoff;
        const auto [low, high] = std::minmax(left, right);
        gap.signed_distance = given > high ? given - high : given < low ? given - low : 0;
        gap.allowed =
            (high - low) + kRounding * unit * (std::abs(value_) + std::abs(ahead) + std::abs(behind)) / step;
        gap.constant = ahead == value_ && behind == value_;
        gap.slope = (ahead - behind) / (forward - back);
        return gap;
    }

    template <class Move>
    Outcome compare(Real given, const Move& move) {
        const Gap far = gap_at(given, kSteps[0] * scale_, move);
        if (!far.finite) return {};
        Outcome outcome{far.slope, true, true};
        const auto visible = [given](const Gap& gap) {
            return std::abs(gap.signed_distance) >
                   gap.allowed + kVisible * std::max(std::abs(given), std::abs(gap.slope));
        };
        if (!visible(far)) return outcome;
        const Gap near = gap_at(given, kSteps[1] * scale_, move);
        if (!near.finite || !visible(near)) return outcome;
        // Where large terms cancel, rounding hides small slopes near x but not far away.
        if (far.constant && !gap_at(given, kFarAway * scale_, move).constant) return outcome;
        const Real ratio = near.signed_distance / far.signed_distance;
        outcome.measured = near.slope;
        outcome.agrees = !(ratio > 1 / kAlike && ratio < kAlike);
        return outcome;
    }

    const LossFunction& loss_;
    ConstView x_;
    Real scale_;
    std::vector<Real> moved_;
    std::vector<Real> unused_;  // gradients at other points
    std::vector<Real> gradient_;
    Real value_ = 0;
};

void require(const GradientReport::Entry& entry) {
    if (!entry.agrees) throw GradientMismatch(entry.coordinate, entry.given, entry.measured);
}

}  // namespace

GradientMismatch::GradientMismatch(Index coordinate, Real given, Real measured)
    : Error(fmt::format("the gradient of the loss is wrong in coordinate {} (counted from 0): the loss wrote "
                        "{:.6g}, its values have the slope {:.6g}; check_gradient() compares all coordinates",
                        coordinate, given, measured)),
      coordinate_(coordinate),
      given_(given),
      measured_(measured) {}

bool GradientReport::agrees() const {
    return std::all_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.agrees; });
}

std::string GradientReport::text() const {
    std::string text;
    for (const Entry& entry : entries) {
        if (entry.agrees) continue;
        text += fmt::format("coordinate {}: gradient {:.6g}, slope of the values {:.6g}\n", entry.coordinate,
                            entry.given, entry.measured);
    }
    return text;
}

GradientReport check_gradient(const LossFunction& loss, ConstView x) {
    if (!loss) throw ConfigError("check_gradient: there is no loss");
    Differences differences(loss, x);
    if (!differences.usable()) {
        throw ConfigError("check_gradient: the loss or its gradient is not finite at the point given");
    }
    GradientReport report;
    for (Index i = 0; i < x.size(); ++i) report.entries.push_back(differences.at(i));
    return report;
}

void probe_gradient(const LossFunction& loss, ConstView x, Round place) {
    Differences differences(loss, x);
    if (!differences.usable()) return;  // the round will be refused
    const Index n = x.size();
    for (Index k = 0; k < std::min(kCoordinates, n); ++k) {
        require(differences.at((place * kCoordinates + k) % n));
    }
    std::vector<Real> direction(n);
    for (Index i = 0; i < n; ++i) direction[i] = normal({.round = place, .sample = i});
    scaled(1 / norm(direction), direction, direction);
    if (differences.agrees_along(direction)) return;
    // Find the coordinate. An error that is spread over many coordinates is not reported.
    for (Index i = 0; i < std::min(n, kMostSearched); ++i) require(differences.at(i));
}

}  // namespace proxstream
