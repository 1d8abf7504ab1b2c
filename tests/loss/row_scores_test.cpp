// Rows known by their scores: the same losses and gradients as passes over the rows, on whole lines from the
// scores at two points, and the same bits for any number of threads.

#include "loss/row_scores.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "loss/linear_family.hpp"
#include "loss/mlp_family.hpp"
#include "loss/row_fixtures.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::Source;

/// Weighted records of all kinds: dense, sparse and in single precision.
struct ScoredRecords {
    ScoredRecords(const PassFamily& family, Index count, Index most_rows) {
        Source source{.seed = count + family.features()};
        blocks.reserve(count);
        singles.reserve(count);
        for (Index i = 0; i < count; ++i) {
            auto twins = draw_record(family, family.features(), 1 + source.below(most_rows), source);
            blocks.push_back(i % 3 == 2 ? std::move(twins.sparse) : std::move(twins.dense));
            RowBlock& block = blocks.back();
            if (i % 3 == 1) block.round_to_single();
            RecordRows rows = rows_of(block, family.features());
            rows.share *= source.normal();
            if (i % 3 == 1) {
                const ConstView values = block.all_values();
                singles.emplace_back(values.begin(), values.end());
                rows.dense = nullptr;
                rows.single = singles.back().data();
            }
            records.push_back(rows);
        }
    }
    std::vector<RowBlock> blocks;
    std::vector<std::vector<float>> singles;
    std::vector<RecordRows> records;
};

struct Known {
    Real value = 0;
    std::vector<Real> gradient;
    friend bool operator==(const Known&, const Known&) = default;
};

Known at_scores(const RowScores& rows, ConstView scores, Index dimension, Scratch& scratch) {
    Known known{0, std::vector<Real>(dimension, 99)};
    std::vector<Real> slopes(scores.size());
    known.value = rows.evaluate(scores, slopes, scratch);
    rows.gradient(slopes, known.gradient, scratch);
    return known;
}

TEST(RowScores, TellWhatPassesTellOnAWholeLine) {
    for (const ScalarFormula formula :
         {ScalarFormula::squared, ScalarFormula::geman_mcclure, ScalarFormula::logistic}) {
        for (const bool intercept : {false, true}) {
            for (const Index features : {1, 7, 64, 101, 512}) {
                const LinearFamily family({formula, 1}, features, intercept);
                const ScoredRecords data(family, 31, 5);
                Scratch scratch;
                RowScores rows;
                ASSERT_TRUE(rows.assign(family, data.records));
                Source source{.seed = 9};
                const std::vector<Real> from = source.point(family.dimension(), 0.1);
                const std::vector<Real> to = source.point(family.dimension(), 0.2);
                std::vector<Real> here(rows.rows());
                std::vector<Real> there(rows.rows());
                rows.score(from, here, scratch);
                rows.score(to, there, scratch);
                for (const Real share : {0.0, 1.0, 0.3, -0.7, 2.5}) {
                    std::vector<Real> x(from), scores(here), expected(family.dimension());
                    for (Index i = 0; i < x.size(); ++i) x[i] += share * (to[i] - from[i]);
                    for (Index i = 0; i < scores.size(); ++i) scores[i] += share * (there[i] - here[i]);
                    const Known known = at_scores(rows, scores, family.dimension(), scratch);
                    const Real value = family.pass(data.records, x, expected, scratch);
                    EXPECT_NEAR(known.value, value, 1e-11 * (1 + std::abs(value)));
                    EXPECT_LE(distance(known.gradient, expected), 1e-11 * (1 + norm(expected)));
                }
            }
        }
    }
}

TEST(RowScores, GiveTheSameBitsForAnyThreads) {
    const LinearFamily family({ScalarFormula::cauchy, 0.5}, 700, true);
    for (const Index count : {Index{301}, Index{1001}}) {
        const ScoredRecords data(family, count, 4);
        Source source{.seed = 10};
        const std::vector<Real> x = source.point(family.dimension(), 0.1);
        Scratch scratch;
        RowScores rows;
        ASSERT_TRUE(rows.assign(family, data.records));
        std::vector<Real> scores(rows.rows());
        rows.score(x, scores, scratch);
        const Known expected = at_scores(rows, scores, family.dimension(), scratch);
        for (const Index threads : {Index{2}, Index{3}}) {
            set_threads(threads);
            std::vector<Real> again(rows.rows());
            rows.score(x, again, scratch);
            EXPECT_EQ(again, scores);
            EXPECT_EQ(at_scores(rows, scores, family.dimension(), scratch), expected);
            set_threads(1);
        }
    }
}

TEST(RowScores, ForgetTheRowsBefore) {
    const LinearFamily wide({ScalarFormula::cauchy, 0.5}, 40, true);
    const LinearFamily narrow({ScalarFormula::squared, 1}, 3, false);
    const ScoredRecords first(wide, 20, 3);
    const ScoredRecords second(narrow, 2, 1);
    Scratch scratch;
    RowScores used, fresh;
    ASSERT_TRUE(used.assign(wide, first.records));
    ASSERT_TRUE(used.assign(narrow, second.records));
    ASSERT_TRUE(fresh.assign(narrow, second.records));
    ASSERT_EQ(used.rows(), 2U);
    const std::vector<Real> scores{0.5, -1};
    EXPECT_EQ(at_scores(used, scores, 3, scratch), at_scores(fresh, scores, 3, scratch));
}

TEST(RowScores, AreNotThereForNetworks) {
    const MlpFamily network({.features = 6, .hidden = {4}, .loss = {ScalarFormula::logistic, 1}});
    const ScoredRecords data(network, 3, 2);
    RowScores rows;
    EXPECT_FALSE(rows.assign(network, data.records));
}

TEST(RowScores, AnInterceptAloneIsAScore) {
    const LinearFamily family({ScalarFormula::squared, 1}, 0, true);
    RowBlock block;
    block.add_dense({}, 3);
    block.add_dense({}, 5);
    const RecordRows record = rows_of(block, 0);
    RowScores rows;
    Scratch scratch;
    ASSERT_TRUE(rows.assign(family, {&record, 1}));
    std::vector<Real> scores(2, 99);
    rows.score(std::vector<Real>{1}, scores, scratch);
    EXPECT_EQ(scores, (std::vector<Real>{1, 1}));
    const Known known = at_scores(rows, scores, 1, scratch);
    EXPECT_EQ(known.value, 5);  // (2^2 + 4^2) / 2 / 2
    EXPECT_EQ(known.gradient, std::vector<Real>{-3});
}

}  // namespace
}  // namespace proxstream
