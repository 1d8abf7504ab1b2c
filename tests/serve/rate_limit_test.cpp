#include "serve/rate_limit.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

RateLimit::Time at(double seconds) {
    return RateLimit::Time{} + std::chrono::duration_cast<RateLimit::Time::duration>(
                                   std::chrono::duration<double>(1000 + seconds));
}

TEST(RateLimit, LetsABurstInAndThenTheRate) {
    RateLimit limit(10);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(limit.take("a", 2, 5, at(0)), 0);
    EXPECT_DOUBLE_EQ(limit.take("a", 2, 5, at(0)), 0.5);
    EXPECT_DOUBLE_EQ(limit.take("a", 2, 5, at(0.25)), 0.25);
    EXPECT_EQ(limit.take("b", 2, 5, at(0.25)), 0) << "another client";
    EXPECT_EQ(limit.take("a", 2, 5, at(0.5)), 0);
    EXPECT_GT(limit.take("a", 2, 5, at(0.5)), 0);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(limit.take("a", 2, 5, at(100)), 0) << "a full bucket, no more";
    EXPECT_GT(limit.take("a", 2, 5, at(100)), 0);
}

TEST(RateLimit, IsWithoutLimitAtNoRateAndHoldsOneTokenAtLeast) {
    RateLimit limit(10);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(limit.take("a", 0, 0, at(0)), 0);
    EXPECT_EQ(limit.remembered(), 0);
    EXPECT_EQ(limit.take("a", 0.1, 0, at(0)), 0);
    EXPECT_DOUBLE_EQ(limit.take("a", 0.1, 0, at(0)), 10);
    EXPECT_EQ(limit.take("a", 0.1, 0, at(10.001)), 0);
}

TEST(RateLimit, RemembersABoundedNumberOfClients) {
    RateLimit limit(3);
    EXPECT_EQ(limit.take("a", 1, 1, at(0)), 0);
    for (int i = 0; i < 1000; ++i) {
        limit.take("client " + std::to_string(i), 1, 1, at(0));
        EXPECT_GT(limit.take("a", 1, 1, at(0)), 0) << "a client that keeps asking is not forgotten";
    }
    EXPECT_EQ(limit.remembered(), 3);
    EXPECT_EQ(limit.take("client 0", 1, 1, at(0)), 0) << "forgotten";
}

}  // namespace
}  // namespace proxstream
