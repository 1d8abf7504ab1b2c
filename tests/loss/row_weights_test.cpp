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

/// The definition: the mean over the rows of weight times loss. Overwrites the gradient.
Real plain_loss(const RowFamily& family, const RowBlock& record, ConstView x, View gradient,
                Scratch& scratch) {
    std::vector<Real> one(x.size());
    fill(gradient, 0);
    Real total = 0;
    for (Index row = 0; row < record.rows(); ++row) {
        RowBlock single(record.sparse());
        single.add_row(record, row);
        single.set_weight(0, 1);
        const Real share = record.weight(row) / static_cast<Real>(record.rows());
        total += share * family.value_and_gradient(single, x, one, scratch);
        axpy(share, one, gradient);
    }
    return total;
}

void give_weights(RowBlock& rows) {
    constexpr Real kWeights[] = {0.5, 0, 2, 2, 1};
    for (Index row = 0; row < rows.rows(); ++row) rows.set_weight(row, kWeights[row % 5]);
}

TEST(RowWeights, MultiplyTheLossOfARecord) {
    constexpr Index kFeatures = 3;
    for (const std::string& spec : fixtures::specs()) {
        Source source;
        const auto family = parse_loss(spec, {.features = fixtures::features_of(spec, kFeatures)});
        for (const Index rows : {1, 5, 7}) {
            Twins twins = draw_record(*family, fixtures::features_of(spec, kFeatures), rows, source);
            for (RowBlock* record : {&twins.dense, &twins.sparse}) {
                give_weights(*record);
                const std::vector<Real> x = source.point(family->dimension(), 0.5);
                std::vector<Real> gradient(x.size()), wanted(x.size());
                Scratch scratch;
                const Real value = plain_loss(*family, *record, x, wanted, scratch);
                EXPECT_NEAR(family->value(*record, x, scratch), value, 1e-13 * (1 + std::abs(value))) << spec;
                EXPECT_NEAR(family->value_and_gradient(*record, x, gradient, scratch), value,
                            1e-13 * (1 + std::abs(value)))
                    << spec;
                EXPECT_LE(distance(gradient, wanted), 1e-13 * (1 + norm(wanted))) << spec;
            }
        }
    }
}

TEST(RowWeights, MultiplyTheLossesOfAWindow) {
    constexpr Index kFeatures = 3, kRecords = 6;
    for (const std::string& spec : fixtures::specs()) {
        Source source;
        const Index features = fixtures::features_of(spec, kFeatures);
        const auto family = parse_loss(spec, {.features = features});
        AnyBatch batch = family->make_batch(4);
        std::vector<RowBlock> records;
        for (Index i = 0; i < kRecords; ++i) {
            Twins twins = draw_record(*family, features, 1 + i % 3, source);
            records.push_back(i % 2 == 0 ? twins.dense : twins.sparse);
            if (i != 3) give_weights(records.back());
            batch.push(records.back());
        }
        const std::vector<Real> weights{0.4, 0.3, 0.2, 0.1}, x = source.point(family->dimension(), 0.5);
        std::vector<Real> gradient(x.size()), wanted(x.size(), 0), one(x.size());
        Scratch scratch;
        Real value = 0;
        for (Index age = 0; age < weights.size(); ++age) {
            const Real own = plain_loss(*family, records[kRecords - 1 - age], x, one, scratch);
            EXPECT_NEAR(batch.value(age, x, scratch), own, 1e-13 * (1 + std::abs(own))) << spec;
            value += weights[age] * own;
            axpy(weights[age], one, wanted);
        }
        EXPECT_NEAR(batch.weighted_value_and_gradient(weights, x, gradient, scratch), value,
                    1e-13 * (1 + std::abs(value)))
            << spec;
        EXPECT_LE(distance(gradient, wanted), 1e-13 * (1 + norm(wanted))) << spec;
        EXPECT_NEAR(batch.weighted_value(weights, x, scratch), value, 1e-13 * (1 + std::abs(value))) << spec;
    }
}

TEST(RowWeights, SurviveASavedWindow) {
    const auto family = parse_loss("huber", {.features = 3});
    Source source;
    AnyBatch batch = family->make_batch(3), copy = family->make_batch(3);
    for (const bool sparse : {false, true, false}) {
        Twins twins = draw_record(*family, 3, 5, source);
        RowBlock& record = sparse ? twins.sparse : twins.dense;
        give_weights(record);
        batch.push(record);
    }
    StateArchive out;
    batch.serialise(out);
    StateArchive in(out.seal(), "memory");
    copy.serialise(in);
    in.finish();
    Scratch scratch;
    const std::vector<Real> x = source.point(family->dimension());
    for (Index age = 0; age < 3; ++age)
        EXPECT_EQ(copy.value(age, x, scratch), batch.value(age, x, scratch)) << age;
}

TEST(RowWeights, MultiplyTheSmoothness) {
    for (const char* spec : {"squared", "logistic", "softmax:classes=3"}) {
        Source source;
        const auto family = parse_loss(spec, {.features = 3});
        RowBlock record = draw_record(*family, 3, 4, source).dense;
        const Real before = family->smoothness(record).value();
        for (Index row = 0; row < 4; ++row) record.set_weight(row, 3);
        EXPECT_NEAR(family->smoothness(record).value(), 3 * before, 1e-12 * before) << spec;
    }
}

}  // namespace
}  // namespace proxstream
