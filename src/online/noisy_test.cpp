#include "online/noisy_test.hpp"

#include "online/figure_checks.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace proxstream {
namespace {

// For a given delta, a batch b in proportion to the margin x = (delta / counting_delta)^2 costs b N ~ x^2/(x
// - 1) samples while losses dominate: least at x = 2. Without confirmations the terms that stay when losses
// are small (C-ii) are far better at 4, which costs at most a third more otherwise.
constexpr Real kSingleMargin = 4;
constexpr Real kConfirmedMargin = 2;
// Every update then falls by at least half of what it would without noise: c delta - sigma = c delta/2.
constexpr Real kBoundedMargin = 4;

/// counting_delta() in units of sigma.
Real counting_ratio(const NoisyTest& test) {
    const Real c = test.contraction();
    if (test.bounded) return 1 / c;
    return test.confirm > 1 ? std::sqrt(static_cast<Real>(test.confirm)) / c : 1 / std::sqrt(c);
}

Real usual_ratio(const NoisyTest& test) {
    const Real margin = test.bounded ? kBoundedMargin : test.confirm > 1 ? kConfirmedMargin : kSingleMargin;
    return std::sqrt(margin) * counting_ratio(test);
}

}  // namespace

Real stopping_delta(const NoisyTest& test) {
    return test.sigma / std::sqrt(test.contraction());
}

Real counting_delta(const NoisyTest& test) {
    return test.sigma * counting_ratio(test);
}

Real usual_delta(const NoisyTest& test) {
    return test.sigma * usual_ratio(test);
}

void check_condition(const NoisyTest& test, Real delta, Index batch, Index record_rows) {
    Violations violations;
    check_step(violations, test.smoothness, test.step);
    check_range(violations, "sigma", test.sigma, true);
    check_range(violations, "delta", delta, false);
    check_range(violations, "confirm", test.confirm, kMostConfirmations);
    check_range(violations, "batch", batch, kLargestBatch);
    violations.conclude();
    const Real c = test.contraction();
    const Real noise = test.sigma / delta * (test.sigma / delta);
    if (noise < c) return;
    std::string remedy = fmt::format("the smallest delta that works is above {:.6g}", stopping_delta(test));
    if (!test.bounded) {
        const Real drawn = static_cast<Real>(batch);
        const Real rows = static_cast<Real>(record_rows);
        // Of R rows b leave the variance (R - b)/b, in units that do not matter here.
        const Real needed = std::floor(record_rows > 0 ? rows / (1 + (rows - drawn) / drawn * c / noise)
                                                       : drawn * noise / c) +
                            1;
        remedy += fmt::format("; at this delta, {:.6g} base samples a record and call instead of {}", needed,
                              batch);
    }
    throw ConfigError(fmt::format(
        "delta = {:.6g}: a round may never end, because noise of sigma = {:.6g} alone can keep the exit test "
        "failing: c delta^2 = {:.6g} has to be above sigma^2 = {:.6g}, c = 1 - eta L/2 = {:.6g} with "
        "eta = {:.6g} and L = {:.6g}; {}",
        delta, test.sigma, c * delta * delta, test.sigma * test.sigma, c, test.step, test.smoothness,
        remedy));
}

}  // namespace proxstream
