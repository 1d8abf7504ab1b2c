// Reduced models agree with the rows on the change from an anchor, however short the move is.

#include "loss/reduced_rows.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "loss/loss_table.hpp"
#include "loss/row_fixtures.hpp"

#include <algorithm>
#include <cmath>

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

struct Change {
    Real bend = 0;  // value(y) - value(x) - gradient(x).(y - x)
    std::vector<Real> gradient;
};

/// What the rows themselves say, in double precision.
Change exact_change(const PassFamily& family, std::span<const RecordRows> records, ConstView x,
                    ConstView move) {
    Scratch scratch;
    std::vector<Real> y(x.begin(), x.end());
    axpy(1, move, y);
    std::vector<Real> here(x.size());
    Change change{.bend = 0, .gradient = std::vector<Real>(x.size())};
    const Real before = family.pass(records, x, here, scratch);
    change.bend = family.pass(records, y, change.gradient, scratch) - before - dot(here, move);
    axpy(-1, here, change.gradient);
    return change;
}

TEST(ReducedRows, AgreeWithTheRows) {
    for (const std::string& spec : fixtures::specs()) {
        for (const bool intercept : {false, true}) {
            for (const bool sparse : {false, true}) {
                const Index features = fixtures::features_of(spec, kRecordFeatures);
                const auto family = parse_loss(spec, {.features = features, .intercept = intercept});
                const std::string name = spec.substr(0, spec.find(':'));
                const bool one_score = family->of_scores().has_value();
                ASSERT_EQ(one_score, name != "mlp" && name != "factors" && name != "softmax") << spec;
                if (!one_score) continue;
                for (const Index stride : {1U, 7U}) {  // all columns, or a few
                    if (sparse && stride == 1) continue;
                    const Rows rows(*family, sparse, false);
                    const Index n = family->dimension();
                    const std::vector<Index> coordinates = every(stride, n);
                    Source source{.seed = 5};
                    std::vector<Real> x(n);
                    for (Real& each : x) each = 0.3 * source.normal();
                    ReducedRows copy;
                    ASSERT_TRUE(copy.assign(x, *family, rows.records, coordinates)) << spec;
                    for (const Real length : {0.2, 1e-3, 1e-8}) {
                        std::vector<Real> move(n);
                        for (const Index i : coordinates) move[i] = length * source.normal();
                        if (n > kRecordFeatures) move.back() = length;
                        const Change exact = exact_change(*family, rows.records, x, move);
                        Scratch scratch;
                        std::vector<Real> gradient(n, 9);
                        const Real bend = copy.bend(move, gradient, scratch);
                        const Real size = norm(exact.gradient);
                        // Values round as those of windows do.
                        EXPECT_NEAR(bend, exact.bend, 1e-5 * length * size + 1e-13) << spec;
                        for (Index i = 0; i < n; ++i) {
                            const bool held =
                                std::ranges::binary_search(coordinates, i) || i >= kRecordFeatures;
                            ASSERT_NEAR(gradient[i], held ? exact.gradient[i] : 0, 1e-5 * size + 1e-15)
                                << spec << ", coordinate " << i << ", length " << length;
                        }
                    }
                }
            }
        }
    }
}

TEST(ReducedRows, AreMadeAnewForOtherCoordinates) {
    const auto family = parse_loss("squared", {.features = kRecordFeatures});
    const Rows rows(*family, false, true);
    const std::vector<Real> x(family->dimension());
    std::vector<Real> move(x.size(), 0.1);
    Scratch scratch;
    ReducedRows used;
    for (const Index stride : {5U, 1U, 20U, 2U, 5U}) {
        ReducedRows fresh;
        ASSERT_TRUE(used.assign(x, *family, rows.records, every(stride, kRecordFeatures)));
        ASSERT_TRUE(fresh.assign(x, *family, rows.records, every(stride, kRecordFeatures)));
        std::vector<Real> one(x.size()), other(x.size());
        EXPECT_EQ(used.bend(move, one, scratch), fresh.bend(move, other, scratch)) << stride;
        EXPECT_EQ(one, other) << stride;
    }
}

TEST(ReducedRows, AreUsedAgainForAnotherAnchorUntilForgotten) {
    for (const Index features : {kRecordFeatures, Index{5}}) {  // a copy, a matrix
        const auto family = parse_loss("squared", {.features = features});
        Source source;
        std::vector<RowBlock> blocks;
        for (int i = 0; i < 2; ++i)
            blocks.push_back(draw_record(*family, features, 3 * kRecordRows, source).dense);
        for (RowBlock& block : blocks) block.round_to_single();
        const RecordRows before = rows_of(blocks[0], features), after = rows_of(blocks[1], features);
        const std::vector<Index> all = every(1, features);
        const std::vector<Real> move = source.point(family->dimension());
        std::vector<Real> one(move.size()), other(move.size());
        Scratch scratch;
        ReducedRows used;
        ASSERT_TRUE(used.assign(source.point(move.size()), *family, {&before, 1}, all));
        const std::vector<Real> x = source.point(move.size());
        for (const RecordRows* rows : {&before, &after}) {
            if (rows == &after) used.forget();
            ReducedRows fresh;
            ASSERT_TRUE(used.assign(x, *family, {rows, 1}, all));
            ASSERT_TRUE(fresh.assign(x, *family, {rows, 1}, all));
            EXPECT_EQ(used.bend(move, one, scratch), fresh.bend(move, other, scratch));
            EXPECT_EQ(one, other);
        }
    }
}

