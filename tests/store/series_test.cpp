/// Buckets against the numbers they are made of.
#include "store/series.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(Series, BucketsMatchTheirTurns) {
    for (const std::uint64_t length : {1U, 1024U, 1025U, 5000U}) {
        std::mt19937 draw(static_cast<unsigned>(length));
        std::vector<Real> values(length);
        for (Real& value : values) value = draw() % 7 == 0 ? std::nan("") : static_cast<Real>(draw() % 1000);
        Series series(2);
        for (std::uint64_t i = 0; i < length; ++i) {
            const Real row[] = {values[i], static_cast<Real>(i)};
            series.add(i + 1, row);
        }
        ASSERT_LE(series.buckets(), Series::kMostBuckets);
        EXPECT_EQ(series.first(0), 1U);
        EXPECT_EQ(series.last(series.buckets() - 1), length);
        for (Index bucket = 0; bucket < series.buckets(); ++bucket) {
            if (bucket > 0) {
                EXPECT_EQ(series.first(bucket), series.last(bucket - 1) + 1);
            }
            Real sum = 0, least = std::nan(""), most = std::nan(""), latest = std::nan("");
            int count = 0;
            for (std::uint64_t turn = series.first(bucket); turn <= series.last(bucket); ++turn) {
                const Real value = values[turn - 1];
                if (std::isnan(value)) continue;
                sum += value;
                least = count == 0 ? value : std::min(least, value);
                most = count == 0 ? value : std::max(most, value);
                latest = value;
                ++count;
            }
            if (count == 0) {
                EXPECT_TRUE(std::isnan(series.mean(bucket, 0)));
                continue;
            }
            EXPECT_EQ(series.mean(bucket, 0), sum / count);
            EXPECT_EQ(series.least(bucket, 0), least);
            EXPECT_EQ(series.most(bucket, 0), most);
            EXPECT_EQ(series.latest(bucket, 0), latest);
            EXPECT_EQ(series.latest(bucket, 1), static_cast<Real>(series.last(bucket) - 1));
        }
    }
}

TEST(Series, BytesAreTheSeries) {
    Series series(1);
    for (std::uint64_t turn = 1; turn <= 3000; ++turn) {
        const Real value = static_cast<Real>(turn * turn % 101);
        series.add(turn, {&value, 1});
    }
    Series copy(1);
    for (Index bucket = 0; bucket < series.buckets(); ++bucket)
        ASSERT_TRUE(copy.restore(series.bytes(bucket)));
    const Real more = 7;
    for (std::uint64_t turn = 3001; turn <= 6000; ++turn) {
        series.add(turn, {&more, 1});
        copy.add(turn, {&more, 1});
    }
    ASSERT_EQ(copy.buckets(), series.buckets());
    for (Index bucket = 0; bucket < series.buckets(); ++bucket)
        EXPECT_EQ(copy.bytes(bucket), series.bytes(bucket));
    EXPECT_FALSE(Series(2).restore(series.bytes(0)));
    EXPECT_FALSE(Series(1).restore("short"));
}

}  // namespace
}  // namespace proxstream
