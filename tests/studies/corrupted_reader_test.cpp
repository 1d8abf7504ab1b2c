#include "studies/corrupted_reader.hpp"

#include "run/synthetic.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

RowBlock all_rows(RowReader& reader) {
    RowBlock rows;
    while (reader.read_row(rows)) {
    }
    return rows;
}

TEST(CorruptedReader, MovesTheChosenLabelsByTheDeviationOfTheCleanOnes) {
    const auto options = SyntheticOptions::parse("drift,rows=2000,features=3,seed=5");
    SyntheticReader plain(options);
    const RowBlock clean = all_rows(plain);
    const auto read = [&](std::uint64_t seed) {
        CorruptedReader reader(std::make_unique<SyntheticReader>(options),
                               {.share = 0.1, .scale = 8, .seed = seed});
        return all_rows(reader);
    };
    const RowBlock rows = read(3);
    Index moved = 0;
    Index up = 0;
    for (Index t = 0; t < rows.rows(); ++t) {
        if (rows.target(t) == clean.target(t)) continue;
        ++moved;
        if (rows.target(t) > clean.target(t)) ++up;
        Real mean = 0;
        for (Index s = 0; s < t; ++s) mean += clean.target(s) / static_cast<Real>(t);
        Real variance = 0;
        for (Index s = 0; s < t; ++s) variance += std::pow(clean.target(s) - mean, 2) / static_cast<Real>(t);
        EXPECT_NEAR(std::abs(rows.target(t) - clean.target(t)), 8 * std::sqrt(variance), 1e-9) << t;
    }
    EXPECT_NEAR(static_cast<Real>(moved), 200, 4 * std::sqrt(180.0));
    EXPECT_NEAR(static_cast<Real>(up), static_cast<Real>(moved) / 2,
                4 * std::sqrt(static_cast<Real>(moved) / 4));
    EXPECT_TRUE(std::ranges::equal(read(3).targets(), rows.targets()));
    EXPECT_FALSE(std::ranges::equal(read(4).targets(), rows.targets()));
}

}  // namespace
}  // namespace proxstream
