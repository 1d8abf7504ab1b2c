#include "run/sparse_synthetic.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "run/synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

RowBlock read_all(RowReader& reader) {
    RowBlock block(true);
    while (reader.read_row(block)) continue;
    return block;
}

Real product(const RowBlock& block, Index row, ConstView weights) {
    Real sum = 0;
    for (Index k = 0; k < block.values(row).size(); ++k) {
        sum += block.values(row)[k] * weights[block.indices(row)[k]];
    }
    return sum;
}

TEST(SparseSynthetic, RowsArePureFunctionsOfSeedAndNumber) {
    ReaderOptions options;
    const auto reader = open_rows({"builtin:sparse,rows=300,columns=1000,nonzeros=7,seed=4"}, options);
    EXPECT_EQ(reader->features(), 1000U);
    EXPECT_TRUE(reader->sparse());
    EXPECT_EQ(reader->source(), "builtin:sparse");
    EXPECT_TRUE(reader->feature_names().empty());
    const RowBlock block = read_all(*reader);
    ASSERT_EQ(block.rows(), 300U);
    EXPECT_EQ(reader->line(), 300U);
    // A longer stream begins with the same rows; another seed does not.
    SparseSyntheticReader longer({.rows = 900, .columns = 1000, .nonzeros = 7, .seed = 4});
    SparseSyntheticReader other({.rows = 300, .columns = 1000, .nonzeros = 7, .seed = 5});
    const RowBlock more = read_all(longer);
    const RowBlock different = read_all(other);
    EXPECT_EQ(more.rows(), 900U);
    for (Index row = 0; row < 300; ++row) {
        ASSERT_EQ(block.values(row).size(), 7U);
        EXPECT_TRUE(std::ranges::equal(block.values(row), more.values(row)));
        EXPECT_TRUE(std::ranges::equal(block.indices(row), more.indices(row)));
        EXPECT_EQ(block.target(row), more.target(row));
        EXPECT_NE(block.target(row), different.target(row));
        for (Index k = 0; k < 7; ++k) {
            EXPECT_LT(block.indices(row)[k], 1000U);
            EXPECT_TRUE(k == 0 || block.indices(row)[k - 1] < block.indices(row)[k]);
        }
    }
}

TEST(SparseSynthetic, FollowsItsLaw) {
    const SparseSyntheticOptions options{
        .rows = 4000, .columns = 500, .nonzeros = 5, .skew = 2, .active = 0.3, .noise = 0.2};
    SparseSyntheticReader reader(options);
    const RowBlock block = read_all(reader);
    Index active = 0;
    for (const Real weight : reader.weights()) active += weight != 0 ? 1 : 0;
    EXPECT_NEAR(static_cast<Real>(active), 150, 40);
    Real squares = 0;
    Real lengths = 0;
    Real first = 0;  // values in the first tenth of the columns
    for (Index row = 0; row < block.rows(); ++row) {
        const Real error = block.target(row) - product(block, row, reader.weights());
        squares += error * error / 4000;
        lengths += squared_norm(block.values(row)) / 4000;
        for (const FeatureIndex index : block.indices(row)) first += index < 50 ? 1.0 / 20'000 : 0;
    }
    EXPECT_NEAR(std::sqrt(squares), 0.2, 0.01);
    EXPECT_NEAR(lengths, 1, 0.05);
    // P(column < c) = (c/C)^(1/skew)
    EXPECT_NEAR(first, std::sqrt(0.1), 0.02);
}

TEST(SparseSynthetic, TargetsAreOfTheKindAskedFor) {
    const SparseSyntheticOptions options{.rows = 200, .columns = 40, .nonzeros = 4, .noise = 0};
    SparseSyntheticReader numbers(options);
    SparseSyntheticReader signs(options, TargetKind::sign);
    SparseSyntheticReader none(options, TargetKind::none);
    const RowBlock number = read_all(numbers);
    const RowBlock sign = read_all(signs);
    const RowBlock nothing = read_all(none);
    for (Index row = 0; row < 200; ++row) {
        EXPECT_EQ(sign.target(row), number.target(row) < 0 ? -1 : 1);
        EXPECT_EQ(nothing.target(row), 0);
    }
    EXPECT_THROW(SparseSyntheticReader(options, TargetKind::category), ConfigError);
}

TEST(SparseSynthetic, EveryColumnMayBeStored) {
    SparseSyntheticReader reader({.rows = 1, .columns = 6, .nonzeros = 6});
    const RowBlock block = read_all(reader);
    for (FeatureIndex k = 0; k < 6; ++k) EXPECT_EQ(block.indices(0)[k], k);
}

TEST(SparseSynthetic, RefusesInvalidArguments) {
    for (const char* text : {"rows=0", "columns=0", "nonzeros=0", "nonzeros=200000", "columns=5000000000",
                             "skew=0.5", "active=0", "active=2", "noise=-1", "rows=x", "rows=1.5", "row=3"}) {
        EXPECT_THROW(open_builtin(std::string("sparse,") + text, TargetKind::number), ConfigError) << text;
    }
    try {
        open_builtin("sparce", TargetKind::number);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean 'sparse'"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace proxstream
