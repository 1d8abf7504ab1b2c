/// Weights of rows: kept with the rows, and multiplied into their losses.
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/checksum.hpp"
#include "loss/row_fixtures.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::Source;
using fixtures::Twins;

std::uint64_t checksum_of(const RowBlock& rows) {
    Checksum checksum;
    rows.add_to(checksum);
    return checksum.value();
}

RowBlock restored(RowBlock rows) {
    StateArchive out;
    rows.serialise(out);
    RowBlock copy(rows.sparse());
    StateArchive in(out.seal(), "memory");
    copy.serialise(in);
    in.finish();
    return copy;
}

TEST(RowWeights, AreOneUnlessSet) {
    RowBlock rows;
    rows.add_dense(std::vector<Real>{1, 2}, 0);
    EXPECT_EQ(rows.weight(0), 1);
    EXPECT_TRUE(rows.weights().empty());
    rows.set_weight(0, 2.5);
    rows.add_dense(std::vector<Real>{3, 4}, 1);
    EXPECT_EQ(rows.weight(0), 2.5);
    EXPECT_EQ(rows.weight(1), 1);
    rows.clear();
    rows.add_dense(std::vector<Real>{3, 4}, 1);
    EXPECT_EQ(rows.weight(0), 1);
}

TEST(RowWeights, OutsideTheirRangeAreRefused) {
    RowBlock rows;
    rows.add_dense(std::vector<Real>{1}, 0);
    for (const Real bad : {-1.0, -1e-300, kInfinity, std::numeric_limits<Real>::quiet_NaN()})
        EXPECT_THROW(rows.set_weight(0, bad), ConfigError) << bad;
    EXPECT_EQ(rows.weight(0), 1);
    rows.set_weight(0, 0);
    EXPECT_EQ(rows.weight(0), 0);
}

TEST(RowWeights, AreSavedAndCounted) {
    for (const bool sparse : {false, true}) {
        Source source;
        const auto family = parse_loss("squared", {.features = 3});
        const Twins twins = draw_record(*family, 3, 4, source);
        const RowBlock plain = sparse ? twins.sparse : twins.dense;
        RowBlock weighted = plain;
        weighted.set_weight(2, 0.5);
        EXPECT_NE(checksum_of(weighted), checksum_of(plain));
        const RowBlock back = restored(weighted);
        EXPECT_EQ(checksum_of(back), checksum_of(weighted));
        for (Index row = 0; row < 4; ++row) {
            EXPECT_EQ(back.weight(row), weighted.weight(row));
            EXPECT_EQ(back.target(row), plain.target(row));
        }
        // All 1 again: the block is as if none had been set.
        weighted.set_weight(2, 1);
        EXPECT_EQ(checksum_of(weighted), checksum_of(plain));
        EXPECT_TRUE(restored(weighted).weights().empty());
    }
}

}  // namespace
}  // namespace proxstream
