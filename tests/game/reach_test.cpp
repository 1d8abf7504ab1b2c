#include "game/reach.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

Interval reach_in(const std::string& set, const std::vector<Real>& direction) {
    Scratch scratch;
    return reach(parse_regulariser(set), direction, scratch);
}

void expect_reach(const std::string& set, const std::vector<Real>& direction, Real low, Real high) {
    const Interval found = reach_in(set, direction);
    const Real slack = 1e-4 * (1 + std::max(std::abs(low), std::abs(high)));
    EXPECT_NEAR(found.low, low, slack) << set;
    EXPECT_NEAR(found.high, high, slack) << set;
    EXPECT_LE(found.low, low) << set;
    EXPECT_GE(found.high, high) << set;
}

TEST(Reach, KnownSetsHaveTheirBounds) {
    expect_reach("box:-1,2", {1, -1, 0.5}, -3.5, 4);
    expect_reach("simplex", {3, -1, 0.5}, -1, 3);
    expect_reach("simplex:5", {3, -1}, -5, 15);
    expect_reach("l2ball:2", {3, 4}, -10, 10);
    expect_reach("l1ball:2", {3, 4}, -8, 8);
    expect_reach("l1:0.1+box:-2,2", {1, 1}, -4, 4);
    expect_reach("l1:1e9+box:-2,2", {1, 1}, -4, 4);
    expect_reach("capped-simplex:sum=1,lo=0,hi=0.6", {1, 2, 4}, 1.4, 3.2);
    expect_reach("blocks:(simplex),size=2", {1, 2, 3, 5}, 4, 7);
    expect_reach("box:0,100000", {1}, 0, 100000);
    expect_reach("box:0.001,0.002", {1}, 0.001, 0.002);
    expect_reach("box:3,3", {1}, 3, 3);
}

TEST(Reach, UnboundedSetsAreInfinite) {
    EXPECT_EQ(reach_in("zero", {1}).high, kInfinity);
    EXPECT_EQ(reach_in("l1:1e6", {1}).low, -kInfinity);
    EXPECT_EQ(reach_in("l2sq:100", {1}).high, kInfinity);
    EXPECT_EQ(reach_in("nonneg", {1, 1}).high, kInfinity);
    EXPECT_NEAR(reach_in("nonneg", {1, 1}).low, 0, 1e-6);
    EXPECT_EQ(reach_in("hyperplane:a=1;-1,b=0", {1, 0}).high, kInfinity);
}

TEST(Reach, RandomPointsLieWithinTheBounds) {
    Scratch scratch;
    const std::vector<std::string> sets{
        "box:-1,3",       "simplex:2", "l2ball:0.5", "l1ball:7", "capped-simplex:sum=2,lo=0.1,hi=1",
        "l1:0.3+box:-1,1"};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const AnyRegulariser g = parse_regulariser(sets[seed % sets.size()]);
        std::vector<Real> direction(4), point(4);
        for (Index k = 0; k < 4; ++k) {
            direction[k] = normal({.seed = seed, .sample = k});
            point[k] = 20 * normal({.seed = seed, .round = 1, .sample = k});
        }
        g.prox(point, 1e-200, point, scratch);
        Real along = 0;
        for (Index k = 0; k < 4; ++k) along += direction[k] * point[k];
        const Interval found = reach(g, direction, scratch);
        EXPECT_LE(along, found.high) << seed;
        EXPECT_GE(along, found.low) << seed;
    }
}

TEST(Reach, EvenPowersOfIntervalsAreNotNegative) {
    const auto expect = [](const Interval& found, Real low, Real high) {
        EXPECT_EQ(found.low, low);
        EXPECT_EQ(found.high, high);
    };
    expect(raised({-2, 1}, 2), 0, 4);
    expect(raised({-2, -1}, 2), 1, 4);
    expect(raised({-2, 1}, 3), -8, 1);
    expect(raised({-2, 1}, 0), 1, 1);
    expect(Interval{-2, 1} * Interval{-3, 5}, -10, 6);
    expect(Interval{0, 0} * Interval{-kInfinity, kInfinity}, 0, 0);
}

TEST(Reach, VariationIgnoresDirectionsAcrossASimplex) {
    const std::vector<Interval> far{{100, 101}, {100, 101}};
    const std::vector<Real> rivals{0.5, 0.5};
    const Real free = *variation_bound(parse_regulariser("box:0,1"), far, rivals);
    const Real shares = *variation_bound(parse_regulariser("simplex"), far, rivals);
    EXPECT_NEAR(free, 101 * std::sqrt(2.0), 1e-9);
    EXPECT_NEAR(shares, 0.5 * std::sqrt(2.0), 1e-9);
    EXPECT_NEAR(*variation_bound(parse_regulariser("simplex"), far, std::vector<Real>{3, 4}), 5, 1e-9);
    EXPECT_FALSE(variation_bound(parse_regulariser("zero"), std::vector<Interval>{{0, kInfinity}},
                                 std::vector<Real>{0}));
    EXPECT_FALSE(variation_bound(parse_regulariser("zero"), std::vector<Interval>{{0, 1}},
                                 std::vector<Real>{kInfinity}));
}

}  // namespace
}  // namespace proxstream::test