TEST(ReducedRows, AreAMatrixForQuadraticLossesOfFewCoordinates) {
    for (const char* spec : {"squared", "cauchy", "logistic"}) {
        for (const bool sparse : {false, true}) {
            const Index features = 6;
            const auto family = parse_loss(spec, {.features = features});
            Source source{.seed = 7};
            const Twins drawn = draw_record(*family, features, 50, source);
            RecordRows record = rows_of(sparse ? drawn.sparse : drawn.dense, features);
            record.share = 0.4;
            const Index n = family->dimension();
            std::vector<Real> x(n), move(n), change(n);
            for (Real& each : x) each = source.normal();
            for (Real& each : move) each = source.normal();
            ReducedRows reduced;
            const bool quadratic = std::string(spec) == "squared";
            ASSERT_EQ(reduced.assign(x, *family, {&record, 1}, every(1, n)), quadratic) << spec;
            EXPECT_EQ(ReducedRows::worthwhile(*family, {&record, 1}), quadratic) << spec;
            if (!quadratic) continue;
            EXPECT_FALSE(reduced.has_rows());
            const Change exact = exact_change(*family, {&record, 1}, x, move);
            Scratch scratch;
            EXPECT_NEAR(reduced.bend(move, change, scratch), exact.bend, 1e-11 * (1 + exact.bend));
            EXPECT_LE(distance(change, exact.gradient), 1e-11 * norm(exact.gradient));
        }
    }
}

TEST(ReducedRows, AreNotMadeIfTooLarge) {
    const auto family = parse_loss("squared", {.features = kRecordFeatures});
    const Rows rows(*family, false, true);
    const std::vector<Real> x(family->dimension());
    ReducedRows copy;
    // Little work as it is.
    EXPECT_FALSE(copy.assign(x, *family, std::span(rows.records).first(1), every(7, kRecordFeatures)));
    // Rows that store far fewer numbers than the copy would.
    RowBlock thin(true);
    const std::vector<FeatureIndex> indices{3, 40};
    const std::vector<Real> values{1, 2};
    for (int row = 0; row < 4000; ++row) thin.add_sparse(indices, values, 1);
    const RecordRows record = rows_of(thin, kRecordFeatures);
    EXPECT_FALSE(copy.assign(x, *family, {&record, 1}, every(1, kRecordFeatures)));
    EXPECT_TRUE(copy.assign(x, *family, {&record, 1}, every(20, kRecordFeatures)));
    // Numbers that single precision does not have.
    RowBlock large(false);
    std::vector<Real> row(kRecordFeatures, 1);
    for (int i = 0; i < 400; ++i) large.add_dense(row, 1);
    row[7] = 1e39;
    large.add_dense(row, 1);
    const RecordRows beyond = rows_of(large, kRecordFeatures);
    EXPECT_FALSE(copy.assign(x, *family, {&beyond, 1}, every(7, kRecordFeatures)));
    EXPECT_TRUE(copy.assign(x, *family, {&beyond, 1}, every(8, kRecordFeatures)));  // without it
}

TEST(ReducedRows, OfNoColumnsAreTheInterceptAlone) {
    const auto family = parse_loss("cauchy", {.features = kRecordFeatures});
    const Rows rows(*family, false, true);
    std::vector<Real> x(family->dimension(), 0.1);
    ReducedRows copy;
    ASSERT_TRUE(copy.assign(x, *family, rows.records, {}));
    std::vector<Real> move(x.size());
    move.back() = 0.4;
    const Change exact = exact_change(*family, rows.records, x, move);
    std::vector<Real> gradient(x.size());
    Scratch scratch;
    EXPECT_NEAR(copy.bend(move, gradient, scratch), exact.bend, 1e-13);
    EXPECT_NEAR(gradient.back(), exact.gradient.back(), 1e-13);
}

TEST(ReducedRows, GiveTheSameBitsForAnyNumberOfThreads) {
    constexpr Index kWide = 600;
    const auto family = parse_loss("geman-mcclure", {.features = kWide});
    Source source;
    const RowBlock block = draw_record(*family, kWide, 1501, source).dense;
    const RecordRows record = rows_of(block, kWide);
    std::vector<Real> x(family->dimension());
    std::vector<Real> move(x.size());
    for (Real& each : x) each = 0.1 * source.normal();
    for (Real& each : move) each = 0.1 * source.normal();
    ReducedRows copy;
    ASSERT_TRUE(copy.assign(x, *family, {&record, 1}, every(1, kWide)));
    Scratch scratch;
    std::vector<Real> one(x.size());
    std::vector<Real> three(x.size());
    const Real bend = copy.bend(move, one, scratch);
    set_threads(3);
    EXPECT_EQ(copy.bend(move, three, scratch), bend);
    set_threads(1);
    EXPECT_EQ(one, three);
    const Change exact = exact_change(*family, {&record, 1}, x, move);
    EXPECT_NEAR(bend, exact.bend, 1e-5 * exact.bend);
    EXPECT_LT(distance(one, exact.gradient), 1e-5 * norm(exact.gradient));
}

}  // namespace
}  // namespace proxstream
