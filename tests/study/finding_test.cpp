#include "study/finding.hpp"

#include "proxstream/core/draw.hpp"

#include "study/slope.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

Estimate of(Real mean) {
    return {1, mean, {}};
}

TEST(Finding, HoldsInItsRangeEndsIncluded) {
    EXPECT_TRUE((Finding{"x", of(1), 1, 2}.holds()));
    EXPECT_TRUE((Finding{"x", of(2), 1, 2}.holds()));
    EXPECT_FALSE((Finding{"x", of(2.0001), 1, 2}.holds()));
    EXPECT_FALSE((Finding{"x", of(0.9999), 1, 2}.holds()));
    EXPECT_TRUE((Finding{"x", of(-1e300), -kInfinity, 0}.holds()));
}

TEST(Finding, WhatWasNotMeasuredDoesNotHold) {
    EXPECT_FALSE((Finding{"x", {}, -1, 1}.holds())) << "an empty mean is 0, which is no figure";
    EXPECT_FALSE((Finding{"x", of(std::numeric_limits<Real>::quiet_NaN())}.holds()));
    EXPECT_EQ(to_text(Finding{"x", {}, -1, 1}), "DOES NOT HOLD: x: not measured, expected from -1 to 1");
}

TEST(Finding, SaysWhatWasMeasuredAndExpected) {
    const Estimate slope{5, -1.98, 0.012};
    EXPECT_EQ(to_text(Finding{"slope of Reg/T", slope, -2.2, -1.8}),
              "holds: slope of Reg/T: -1.980 +- 0.012, expected from -2.2 to -1.8");
    EXPECT_EQ(to_text(Finding{"N over the claim", of(4750), -kInfinity, 1, "at most 1"}),
              "DOES NOT HOLD: N over the claim: 4750, expected at most 1; the paper: at most 1");
    EXPECT_EQ(to_text(Finding{"growth", of(2), 1.5}), "holds: growth: 2.000, expected at least 1.5");
    EXPECT_EQ(to_text(Finding{"updates", of(42), 42, 42}), "holds: updates: 42.00, expected 42");
}

TEST(LogLogSlope, FindsThePowerOfAPowerLaw) {
    for (const Real power : {-2.0, -0.5, 0.0, 1.5}) {
        std::vector<ChartPoint> points;
        for (const Real x : {1.0, 3.0, 7.0, 100.0}) points.push_back({x, 5 * std::pow(x, power)});
        const Estimate slope = log_log_slope(points);
        EXPECT_EQ(slope.count, 4U);
        EXPECT_NEAR(slope.mean, power, 1e-12);
        EXPECT_NEAR(slope.error.value(), 0, 1e-12);
    }
}

TEST(LogLogSlope, OfTwoPointsHasNoError) {
    const std::vector<ChartPoint> points{{2, 8}, {4, 2}};
    const Estimate slope = log_log_slope(points);
    EXPECT_NEAR(slope.mean, -2, 1e-15);
    EXPECT_FALSE(slope.error.has_value());
}

TEST(LogLogSlope, IsWhatTheTextbookSays) {
    // log2 x = 0, 1, 2, 3; log2 y = 0, 2, 1, 3: slope 8/10, residual squares 1.8, error sqrt(1.8/2/5).
    const std::vector<ChartPoint> points{{1, 1}, {2, 4}, {4, 2}, {8, 8}};
    const Estimate slope = log_log_slope(points);
    EXPECT_NEAR(slope.mean, 0.8, 1e-14);
    EXPECT_NEAR(slope.error.value(), std::sqrt(1.8 / 2 / 5), 1e-14);
}

TEST(LogLogSlope, ItsErrorIsHowFarItIsOff) {
    // Deviations with a known law: over many lines the slope is off by its error in the mean square.
    Real off = 0;
    Real claimed = 0;
    constexpr std::uint64_t kLines = 2000;
    for (std::uint64_t i = 0; i < kLines; ++i) {
        std::vector<ChartPoint> points;
        for (std::uint32_t k = 0; k < 8; ++k) {
            const Real x = std::exp2(k);
            points.push_back({x, std::pow(x, -2) * std::exp(0.1 * normal({40, i, k, 0, 0}))});
        }
        const Estimate slope = log_log_slope(points);
        off += (slope.mean + 2) * (slope.mean + 2) / kLines;
        claimed += *slope.error * *slope.error / kLines;
    }
    EXPECT_NEAR(off / claimed, 1, 0.1);
}

TEST(LogLogSlope, IsNothingWhereAPointHasNoLogarithm) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (const Real bad : {0.0, -1.0, kInfinity, nan}) {
        EXPECT_EQ(log_log_slope(std::vector<ChartPoint>{{1, 1}, {2, 2}, {3, bad}}).count, 0U) << bad;
        EXPECT_EQ(log_log_slope(std::vector<ChartPoint>{{1, 1}, {2, 2}, {bad, 3}}).count, 0U) << bad;
    }
    EXPECT_EQ(log_log_slope({}).count, 0U);
    EXPECT_EQ(log_log_slope(std::vector<ChartPoint>{{2, 1}, {2, 3}}).count, 0U) << "no two different x";
}

}  // namespace
}  // namespace proxstream
