// Vector kernels against the obvious loops, and at the edges of the number range.
#include "proxstream/core/linalg.hpp"

#include "proxstream/core/draw.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kTiniest = std::numeric_limits<Real>::denorm_min();
constexpr Real kHuge = std::numeric_limits<Real>::max();

std::vector<Real> random_vector(Index n, std::uint64_t seed) {
    std::vector<Real> v(n);
    for (Index i = 0; i < n; ++i) v[i] = normal({.seed = seed, .sample = i});
    return v;
}

/// Every length around the lane count, and some that are long.
std::vector<Index> lengths() {
    std::vector<Index> n(35);
    std::iota(n.begin(), n.end(), Index{0});
    n.insert(n.end(), {63, 64, 65, 1000, 4099});
    return n;
}

long double naive_dot(ConstView a, ConstView b) {
    long double total = 0;
    for (Index i = 0; i < a.size(); ++i) total += static_cast<long double>(a[i]) * b[i];
    return total;
}

/// What rounding may do to a sum of n products: n u sum |a_i b_i|.
Real slack(ConstView a, ConstView b) {
    Real total = 0;
    for (Index i = 0; i < a.size(); ++i) total += std::abs(a[i] * b[i]);
    return static_cast<Real>(a.size() + 1) * kUnitRoundoff * total;
}

TEST(Linalg, SumsAgreeWithTheObviousLoops) {
    for (const Index n : lengths()) {
        const auto a = random_vector(n, 1);
        const auto b = random_vector(n, 2);
        const std::vector<Real> ones(n, 1);
        EXPECT_NEAR(dot(a, b), static_cast<Real>(naive_dot(a, b)), slack(a, b)) << n;
        EXPECT_NEAR(squared_norm(a), static_cast<Real>(naive_dot(a, a)), slack(a, a)) << n;
        EXPECT_NEAR(sum(a), static_cast<Real>(naive_dot(a, ones)), slack(a, ones)) << n;
        EXPECT_NEAR(norm(a), std::sqrt(static_cast<Real>(naive_dot(a, a))), slack(a, a)) << n;

        std::vector<Real> difference(n);
        std::vector<Real> combined(n);
        for (Index i = 0; i < n; ++i) {
            difference[i] = a[i] - b[i];
            combined[i] = a[i] + -0.7 * b[i];
        }
        // The same operations in the same lanes: equal to the last bit.
        EXPECT_EQ(distance(a, b), std::sqrt(squared_norm(difference))) << n;
        EXPECT_EQ(norm_of_sum(a, -0.7, b), std::sqrt(squared_norm(combined))) << n;
        std::vector<Real> multiple(n);
        std::vector<Real> expected(n);
        scaled(-0.7, difference, expected);
        EXPECT_EQ(scaled_difference(-0.7, a, b, multiple), norm(expected)) << n;
        EXPECT_EQ(multiple, expected) << n;
        const auto gradient = random_vector(n, 5);
        const MoveSums sums = move_between(b, a, gradient, multiple);
        EXPECT_EQ(multiple, difference) << n;
        EXPECT_EQ(sums.length_squared, squared_norm(difference)) << n;
        EXPECT_EQ(sums.slope, dot(gradient, difference)) << n;
        EXPECT_EQ(max_abs(a), std::accumulate(a.begin(), a.end(), 0.0,
                                              [](Real m, Real v) { return std::max(m, std::abs(v)); }))
            << n;
    }
}

TEST(Linalg, ElementwiseKernelsAreExact) {
    for (const Index n : lengths()) {
        const auto a = random_vector(n, 3);
        const auto b = random_vector(n, 4);
        std::vector<Real> accumulated = b;
        std::vector<Real> multiple(n);
        std::vector<Real> moved(n);
        std::vector<Real> difference(n);
        std::vector<Real> copied(n);
        axpy(0.3, a, accumulated);
        scaled(0.3, a, multiple);
        step_along(b, 0.3, a, moved);
        subtract(a, b, difference);
        copy(a, copied);
        for (Index i = 0; i < n; ++i) {
            EXPECT_EQ(accumulated[i], b[i] + 0.3 * a[i]);
            EXPECT_EQ(multiple[i], 0.3 * a[i]);
            EXPECT_EQ(moved[i], accumulated[i]);
            EXPECT_EQ(difference[i], a[i] - b[i]);
        }
        EXPECT_EQ(copied, a);
        fill(copied, -2);
        EXPECT_EQ(std::count(copied.begin(), copied.end(), -2.0), static_cast<std::ptrdiff_t>(n));
    }
}

TEST(Linalg, OutputsMayBeTheInputs) {
    const auto a = random_vector(37, 5);
    const auto b = random_vector(37, 6);
    std::vector<Real> expected(37);
    std::vector<Real> in_place = a;
    step_along(a, 2, b, expected);
    step_along(in_place, 2, b, in_place);
    EXPECT_EQ(in_place, expected);
    in_place = b;
    subtract(a, b, expected);
    subtract(a, in_place, in_place);
    EXPECT_EQ(in_place, expected);
}

