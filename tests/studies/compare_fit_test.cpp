/// Comparisons: figures of hand-made cells, and a small one of its own.
#include "studies/compare_fit.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

FitCell cell_of(std::string method, Real scale, std::uint64_t seed, std::vector<Real> gaps) {
    FitCell cell{.method = std::move(method), .scale = scale, .seed = seed, .seconds = 2, .trace = {}};
    for (Index i = 0; i < gaps.size(); ++i) {
        cell.trace.push_back({.iteration = i,
                              .base_samples = 100 * i,
                              .seconds = static_cast<double>(i) / 2,
                              .objective = static_cast<Real>(10 - i),
                              .gap = gaps[i]});
    }
    return cell;
}

TEST(FitComparison, FiguresAreMeansOfLogarithmsAtEqualBudgets) {
    FitComparison comparison;
    comparison.pass = 100;
    comparison.at = {1, 2};
    comparison.seconds = 0.6;
    comparison.cells = {cell_of("a", 1, 1, {8, 1, 0.1}), cell_of("a", 1, 2, {8, 1, 10})};
    const FitEntry entry{.method = "a", .scale = 1, .swept = true, .runs = {0, 1}};
    comparison.entries = {entry};
    EXPECT_EQ(comparison.cells[0].after_samples(99).gap, 8);
    EXPECT_EQ(comparison.cells[0].after_samples(100).gap, 1);
    EXPECT_EQ(comparison.cells[0].after_seconds(0.99).gap, 1);
    const FitFigure one = comparison.squared_gap(entry, 1);
    EXPECT_DOUBLE_EQ(one.geometric_mean, 1);
    EXPECT_DOUBLE_EQ(one.spread, 1);
    const FitFigure two = comparison.squared_gap(entry, 2);
    EXPECT_DOUBLE_EQ(two.geometric_mean, 1);
    // Logarithms -log 100 and log 100: standard error of their mean is log 100.
    EXPECT_NEAR(two.spread, 100, 1e-9);
    EXPECT_DOUBLE_EQ(comparison.squared_gap_in_time(entry).geometric_mean, 1);
    EXPECT_DOUBLE_EQ(comparison.mean_objective(entry, 2), 8);
    EXPECT_DOUBLE_EQ(comparison.mean_seconds(entry), 2);

    const std::string table = to_markdown(comparison);
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
    // Every line has as many cells as the heading: bars inside of them do not count.
    for (std::size_t begin = 0; begin < table.size();) {
        const std::size_t end = table.find('\n', begin);
        int bars = 0;
        for (std::size_t i = begin; i < end; ++i)
            bars += table[i] == '|' && (i == 0 || table[i - 1] != '\\') ? 1 : 0;
        EXPECT_EQ(bars, 8) << table.substr(begin, end - begin);
        begin = end + 1;
    }
    EXPECT_NE(to_text(comparison).find("1.00e+00 x/ 1e+02"), std::string::npos) << to_text(comparison);
}

TEST(CompareFit, RunsEveryCombinationOfStepAndSeed) {
    FitSettings settings;
    settings.data = {"builtin:iid,rows=60,features=3"};
    settings.loss = "cauchy";
    settings.methods = {"panoc;prox-sgd:batch=5"};
    settings.scales = {"0.5", "2"};
    settings.seeds = 3;
    settings.passes = 4;
    CompareFit comparison(settings);
    EXPECT_EQ(comparison.cells(), 1U + 2 * 3);
    Index reported = 0;
    const FitComparison all =
        comparison.run([&](Index done, const FitCell&) { EXPECT_EQ(done, ++reported); });
    EXPECT_EQ(reported, 7U);
    ASSERT_EQ(all.entries.size(), 2U);
    EXPECT_FALSE(all.interrupted);
    EXPECT_EQ(all.entries[0].runs.size(), 1U);
    ASSERT_EQ(all.entries[1].runs.size(), 3U);
    EXPECT_TRUE(all.entries[1].swept);
    // The step in the table is the one that got lowest in the mean.
    const auto mean_of = [&](Real scale) {
        Real mean = 0;
        for (const FitCell& cell : all.cells) {
            if (cell.method != "panoc" && cell.scale == scale) mean += cell.trace.back().objective / 3;
        }
        return mean;
    };
    EXPECT_EQ(all.entries[1].scale, mean_of(0.5) <= mean_of(2) ? 0.5 : 2);
    // All see the same problem from the same start.
    for (const FitCell& cell : all.cells) EXPECT_EQ(cell.trace.front().gap, all.cells[0].trace.front().gap);
    EXPECT_NE(all.cells[1].trace.back().gap, all.cells[2].trace.back().gap);
    const std::string results = results_csv(all);
    EXPECT_EQ(std::count(results.begin(), results.end(), '\n'), 8);
    Index lines = 1;
    for (const FitCell& cell : all.cells) lines += cell.trace.size();
    const std::string traces = traces_csv(all);
    EXPECT_EQ(static_cast<Index>(std::count(traces.begin(), traces.end(), '\n')), lines);
}

TEST(CompareFit, ReportsMethodsThatCannotRun) {
    FitSettings settings;
    settings.data = {"sampler:regression"};
    settings.methods = {"panoc;strom"};
    settings.scales = {"1", "-2"};
    try {
        const CompareFit comparison(settings);
        FAIL();
    } catch (const ConfigError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("exact gradient"), std::string::npos) << text;
        EXPECT_NE(text.find("did you mean 'storm'"), std::string::npos) << text;
        EXPECT_NE(text.find("scales = -2"), std::string::npos) << text;
    }
    // Left to itself it takes what the problem allows.
    settings.methods.clear();
    settings.scales = {"1"};
    settings.seeds = 1;
    const CompareFit comparison(settings);
    Index stochastic = 0;
    for (const OfflineMethodRow& row : offline_methods())
        stochastic += row.stochastic && row.name != "reduction" ? 1 : 0;
    EXPECT_EQ(comparison.cells(), stochastic);
}

TEST(CompareFit, KeepsFinishedMethodsWhenInterrupted) {
    FitSettings settings;
    settings.data = {"builtin:iid,rows=60,features=3"};
    settings.methods = {"panoc;backtracking;prox-sgd"};
    settings.passes = 4;
    std::atomic<bool> stop = false;
    CompareFit comparison(settings, &stop);
    const FitComparison all = comparison.run([&](Index done, const FitCell&) { stop = done == 2; });
    EXPECT_TRUE(all.interrupted);
    EXPECT_EQ(all.cells.size(), 2U);
    EXPECT_EQ(all.entries.size(), 2U);
}

}  // namespace
}  // namespace proxstream
