// Copies of a few columns say what the rows say at points that are 0 elsewhere.

#include "proxstream/loss/compact_rows.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/loss_table.hpp"

#include "loss/row_fixtures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::Source;
using fixtures::Twins;

constexpr Index kRecordRows = 60, kRecordFeatures = 100;

std::vector<Index> every(Index stride, Index dimension) {
    std::vector<Index> coordinates;
    for (Index i = 0; i < dimension; i += stride) coordinates.push_back(i);
    return coordinates;
}

/// Three records with weights of their own; features are numbers that single precision holds, or not.
struct Rows {
    Rows(const PassFamily& family, bool sparse, bool lossless) {
        Source source;
        for (const Real weight : {0.5, 1.0, 2.0}) {
            Twins twins = draw_record(family, kRecordFeatures, kRecordRows, source);
            blocks.push_back(sparse ? std::move(twins.sparse) : std::move(twins.dense));
            if (lossless) blocks.back().round_to_single();
            weights.push_back(weight);
        }
        for (Index i = 0; i < blocks.size(); ++i) {
            records.push_back(rows_of(blocks[i], kRecordFeatures));
            records.back().share = weights[i] / static_cast<Real>(kRecordRows);
        }
    }
    std::vector<RowBlock> blocks;
    std::vector<Real> weights;
    std::vector<RecordRows> records;
};

TEST(CompactRows, SayWhatTheRowsSay) {
    for (const std::string& spec : fixtures::specs()) {
        for (const bool intercept : {false, true}) {
            for (const bool sparse : {false, true}) {
                const Index features = fixtures::features_of(spec, kRecordFeatures);
                const auto family = parse_loss(spec, {.features = features, .intercept = intercept});
                const bool linear = family->with_features(8) != nullptr;
                ASSERT_EQ(linear, !spec.starts_with("mlp") && !spec.starts_with("factors")) << spec;
                if (!linear) continue;
                for (const bool lossless : {true, false}) {
                    const Rows rows(*family, sparse, lossless);
                    const Index n = family->dimension();
                    const std::vector<Index> coordinates = every(7, n);
                    CompactRows copy;
                    ASSERT_TRUE(copy.assign(*family, rows.records, coordinates)) << spec;
                    Source source{.seed = 5};
                    std::vector<Real> x(n);
                    for (const Index i : coordinates) x[i] = 0.3 * source.normal();
                    if (n > kRecordFeatures) x.back() = 0.2;
                    std::vector<Real> exact(n);
                    std::vector<Real> gradient(n, 9);
                    Scratch scratch;
                    const Real value = family->pass(rows.records, x, exact, scratch);
                    const Real tolerance = lossless ? 1e-14 : 1e-5;
                    EXPECT_NEAR(copy.value_and_gradient(x, gradient, scratch), value,
                                tolerance * (1 + std::abs(value)))
                        << spec;
                    for (Index i = 0; i < n; ++i) {
                        const bool held = std::ranges::binary_search(coordinates, i) || i >= kRecordFeatures;
                        ASSERT_NEAR(gradient[i], held ? exact[i] : 0, tolerance * (1 + norm(exact)))
                            << spec << ", coordinate " << i;
                    }
                }
            }
        }
    }
}

TEST(CompactRows, ServeThoseTheyHold) {
    const auto family = parse_loss("squared", {.features = kRecordFeatures});
    const Rows rows(*family, false, true);
    CompactRows copy;
    EXPECT_FALSE(copy.serves(every(7, kRecordFeatures)));
    ASSERT_TRUE(copy.assign(*family, rows.records, every(7, kRecordFeatures)));
    EXPECT_TRUE(copy.serves(every(7, kRecordFeatures)));
    EXPECT_FALSE(copy.serves(every(14, kRecordFeatures)));  // far more than that
    EXPECT_FALSE(copy.serves(std::vector<Index>{1}));
    std::vector<Index> fewer = every(7, kRecordFeatures);
    fewer.pop_back();
    EXPECT_TRUE(copy.serves(fewer));
    fewer.push_back(kRecordFeatures);  // the intercept is always there
    EXPECT_TRUE(copy.serves(fewer));
    copy.clear();
    EXPECT_FALSE(copy.serves(fewer));
}

TEST(CompactRows, AreNotMadeWhereTheyWouldNotPay) {
    const auto family = parse_loss("squared", {.features = kRecordFeatures});
    const Rows rows(*family, false, true);
    CompactRows copy;
    EXPECT_TRUE(copy.assign(*family, rows.records, every(1, kRecordFeatures)));
    // Little work as it is.
    EXPECT_FALSE(copy.assign(*family, std::span(rows.records).first(1), every(7, kRecordFeatures)));
    EXPECT_FALSE(copy.serves(every(7, kRecordFeatures)));
    // Rows that store far fewer numbers than the copy would.
    RowBlock thin(true);
    const std::vector<FeatureIndex> indices{3, 40};
    const std::vector<Real> values{1, 2};
    for (int row = 0; row < 4000; ++row) thin.add_sparse(indices, values, 1);
    const RecordRows record = rows_of(thin, kRecordFeatures);
    EXPECT_FALSE(copy.assign(*family, {&record, 1}, every(1, kRecordFeatures)));
    EXPECT_TRUE(copy.assign(*family, {&record, 1}, every(20, kRecordFeatures)));
}

TEST(CompactRows, OfNoColumnsAreTheInterceptAlone) {
    const auto with = parse_loss("squared", {.features = kRecordFeatures});
    const auto without = parse_loss("squared", {.features = kRecordFeatures, .intercept = false});
    const Rows rows(*with, false, true);
    CompactRows copy;
    EXPECT_FALSE(copy.assign(*without, rows.records, {}));
    ASSERT_TRUE(copy.assign(*with, rows.records, {}));
    std::vector<Real> x(with->dimension());
    x.back() = 0.4;
    std::vector<Real> exact(x.size());
    std::vector<Real> gradient(x.size());
    Scratch scratch;
    const Real value = with->pass(rows.records, x, exact, scratch);
    EXPECT_NEAR(copy.value_and_gradient(x, gradient, scratch), value, 1e-14 * value);
    EXPECT_NEAR(gradient.back(), exact.back(), 1e-14 * norm(exact));
}

}  // namespace
}  // namespace proxstream
