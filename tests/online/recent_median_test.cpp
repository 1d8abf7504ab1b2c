/// The running median against sorting everything, with rollbacks and restored states.
#include "online/recent_median.hpp"

#include "proxstream/core/draw.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Index kMemory = 200;

Real sorted_median(const std::deque<Real>& numbers) {
    std::vector<Real> sorted(numbers.begin(), numbers.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

/// Streams that drift, jump, repeat themselves and stand still.
Real number_at(int stream, std::uint64_t t) {
    const Real noise =
        std::exp(normal({.seed = 5, .round = t, .sample = static_cast<std::uint64_t>(stream)}));
    switch (stream) {
        case 0:
            return noise;
        case 1:
            return noise * std::exp(-static_cast<Real>(t) / 100);
        case 2:
            return noise * (t % 700 < 350 ? 1 : 1000);
        case 3:
            return std::floor(3 * noise);
        case 4:
            return static_cast<Real>(t);
        default:
            return 7;
    }
}

TEST(RecentMedian, EqualsTheMiddleOfTheSortedMemory) {
    for (int stream = 0; stream < 6; ++stream) {
        RecentMedian recent(kMemory);
        std::deque<Real> twin;
        for (std::uint64_t t = 0; t < 3000; ++t) {
            if (t % 5 == 0) {
                // A number that is rolled back leaves no trace.
                recent.rollback(recent.add(number_at(stream, t + 100'000)));
            }
            if (t % 701 == 700) {
                RecentMedian restored(kMemory);
                restored.assign(recent.numbers(), recent.oldest());
                recent = restored;
            }
            recent.add(number_at(stream, t));
            twin.push_back(number_at(stream, t));
            if (twin.size() > kMemory) twin.pop_front();
            ASSERT_EQ(recent.median(), sorted_median(twin)) << "stream " << stream << " after " << t;
        }
    }
}

TEST(RecentMedian, TakesBackTheFirstNumber) {
    RecentMedian recent(kMemory);
    recent.rollback(recent.add(3));
    EXPECT_TRUE(recent.empty());
    recent.add(2);
    EXPECT_EQ(recent.median(), 2);
}

}  // namespace
}  // namespace proxstream
