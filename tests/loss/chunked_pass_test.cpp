/// Passes cut into chunks: against the plain pass, and bit for bit the same for any number of threads.
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "loss/count_allocations.hpp"
#include "loss/linear_family.hpp"
#include "loss/mlp_family.hpp"
#include "loss/row_fixtures.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::Source;

class Threads {
  public:
    explicit Threads(Index count) { set_threads(count); }
    ~Threads() { set_threads(1); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
};

/// Weighted records of a family, drawn; sparse ones among them, and all of different sizes.
struct Window {
    Window(const PassFamily& family, Index count, Index most_rows) : features(family.features()) {
        Source source{.seed = count};
        x = source.point(family.dimension(), 0.1);
        blocks.reserve(count);
        for (Index i = 0; i < count; ++i) {
            auto twins = draw_record(family, features, 1 + source.below(most_rows), source);
            blocks.push_back(i % 3 == 2 ? std::move(twins.sparse) : std::move(twins.dense));
            rows.push_back(rows_of(blocks.back(), features));
            rows.back().share *= source.normal();
        }
    }
    Index features;
    std::vector<Real> x;
    std::vector<RowBlock> blocks;
    std::vector<RecordRows> rows;
};

struct Result {
    Real value = 0;
    std::vector<Real> gradient;
    friend bool operator==(const Result&, const Result&) = default;
};

Result plain(const PassFamily& family, const Window& window, Scratch& scratch) {
    Result result{0, std::vector<Real>(family.dimension(), 99)};
    result.value = family.pass(window.rows, window.x, result.gradient, scratch);
    return result;
}

Result chunked(const PassFamily& family, const Window& window, Scratch& scratch) {
    Result result{0, std::vector<Real>(family.dimension(), 99)};
    result.value = chunked_pass(family, window.rows, window.x, result.gradient, scratch);
    return result;
}

/// What the parts sum up to in all, without signs: rounding is relative to it.
void expect_large_window(const PassFamily& family, const Window& window) {
    Scratch scratch;
    const Result whole = plain(family, window, scratch);
    const Result first = chunked(family, window, scratch);
    EXPECT_NE(first, whole) << "not cut: the test compares nothing";
    EXPECT_NEAR(first.value, whole.value, 1e-11 * (1 + std::abs(whole.value)));
    EXPECT_LE(distance(first.gradient, whole.gradient), 1e-11 * (1 + norm(whole.gradient)));
    EXPECT_EQ(chunked_pass(family, window.rows, window.x, {}, scratch), first.value);
    for (const Index count : {Index{2}, Index{3}}) {
        const Threads guard(count);
        ASSERT_EQ(threads(), count);
        for (int repetition = 0; repetition < 5; ++repetition) {
            EXPECT_EQ(chunked(family, window, scratch), first) << count << " threads";
            EXPECT_EQ(chunked_pass(family, window.rows, window.x, {}, scratch), first.value);
        }
    }
}

TEST(ChunkedPass, LargeWindowsGiveTheSameBitsForAnyThreads) {
    const LinearFamily linear({ScalarFormula::cauchy, 0.5}, 700, true);
    expect_large_window(linear, Window(linear, 301, 4));
    expect_large_window(linear, Window(linear, 801, 4));  // rows that come from memory
    const MlpFamily network({.features = 60, .hidden = {24}, .loss = {ScalarFormula::logistic, 1}});
    expect_large_window(network, Window(network, 101, 9));
}

/// One row at a time, as dot() and axpy() add.
Result row_by_row(const LinearFamily& family, const Window& window, Scratch& scratch) {
    Result sums{0, std::vector<Real>(family.dimension())};
    for (Index i = 0; i < window.rows.size(); ++i) {
        const RowBlock& block = window.blocks[i];
        for (Index row = 0; row < block.rows(); ++row) {
            const LossPoint point =
                evaluate(family.loss(), family.predict(block, row, window.x, scratch), block.target(row));
            const Real slope = window.rows[i].share * point.slope;
            sums.value += window.rows[i].share * point.value;
            sums.gradient.back() += slope;
            for (Index k = 0; k < block.values(row).size(); ++k) {
                const Index feature = block.sparse() ? block.indices(row)[k] : k;
                sums.gradient[feature] += slope * block.values(row)[k];
            }
        }
    }
    return sums;
}

TEST(LinearPass, BitsDoNotDependOnTheOriginOfRows) {
    // Features fill lanes or any part of them; dense, single and sparse records follow each other, and short
    // rows fill blocks.
    for (const Index features : {1, 2, 11, 12, 13, 14, 15, 16, 21, 64, 101, 203, 512, 1100}) {
        const LinearFamily family({ScalarFormula::cauchy, 0.5}, features, true);
        Window window(family, 40, features < 64 ? 70 : 9);
        std::vector<std::vector<float>> singles;
        for (Index i = 0; i < window.rows.size(); i += 4) {
            RecordRows& record = window.rows[i];
            if (record.sparse != nullptr) continue;
            window.blocks[i].round_to_single();
            const ConstView values = window.blocks[i].all_values();
            singles.emplace_back(values.begin(), values.end());
            record.dense = nullptr;
            record.single = singles.back().data();
        }
        Scratch scratch;
        const Result expected = row_by_row(family, window, scratch);
        for (const Index work : {Index{0}, Index{1} << 15U, Index{1} << 19U, Index{1} << 24U}) {
            for (RecordRows& record : window.rows) record.pass_work = work;
            EXPECT_EQ(plain(family, window, scratch), expected) << features << " features, work " << work;
        }
    }
}

TEST(LinearPass, BitsDoNotDependOnPairs) {
    // So many columns that x and its gradient are worth laying side by side, and rows of different lengths.
    const Index features = (Index{1} << 19U) + 3;
    for (const bool intercept : {false, true}) {
        const LinearFamily family({ScalarFormula::huber, 0.5}, features, intercept);
        Source source{.seed = 4};
        std::vector<RowBlock> blocks(3, RowBlock(true));
        std::vector<FeatureIndex> indices;
        std::vector<Real> values;
        for (Index row = 0; row < 9'000; ++row) {
            indices.clear();
            values.clear();
            for (Index at = source.below(9'000); at < features;
                 at += 1 + source.below(row % 2 == 0 ? 9'000 : 8'000)) {
                indices.push_back(static_cast<FeatureIndex>(at));
                values.push_back(source.normal());
            }
            blocks[row % 3].add_sparse(indices, values, source.normal());
        }
        Index stored = 0;
        std::vector<RecordRows> records;
        for (const RowBlock& block : blocks) {
            records.push_back(rows_of(block, features));
            stored += block.all_values().size();
        }
        records[1].share *= -3;
        ASSERT_GT(stored, 2 * features) << "not enough to be worth it: the test compares nothing";
        const std::vector<Real> x = source.point(family.dimension(), 0.1);
        Scratch scratch;
        Result expected{0, std::vector<Real>(family.dimension())};
        for (const RecordRows& record : records) {
            for (Index row = 0; row < record.rows; ++row) {
                const LossPoint point =
                    evaluate(family.loss(), family.predict(*record.sparse, row, x, scratch),
                             record.sparse->target(row));
                const Real slope = record.share * point.slope;
                expected.value += record.share * point.value;
                if (intercept) expected.gradient.back() += slope;
                for (Index k = 0; k < record.sparse->values(row).size(); ++k)
                    expected.gradient[record.sparse->indices(row)[k]] +=
                        slope * record.sparse->values(row)[k];
            }
        }
        Result found{0, std::vector<Real>(family.dimension(), 99)};
        found.value = family.pass(records, x, found.gradient, scratch);
        EXPECT_EQ(found, expected);
    }
}

TEST(LinearPass, ARowGivesTheSameBitsInAnyBlock) {
    for (const bool intercept : {false, true}) {
        for (const Index features : {Index{1}, Index{10}, Index{200}}) {
            const LinearFamily family({ScalarFormula::negative_square, 1}, features, intercept);
            const LinearFamily robust({ScalarFormula::cauchy, 0.5}, features, intercept);
            for (const LinearFamily* each : {&family, &robust}) {
                Window alone(*each, 1, 1);
                alone.rows[0].share = -0.7;
                Window among(*each, 1, 1);
                among.rows = {alone.rows[0], alone.rows[0]};
                among.rows[1].share = 0;  // adds nothing
                Scratch scratch;
                EXPECT_EQ(plain(*each, alone, scratch), plain(*each, among, scratch));
                EXPECT_EQ(each->pass(alone.rows, alone.x, {}, scratch),
                          each->pass(among.rows, alone.x, {}, scratch));
            }
        }
    }
}

TEST(ChunkedPass, SmallWindowsArePlainPasses) {
    Scratch scratch;
    const LinearFamily family({ScalarFormula::squared, 1}, 64, true);
    const Threads guard(2);
    for (const Index count : {Index{0}, Index{1}, Index{200}}) {
        const Window window(family, count, 3);
        EXPECT_EQ(chunked(family, window, scratch), plain(family, window, scratch));
    }
}

TEST(ChunkedPass, ALongRecordIsCutBetweenItsRows) {
    const LinearFamily family({ScalarFormula::squared, 1}, 64, true);
    expect_large_window(family, Window(family, 1, 40'000));
}

TEST(ChunkedPass, WideRowsAreNotCutIntoMoreGradientsThanTheyArePaidFor) {
    // Sparse rows of a wide model: adding up chunks' gradients would cost more than the rows.
    const LinearFamily family({ScalarFormula::logistic, 1}, 2'000'000, false);
    Source source{.seed = 5};
    std::vector<RowBlock> blocks;
    std::vector<RecordRows> rows;
    std::vector<FeatureIndex> indices(1000);
    const std::vector<Real> values(indices.size(), 0.01);
    for (int i = 0; i < 600; ++i) {
        for (Index k = 0; k < indices.size(); ++k) {
            indices[k] = static_cast<FeatureIndex>(2000 * k + source.below(2000));
        }
        blocks.emplace_back(true).add_sparse(indices, values, 1);
    }
    for (const RowBlock& block : blocks) rows.push_back(rows_of(block, family.features()));
    Scratch scratch;
    std::vector<Real> x(family.dimension());
    std::vector<Real> gradient(family.dimension());
    chunked_pass(family, rows, x, gradient, scratch);
    EXPECT_LT(scratch.capacity(), family.dimension() * sizeof(Real));
}

TEST(ChunkedPass, NaNInAnyChunkIsSeen) {
    Scratch scratch;
    const LinearFamily family({ScalarFormula::squared, 1}, 700, true);
    Window window(family, 301, 4);
    for (const Index at : {Index{0}, Index{150}, Index{300}}) {
        std::vector<Real> targets(window.rows[at].targets, window.rows[at].targets + window.rows[at].rows);
        targets.back() = std::numeric_limits<Real>::quiet_NaN();
        const RecordRows before = window.rows[at];
        window.rows[at].targets = targets.data();
        const Result result = chunked(family, window, scratch);
        EXPECT_TRUE(std::isnan(result.value)) << at;
        EXPECT_FALSE(all_finite(result.gradient)) << at;
        window.rows[at] = before;
    }
}

TEST(ChunkedPass, SteadyStateDoesNotAllocate) {
    const MlpFamily family({.features = 60, .hidden = {24}, .loss = {ScalarFormula::logistic, 1}});
    const Window window(family, 101, 9);
    for (const Index count : {Index{1}, Index{2}}) {
        const Threads guard(count);
        Scratch scratch;
        std::vector<Real> gradient(family.dimension());
        const auto pass = [&] { return chunked_pass(family, window.rows, window.x, gradient, scratch); };
        for (int i = 0; i < 10; ++i) pass();
        const long before = fixtures::allocations();
        for (int i = 0; i < 10; ++i) pass();
        EXPECT_EQ(fixtures::allocations() - before, 0);
    }
}

TEST(Threads, LoopsVisitEveryIndexOnce) {
    for (const Index count : {Index{1}, Index{2}, Index{3}, Index{0}}) {
        const Threads guard(count);
        EXPECT_GE(threads(), 1U);
        for (const Index size : {Index{0}, Index{1}, Index{2}, Index{1000}}) {
            std::vector<int> visits(size, 0);
            parallel_for(size, [&](Index i) { ++visits[i]; });
            EXPECT_EQ(visits, std::vector<int>(size, 1));
        }
    }
    EXPECT_EQ(threads(), 1U);
}

TEST(Threads, SeveralAreAtWorkAtTheSameTime) {
    const Threads guard(2);
    // Both wait for each other: with one thread alone this would time out.
    std::atomic<int> arrived{0};
    std::atomic<int> met{0};
    parallel_for(2, [&](Index) {
        ++arrived;
        for (int patience = 0; patience < 5000 && arrived < 2; ++patience) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (arrived == 2) ++met;
    });
    EXPECT_EQ(met, 2);
}

}  // namespace
}  // namespace proxstream
