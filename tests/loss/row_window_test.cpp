/// Windows of records: the batched store against the plain sum of single records.
#include "proxstream/core/linalg.hpp"

#include "loss/count_allocations.hpp"
#include "loss/loss_table.hpp"
#include "loss/pass_family.hpp"
#include "loss/row_fixtures.hpp"
#include "loss/row_ring.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::Source;
using fixtures::Twins;

enum class Form { dense, sparse, mixed };

RowBlock draw_block(const RowFamily& family, Index features, Index rows, Form form, Source& source) {
    Twins twins = draw_record(family, features, rows, source);
    const bool sparse = form == Form::sparse || (form == Form::mixed && source.below(2) == 0);
    return sparse ? std::move(twins.sparse) : std::move(twins.dense);
}

/// The contract written out: records[0] is the newest.
Real plain_sum(const RowFamily& family, const std::deque<RowBlock>& records, ConstView weights, ConstView x,
               View gradient, Scratch& scratch) {
    std::vector<Real> one(x.size());
    fill(gradient, 0);
    Real total = 0;
    for (Index age = 0; age < weights.size(); ++age) {
        total += weights[age] * family.value_and_gradient(records[age], x, one, scratch);
        axpy(weights[age], one, gradient);
    }
    return total;
}

void expect_same(const AnyBatch& batch, const RowFamily& family, const std::deque<RowBlock>& records,
                 Source& source, Scratch& scratch) {
    ASSERT_EQ(batch.size(), records.size());
    const Index n = family.dimension();
    const std::vector<Real> x = source.point(n, 0.5);
    std::vector<Real> gradient(n);
    std::vector<Real> wanted(n);
    for (Index age = 0; age < records.size(); ++age) {
        const Real value = family.value_and_gradient(records[age], x, wanted, scratch);
        const Real slack = 1e-13 * (1 + std::fabs(value));
        EXPECT_NEAR(batch.value(age, x, scratch), value, slack);
        EXPECT_NEAR(batch.value_and_gradient(age, x, gradient, scratch), value, slack);
        EXPECT_LE(distance(gradient, wanted), 1e-13 * (1 + norm(wanted)));
    }
    for (Index count = 0; count <= records.size(); ++count) {
        std::vector<Real> weights = source.point(count);
        for (Real& weight : weights) {
            if (source.below(4) == 0) weight = 0;
        }
        const Real value = plain_sum(family, records, weights, x, wanted, scratch);
        const Real slack = 1e-12 * (1 + std::fabs(value));
        EXPECT_NEAR(batch.weighted_value(weights, x, scratch), value, slack);
        fill(gradient, 99);  // has to be overwritten
        EXPECT_NEAR(batch.weighted_value_and_gradient(weights, x, gradient, scratch), value, slack);
        EXPECT_LE(distance(gradient, wanted), 1e-12 * (1 + norm(wanted)));
    }
}

class RowWindows : public testing::TestWithParam<std::string> {};

TEST_P(RowWindows, EqualThePlainSum) {
    Scratch scratch;
    for (const Form form : {Form::dense, Form::sparse, Form::mixed}) {
        // Row lengths around the lanes of the kernels, and one that is padded.
        for (const Index wanted : {Index{3}, Index{8}, Index{37}}) {
            const Index features = fixtures::features_of(GetParam(), wanted);
            Source source{.seed = wanted};
            const Index capacity = 5;
            const auto family = parse_loss(GetParam(), {.features = features});
            auto batch = family->make_batch(capacity);
            EXPECT_EQ(batch.capacity(), capacity);
            std::deque<RowBlock> records;
            for (int round = 0; round < 17; ++round) {
                // Ragged, and the largest record comes late: the store has to grow while it is full.
                const Index rows = round == 11 ? 7 : 1 + source.below(4);
                records.push_front(draw_block(*family, features, rows, form, source));
                batch.push(records.front());
                if (records.size() > capacity) records.pop_back();
                if (source.below(4) == 0) {
                    batch.drop_newest();
                    records.pop_front();
                    expect_same(batch, *family, records, source, scratch);
                }
                if (round % 3 == 0 || round == 11) expect_same(batch, *family, records, source, scratch);
            }
        }
    }
}

