/// Figures of predictions against their definitions, written out naively.
#include "run/metrics.hpp"

#include "proxstream/core/draw.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Rows = std::vector<ScoredRow>;

Real chance(std::uint64_t t, std::uint64_t which) {
    return uniform({.seed = 5, .round = t, .sample = which});
}

Real weighted(const Rows& rows, const std::function<Real(const ScoredRow&)>& value) {
    Real sum = 0, weight = 0;
    for (const ScoredRow& row : rows) {
        sum += row.weight * value(row);
        weight += row.weight;
    }
    return sum / weight;
}

Real naive_area(const Rows& rows) {
    Real ordered = 0, pairs = 0;
    for (const ScoredRow& up : rows) {
        for (const ScoredRow& down : rows) {
            if (up.label < 0 || down.label > 0) continue;
            const Real weight = up.weight * down.weight;
            pairs += weight;
            ordered += up.prediction > down.prediction    ? weight
                       : up.prediction == down.prediction ? weight / 2
                                                          : 0;
        }
    }
    return ordered / pairs;
}

Rows signs(Index count, Real spread = 1) {
    Rows rows;
    for (Index t = 1; t <= count; ++t) {
        const Real label = chance(t, 0) > 0.3 ? 1 : -1;
        const Real score = spread * (label + 3 * (chance(t, 1) - 0.5));
        const Real positive = 1 / (1 + std::exp(-score));
        // Some scores tie.
        rows.push_back({.prediction = t % 7 == 0 ? 0.25 : score,
                        .label = label,
                        .weight = 0.5 + chance(t, 2),
                        .probability = label > 0 ? positive : 1 - positive,
                        .loss = chance(t, 3)});
    }
    return rows;
}

Metrics of(TargetKind kind, const Rows& rows, Index classes = 0, Index recent = Metrics::kRecentRows) {
    Metrics metrics(kind, classes, recent);
    for (const ScoredRow& row : rows) metrics.add(row);
    return metrics;
}

void expect_same(const std::vector<Metric>& one, const std::vector<Metric>& other) {
    ASSERT_EQ(one.size(), other.size());
    for (Index i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].name, other[i].name);
        if (std::isnan(other[i].value)) {
            EXPECT_TRUE(std::isnan(one[i].value)) << one[i].name;
        } else {
            EXPECT_EQ(one[i].value, other[i].value) << one[i].name;
        }
    }
}

TEST(Metrics, OfNumbersFollowTheirDefinitions) {
    Rows rows;
    for (Index t = 1; t <= 300; ++t)
        rows.push_back(
            {1e3 + chance(t, 0), 1e3 + 2 * chance(t, 1), 0.1 + chance(t, 2), kNotKnown, chance(t, 3)});
    rows[10].loss = kNotKnown;
    const Real mean = weighted(rows, [](const ScoredRow& row) { return row.label; });
    const auto square = [](Real value) { return value * value; };
    const Real errors = weighted(rows, [&](const ScoredRow& r) { return square(r.prediction - r.label); });
    const Real spread = weighted(rows, [&](const ScoredRow& r) { return square(r.label - mean); });
    Rows charged = rows;
    charged.erase(charged.begin() + 10);
    const auto found = of(TargetKind::number, rows).all();
    EXPECT_NEAR(value_of(found, "mae"),
                weighted(rows, [](const ScoredRow& r) { return std::abs(r.prediction - r.label); }), 1e-12);
    EXPECT_NEAR(value_of(found, "rmse"), std::sqrt(errors), 1e-12);
    EXPECT_NEAR(value_of(found, "r2"), 1 - errors / spread, 1e-9);
    EXPECT_NEAR(value_of(found, "loss"), weighted(charged, [](const ScoredRow& r) { return r.loss; }), 1e-12);
    EXPECT_TRUE(std::isnan(value_of(found, "auc")));
}

TEST(Metrics, OfTwoClassesFollowTheirDefinitions) {
    const Rows rows = signs(500);
    const auto found = of(TargetKind::sign, rows).all();
    const auto guess = [](const ScoredRow& row) { return row.prediction < 0 ? -1.0 : 1.0; };
    EXPECT_NEAR(value_of(found, "accuracy"),
                weighted(rows, [&](const ScoredRow& r) { return guess(r) == r.label ? 1 : 0; }), 1e-12);
    EXPECT_NEAR(value_of(found, "log_loss"),
                weighted(rows, [](const ScoredRow& r) { return -std::log(r.probability); }), 1e-12);
    const Real both = weighted(rows, [&](const ScoredRow& r) { return guess(r) > 0 && r.label > 0 ? 1 : 0; });
    const Real wrong = weighted(rows, [&](const ScoredRow& r) { return guess(r) != r.label ? 1 : 0; });
    EXPECT_NEAR(value_of(found, "f1"), 2 * both / (2 * both + wrong), 1e-12);
    EXPECT_NEAR(value_of(found, "auc"), naive_area(rows), 1e-12);
}