TEST(Linalg, EmptyViewsAreZero) {
    EXPECT_EQ(dot({}, {}), 0);
    EXPECT_EQ(norm({}), 0);
    EXPECT_EQ(distance({}, {}), 0);
    EXPECT_EQ(max_abs({}), 0);
    EXPECT_TRUE(all_finite({}));
}

TEST(Linalg, NormSurvivesSquaresThatDoNot) {
    EXPECT_DOUBLE_EQ(norm(std::vector<Real>{3e200, 4e200}), 5e200);
    EXPECT_DOUBLE_EQ(norm(std::vector<Real>{3e-200, -4e-200}), 5e-200);
    EXPECT_DOUBLE_EQ(norm(std::vector<Real>{kHuge}), kHuge);
    EXPECT_EQ(norm(std::vector<Real>{0, kTiniest, 0}), kTiniest);
    // One huge coordinate among ordinary ones, and ordinary ones among tiny ones.
    EXPECT_DOUBLE_EQ(norm(std::vector<Real>{1e180, 1, 1e180}), std::sqrt(2.0) * 1e180);
    EXPECT_DOUBLE_EQ(norm(std::vector<Real>{1e-300, 1, 1e-300}), 1);
    EXPECT_EQ(norm(std::vector<Real>(12, 0.0)), 0);
    EXPECT_DOUBLE_EQ(distance(std::vector<Real>{3e200, 0}, std::vector<Real>{0, -4e200}), 5e200);
    EXPECT_DOUBLE_EQ(distance(std::vector<Real>{3e-200, 1}, std::vector<Real>{0, 1}), 3e-200);
    EXPECT_DOUBLE_EQ(norm_of_sum(std::vector<Real>{3e200, 0}, 2, std::vector<Real>{0, 2e200}), 5e200);
}

TEST(Linalg, NaNIsNeverComparedAway) {
    for (const Index n : {1, 7, 8, 9, 40}) {
        for (Index place = 0; place < n; ++place) {
            std::vector<Real> v(n, 1.5);
            v[place] = kNaN;
            const std::vector<Real> ones(n, 1);
            EXPECT_TRUE(std::isnan(dot(v, ones)));
            EXPECT_TRUE(std::isnan(norm(v)));
            EXPECT_TRUE(std::isnan(distance(ones, v)));
            EXPECT_TRUE(std::isnan(norm_of_sum(ones, 0, v)));
            EXPECT_TRUE(std::isnan(sum(v)));
            EXPECT_TRUE(std::isnan(max_abs(v)));
            EXPECT_FALSE(all_finite(v));
        }
    }
}

TEST(Linalg, InfinityIsReported) {
    for (const Real sign : {1.0, -1.0}) {
        std::vector<Real> v(21, 0.25);
        v[13] = sign * kInfinity;
        EXPECT_EQ(norm(v), kInfinity);
        EXPECT_EQ(max_abs(v), kInfinity);
        EXPECT_EQ(sum(v), sign * kInfinity);
        EXPECT_FALSE(all_finite(v));
    }
    // NaN beside infinity is still a NaN, whichever comes first.
    EXPECT_TRUE(std::isnan(norm(std::vector<Real>{kInfinity, kNaN})));
    EXPECT_TRUE(std::isnan(norm(std::vector<Real>{kNaN, kInfinity})));
    EXPECT_TRUE(std::isnan(max_abs(std::vector<Real>{kInfinity, kNaN})));
}

TEST(Linalg, LargestAndSmallestNumbersAreFinite) {
    EXPECT_TRUE(all_finite(std::vector<Real>{kHuge, -kHuge, kHuge, kTiniest, 0}));
    EXPECT_FALSE(all_finite(std::vector<Real>{kInfinity, -kInfinity}));
}

TEST(Linalg, ResultsDependOnTheOperandsAlone) {
    // The same numbers at every alignment give the same bits.
    const auto a = random_vector(203, 7);
    const auto b = random_vector(203, 8);
    for (Index shift = 0; shift < 9; ++shift) {
        std::vector<Real> room_a(203 + shift);
        std::vector<Real> room_b(203 + 2 * shift);
        std::copy(a.begin(), a.end(), room_a.begin() + static_cast<std::ptrdiff_t>(shift));
        std::copy(b.begin(), b.end(), room_b.begin() + static_cast<std::ptrdiff_t>(2 * shift));
        EXPECT_EQ(dot(ConstView(room_a).subspan(shift), ConstView(room_b).subspan(2 * shift)), dot(a, b));
    }
    // And the lanes are where the documentation says: eight of them, added pairwise.
    Real lanes[8] = {};
    for (Index i = 0; i < a.size(); ++i) lanes[i % 8] += a[i];
    const Real expected =
        ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    EXPECT_EQ(sum(a), expected);
}

}  // namespace
}  // namespace proxstream