TEST_P(RowWindows, BitsDoNotDependOnTheRingPosition) {
    Scratch scratch;
    Source source{.seed = 11};
    const Index features = fixtures::features_of(GetParam(), 21);
    const Index capacity = 6;
    const auto family = parse_loss(GetParam(), {.features = features});
    const Index n = family->dimension();
    const std::vector<Real> x = source.point(n, 0.5);
    const std::vector<Real> weights = {0.5, 0.25, 0, 1, 0.125, 3};
    std::vector<RowBlock> last;
    for (Index i = 0; i < capacity; ++i) {
        last.push_back(draw_block(*family, features, 1 + source.below(3), Form::mixed, source));
    }
    std::vector<Real> first_gradient;
    Real first_value = 0;
    for (Index before = 0; before <= capacity; ++before) {
        auto batch = family->make_batch(capacity);
        for (Index i = 0; i < before; ++i) {
            batch.push(draw_block(*family, features, 1 + source.below(9), Form::mixed, source));
        }
        for (const RowBlock& record : last) batch.push(record);
        std::vector<Real> gradient(n);
        const Real value = batch.weighted_value_and_gradient(weights, x, gradient, scratch);
        EXPECT_EQ(value, batch.weighted_value(weights, x, scratch));
        if (before == 0) {
            first_gradient = gradient;
            first_value = value;
        }
        EXPECT_EQ(value, first_value) << before;
        EXPECT_EQ(gradient, first_gradient) << before;
    }
}

TEST_P(RowWindows, SteadyStateDoesNotAllocate) {
    for (const Form form : {Form::dense, Form::sparse}) {
        Scratch scratch;
        Source source{.seed = 12};
        const auto family = parse_loss(GetParam(), {.features = fixtures::features_of(GetParam(), 10)});
        auto batch = family->make_batch(4);
        std::vector<RowBlock> blocks;
        for (int i = 0; i < 5; ++i)
            blocks.push_back(draw_block(*family, family->features(), 3, form, source));
        const std::vector<Real> x = source.point(family->dimension());
        std::vector<Real> gradient(x.size());
        const std::vector<Real> weights(4, 0.25);
        long before = 0;
        for (Index round = 0; round < 60; ++round) {
            if (round == 40) before = fixtures::allocations();
            batch.push(blocks[round % blocks.size()]);
            if (batch.size() < 4) continue;
            batch.weighted_value(weights, x, scratch);
            batch.weighted_value_and_gradient(weights, x, gradient, scratch);
            batch.value_and_gradient(3, x, gradient, scratch);
        }
        EXPECT_EQ(fixtures::allocations() - before, 0);
    }
}

TEST_P(RowWindows, NaNCountsUnlessItsWeightIsZero) {
    Scratch scratch;
    Source source{.seed = 13};
    const auto family = parse_loss(GetParam(), {.features = 2});
    auto batch = family->make_batch(2);
    RowBlock bad(false);
    bad.add_dense(std::vector<Real>{1, std::numeric_limits<Real>::quiet_NaN()}, 1);
    batch.push(bad);
    batch.push(draw_block(*family, 2, 1, Form::dense, source));
    const std::vector<Real> x = source.point(family->dimension());
    std::vector<Real> gradient(x.size());
    const std::vector<Real> both = {0.5, 0.5};
    const std::vector<Real> newest = {0.5, 0};
    EXPECT_TRUE(std::isnan(batch.weighted_value_and_gradient(both, x, gradient, scratch)));
    EXPECT_TRUE(std::isnan(batch.weighted_value(both, x, scratch)));
    EXPECT_TRUE(std::isfinite(batch.weighted_value_and_gradient(newest, x, gradient, scratch)));
    EXPECT_TRUE(all_finite(gradient));
}

std::string window_name(const testing::TestParamInfo<std::string>& row) {
    return std::to_string(row.index) + "_" + std::string(row.param.substr(0, row.param.find_first_of(":-")));
}

INSTANTIATE_TEST_SUITE_P(All, RowWindows, testing::ValuesIn(fixtures::specs()), window_name);

TEST(RowRing, HoldsAboutItsRecordsAndNoMore) {
    // A large capacity costs nothing until it is used.
    RowRing ring(4, Index{1} << 40);
    RowBlock record(false);
    record.add_dense(std::vector<Real>{1, 2, 3, 4}, 5);
    for (int i = 0; i < 100; ++i) ring.push(record);
    EXPECT_EQ(ring.size(), 100U);
    EXPECT_EQ(ring.record(99).targets[0], 5);
    EXPECT_EQ(ring.record(0).dense[3], 4);
}