TEST(Metrics, OfSeveralClassesAverageF1OverClassesThatOccur) {
    // Class 3 of 4 does not occur; class 2 is predicted and never a label.
    const Rows rows{{0, 0, 1, 0.5}, {0, 1, 1, 0.25}, {1, 1, 1, 1}, {2, 0, 1, 0}};
    const auto found = of(TargetKind::category, rows, 4).all();
    EXPECT_DOUBLE_EQ(value_of(found, "accuracy"), 0.5);
    EXPECT_DOUBLE_EQ(value_of(found, "macro_f1"), (0.5 + 2.0 / 3 + 0) / 3);
    EXPECT_DOUBLE_EQ(value_of(found, "log_loss"), (std::log(2) + std::log(4) - std::log(1e-15)) / 4);
}

TEST(Metrics, ThatAreNotDefinedAreNotKnown) {
    const auto empty = Metrics(TargetKind::sign).all();
    for (const Metric& each : empty) EXPECT_TRUE(std::isnan(each.value)) << each.name;
    Rows rows = signs(50);
    rows.erase(std::remove_if(rows.begin(), rows.end(), [](const ScoredRow& r) { return r.label > 0; }),
               rows.end());
    EXPECT_TRUE(std::isnan(value_of(of(TargetKind::sign, rows).all(), "auc")));
    EXPECT_FALSE(std::isnan(value_of(of(TargetKind::sign, rows).all(), "accuracy")));
    EXPECT_TRUE(std::isnan(value_of(of(TargetKind::number, {{1, 2}, {1, 2}}).all(), "r2")));
    // Without probabilities there is no log loss.
    EXPECT_TRUE(std::isnan(value_of(of(TargetKind::sign, {{1, 1}, {-1, -1}}).all(), "log_loss")));
    EXPECT_EQ(of(TargetKind::none, {{1, 2}}).all().size(), 1U);
}

TEST(Metrics, OfTheNewestRowsForgetTheOthers) {
    const Rows rows = signs(700);
    const Rows newest(rows.end() - 64, rows.end());
    expect_same(of(TargetKind::sign, rows, 0, 64).recent(), of(TargetKind::sign, newest).recent());
    expect_same(of(TargetKind::sign, newest).recent(), of(TargetKind::sign, newest).all());
    // An error that leaves the window leaves no trace.
    Rows numbers{{1e200, 0}};
    for (Index t = 1; t <= 64; ++t) numbers.push_back({chance(t, 0), chance(t, 1)});
    EXPECT_LT(value_of(of(TargetKind::number, numbers, 0, 64).recent(), "rmse"), 1);
}

TEST(Metrics, AreaBeyondTheExactRowsIsWithinItsBound) {
    for (const Real spread : {1e-3, 1.0, 40.0}) {
        for (const Index count : {AreaUnderCurve::kExactRows, 2 * AreaUnderCurve::kExactRows}) {
            const Rows rows = signs(count, spread);
            const Metrics metrics = of(TargetKind::sign, rows);
            const Real error = std::abs(value_of(metrics.all(), "auc") - naive_area(rows));
            EXPECT_LE(error, metrics.area_within() + 1e-12) << spread;
            EXPECT_EQ(metrics.area_within() > 0, count > AreaUnderCurve::kExactRows);
            if (spread >= 1) {
                EXPECT_LT(metrics.area_within(), 0.012) << spread;
                EXPECT_LT(error, 1e-3) << spread;
            }
        }
    }
}

TEST(Metrics, AreaTakesScoresOfAnySize) {
    Rows rows = signs(AreaUnderCurve::kExactRows);
    for (const Real score : {kInfinity, 1e300, 1e-300, 0.0, -0.0, -1e-300, -1e300, -kInfinity})
        rows.push_back({score, 1});
    const Metrics metrics = of(TargetKind::sign, rows);
    EXPECT_NEAR(value_of(metrics.all(), "auc"), naive_area(rows), metrics.area_within() + 1e-12);
    rows.push_back({kNotKnown, 1});
    EXPECT_EQ(value_of(of(TargetKind::sign, rows).all(), "auc"), value_of(metrics.all(), "auc"));
}

TEST(Metrics, ContinueFromASavedState) {
    for (const TargetKind kind : {TargetKind::number, TargetKind::sign, TargetKind::category}) {
        const Rows rows = signs(AreaUnderCurve::kExactRows + 300);
        for (const Index cut : {Index{0}, Index{50}, Index{1500}, AreaUnderCurve::kExactRows + 100}) {
            Metrics first(kind, 2, 100), second(kind, 2, 100);
            for (Index t = 0; t < cut; ++t) first.add(rows[t]);
            StateArchive out;
            first.serialise(out);
            const std::string bytes = out.seal();
            StateArchive in(bytes, "memory");
            second.serialise(in);
            in.finish();
            for (Index t = cut; t < rows.size(); ++t) {
                first.add(rows[t]);
                second.add(rows[t]);
            }
            expect_same(second.all(), first.all());
            expect_same(second.recent(), first.recent());
            EXPECT_EQ(second.rows(), first.rows());
        }
    }
}

TEST(Metrics, RefuseTheStateOfAnotherWindow) {
    Metrics narrow(TargetKind::sign, 0, 10), wide(TargetKind::sign, 0, 20);
    StateArchive out;
    narrow.serialise(out);
    const std::string bytes = out.seal();
    StateArchive in(bytes, "memory");
    EXPECT_THROW(wide.serialise(in), DataError);
}

}  // namespace
}  // namespace proxstream