TEST(RowRing, DropTakesOnlyTheNewestBack) {
    RowRing ring(1, 2);
    const auto push = [&](Real target) {
        RowBlock record(false);
        record.add_dense(std::vector<Real>{target}, target);
        ring.push(record);
    };
    push(1);
    push(2);
    push(3);  // overwrites 1
    ring.drop_newest();
    ASSERT_EQ(ring.size(), 1U);
    EXPECT_EQ(ring.record(0).targets[0], 2);
    push(4);
    ASSERT_EQ(ring.size(), 2U);
    EXPECT_EQ(ring.record(0).targets[0], 4);
    EXPECT_EQ(ring.record(1).targets[0], 2);
    ring.drop_newest();
    ring.drop_newest();
    EXPECT_EQ(ring.size(), 0U);
}

// ---- single precision

/// Numbers that single precision holds, or not.
RowBlock numbers(Index features, Index rows, bool single, Source& source) {
    RowBlock record;
    for (Index row = 0; row < rows; ++row) record.add_dense(source.point(features), source.normal());
    if (single) record.round_to_single();
    return record;
}

TEST(SinglePrecision, SavesHalfAndChangesNoBit) {
    const Index features = 513;  // no whole number of lanes
    const Index capacity = 70;   // large enough for it
    Source source{.seed = 5};
    RowRing narrow(features, capacity, RowRing::Storage::single_where_lossless);
    RowRing wide(features, capacity);
    const auto family = parse_loss("cauchy", {.features = features});
    const auto& passes = dynamic_cast<const PassFamily&>(*family);
    const std::vector<Real> x = source.point(family->dimension(), 0.1);
    Scratch scratch;
    const auto expect_equal = [&] {
        ASSERT_EQ(narrow.size(), wide.size());
        const std::vector<Real> equal(wide.size(), 0.25);
        std::vector<Real> uneven = source.point(wide.size());
        uneven[uneven.size() / 2] = 0;
        for (const std::vector<Real>& weights : {equal, uneven}) {
            Scratch::Frame frame(scratch);
            std::vector<Real> one(x.size());
            std::vector<Real> other(x.size());
            EXPECT_EQ(passes.pass(narrow.weighted(weights, frame), x, one, scratch),
                      passes.pass(wide.weighted(weights, frame), x, other, scratch));
            EXPECT_EQ(one, other);
            EXPECT_EQ(passes.pass(narrow.weighted(weights, frame), x, {}, scratch),
                      passes.pass(wide.weighted(weights, frame), x, {}, scratch));
        }
    };
    const auto push = [&](Index rows, bool single) {
        const RowBlock record = numbers(features, rows, single, source);
        narrow.push(record);
        wide.push(record);
    };
    for (Index t = 0; t < 20; ++t) push(1 + t % 3, true);
    EXPECT_NE(narrow.record(0).single, nullptr);
    EXPECT_EQ(wide.record(0).single, nullptr);
    expect_equal();
    narrow.drop_newest();
    wide.drop_newest();
    expect_equal();
    // The first number that would lose digits.
    push(2, false);
    EXPECT_EQ(narrow.record(0).single, nullptr);
    EXPECT_EQ(narrow.record(5).single, nullptr);
    expect_equal();
    for (Index t = 0; t < 90; ++t) push(1 + t % 4, t % 2 == 0);
    expect_equal();
}

TEST(SinglePrecision, IsNotForSmallWindows) {
    Source source{.seed = 6};
    RowRing ring(4, 10, RowRing::Storage::single_where_lossless);
    ring.push(numbers(4, 1, true, source));
    EXPECT_NE(ring.record(0).dense, nullptr);
}

TEST(SinglePrecision, NetworksReadItToo) {
    const Index features = 600;
    Source source{.seed = 7};
    const auto family = parse_loss("mlp:hidden=4", {.features = features});
    const auto& passes = dynamic_cast<const PassFamily&>(*family);
    RowRing narrow(features, 60, RowRing::Storage::single_where_lossless);
    RowRing wide(features, 60);
    for (Index t = 0; t < 60; ++t) {
        const RowBlock record = numbers(features, 1, true, source);
        narrow.push(record);
        wide.push(record);
    }
    ASSERT_NE(narrow.record(0).single, nullptr);
    const std::vector<Real> x = source.point(family->dimension(), 0.1);
    std::vector<Real> one(x.size());
    std::vector<Real> other(x.size());
    Scratch scratch;
    Scratch::Frame frame(scratch);
    const std::vector<Real> weights(60, 0.5);
    EXPECT_EQ(passes.pass(narrow.weighted(weights, frame), x, one, scratch),
              passes.pass(wide.weighted(weights, frame), x, other, scratch));
    EXPECT_EQ(one, other);
}

}  // namespace
}  // namespace proxstream
