#include "proxstream/core/draw.hpp"

#include "studies/study.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

Estimate of(Real mean) {
    return {1, mean, {}};
}

TEST(Finding, HoldsInTheClosedRange) {
    EXPECT_TRUE((Finding{"x", of(1), 1, 2}.holds()));
    EXPECT_TRUE((Finding{"x", of(2), 1, 2}.holds()));
    EXPECT_FALSE((Finding{"x", of(2.0001), 1, 2}.holds()));
    EXPECT_FALSE((Finding{"x", of(0.9999), 1, 2}.holds()));
    EXPECT_TRUE((Finding{"x", of(-1e300), -kInfinity, 0}.holds()));
}

TEST(Finding, MissingMeasurementDoesNotHold) {
    EXPECT_FALSE((Finding{"x", {}, -1, 1}.holds())) << "an empty mean is 0, which is no figure";
    EXPECT_FALSE((Finding{"x", of(std::numeric_limits<Real>::quiet_NaN())}.holds()));
    EXPECT_EQ(to_text(Finding{"x", {}, -1, 1}), "DOES NOT HOLD: x: not measured, expected from -1 to 1");
}

TEST(Finding, TextHasMeasurementAndExpectation) {
    const Estimate slope{5, -1.98, 0.012};
    EXPECT_EQ(to_text(Finding{"slope of Reg/T", slope, -2.2, -1.8}),
              "holds: slope of Reg/T: -1.980 +- 0.012, expected from -2.2 to -1.8");
    EXPECT_EQ(to_text(Finding{"N over the claim", of(4750), -kInfinity, 1, "at most 1"}),
              "DOES NOT HOLD: N over the claim: 4750, expected at most 1; the paper: at most 1");
    EXPECT_EQ(to_text(Finding{"growth", of(2), 1.5}), "holds: growth: 2.000, expected at least 1.5");
    EXPECT_EQ(to_text(Finding{"updates", of(42), 42, 42}), "holds: updates: 42.00, expected 42");
}

TEST(LogLogSlope, IsTheExponentOfAPowerLaw) {
    for (const Real power : {-2.0, -0.5, 0.0, 1.5}) {
        std::vector<ChartPoint> points;
        for (const Real x : {1.0, 3.0, 7.0, 100.0}) points.push_back({x, 5 * std::pow(x, power)});
        const Estimate slope = log_log_slope(points);
        EXPECT_EQ(slope.count, 4U);
        EXPECT_NEAR(slope.mean, power, 1e-12);
        EXPECT_NEAR(slope.error.value(), 0, 1e-12);
    }
}

TEST(LogLogSlope, TwoPointsHaveNoError) {
    const std::vector<ChartPoint> points{{2, 8}, {4, 2}};
    const Estimate slope = log_log_slope(points);
    EXPECT_NEAR(slope.mean, -2, 1e-15);
    EXPECT_FALSE(slope.error.has_value());
}

TEST(LogLogSlope, MatchesLeastSquaresByHand) {
    // log2 x = 0, 1, 2, 3; log2 y = 0, 2, 1, 3: slope 8/10, gap squares 1.8, error sqrt(1.8/2/5).
    const std::vector<ChartPoint> points{{1, 1}, {2, 4}, {4, 2}, {8, 8}};
    const Estimate slope = log_log_slope(points);
    EXPECT_NEAR(slope.mean, 0.8, 1e-14);
    EXPECT_NEAR(slope.error.value(), std::sqrt(1.8 / 2 / 5), 1e-14);
}

TEST(LogLogSlope, ErrorMatchesTheSpreadOfManyLines) {
    // Deviations with a known law: over many lines the slope is off by its error in the mean square.
    Real off = 0;
    Real claimed = 0;
    constexpr std::uint64_t kLines = 2000;
    for (std::uint64_t i = 0; i < kLines; ++i) {
        std::vector<ChartPoint> points;
        for (std::uint32_t k = 0; k < 8; ++k) {
            const Real x = std::exp2(k);
            points.push_back({x, std::pow(x, -2) * std::exp(0.1 * normal({40, i, k, 0, 0}))});
        }
        const Estimate slope = log_log_slope(points);
        off += (slope.mean + 2) * (slope.mean + 2) / kLines;
        claimed += *slope.error * *slope.error / kLines;
    }
    EXPECT_NEAR(off / claimed, 1, 0.1);
}

TEST(LogLogSlope, PointWithoutLogarithmGivesNothing) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (const Real bad : {0.0, -1.0, kInfinity, nan}) {
        EXPECT_EQ(log_log_slope(std::vector<ChartPoint>{{1, 1}, {2, 2}, {3, bad}}).count, 0U) << bad;
        EXPECT_EQ(log_log_slope(std::vector<ChartPoint>{{1, 1}, {2, 2}, {bad, 3}}).count, 0U) << bad;
    }
    EXPECT_EQ(log_log_slope({}).count, 0U);
    EXPECT_EQ(log_log_slope(std::vector<ChartPoint>{{2, 1}, {2, 3}}).count, 0U) << "no two different x";
}

/// A study of two lines on one stream, y = 3 x^2 and y = 5.
StudyPlan two_lines() {
    StudyPlan plan;
    plan.figures = {{"loss", "mean loss"}};
    plan.streams = {{.name = "s", .x = {"window w"}}};
    for (const int x : {1, 2, 4}) {
        plan.streams[0].methods.push_back({"steep " + std::to_string(x), "", "steep", Real(x)});
        plan.streams[0].methods.push_back({"flat " + std::to_string(x), "", "flat", Real(x)});
    }
    return plan;
}

ResultTable two_line_results() {
    ResultTable table;
    for (const int x : {1, 2, 4}) {
        table.add({"s", "steep " + std::to_string(x), "loss", 1, 3.0 * x * x});
        table.add({"s", "flat " + std::to_string(x), "loss", 1, 5});
    }
    return table;
}

TEST(Expectations, AreMeasuredAlongLines) {
    StudyPlan plan = two_lines();
    plan.expectations = {{Measure::slope, "s", "steep", "loss", 1.9, 2.1, "1"},
                         {Measure::largest, "s", "steep", "loss", 48, 48},
                         {Measure::smallest, "s", "steep", "loss", 3, 3},
                         {Measure::value, "s", "steep 2", "loss", 0, 1},
                         {Measure::value, "s", "steep 2", "loss", 2.4, 2.4, "", "flat 2"},
                         {Measure::largest, "s", "steep", "speed", 0, 1}};
    const std::vector<Finding> found = find(plan, two_line_results());
    ASSERT_EQ(found.size(), 6U);
    EXPECT_EQ(
        to_text(found[0]),
        "holds: s, steep: slope of mean loss against window w, log-log: 2.000 +- 0.000, expected from 1.9 "
        "to 2.1; the paper: 1");
    EXPECT_EQ(found[1].measured.mean, 48);
    EXPECT_EQ(found[2].measured.mean, 3);
    EXPECT_EQ(to_text(found[3]), "DOES NOT HOLD: s, steep 2: mean loss: 12.00, expected from 0 to 1");
    EXPECT_EQ(found[4].statement, "s, steep 2: mean loss over that of flat 2");
    EXPECT_TRUE(found[4].holds());
    EXPECT_FALSE(found[5].holds()) << "not measured";
}

TEST(ChartPlans, HaveAPanelForEachStreamAndASeriesForEachLine) {
    StudyPlan plan = two_lines();
    plan.charts = {{"loss.svg", "Loss", {"loss"}, {{"loss"}, {"bound", ": bound", true}}}};
    ResultTable table = two_line_results();
    table.add({"s", "flat 1", "bound", 1, 7});
    const Chart chart = draw(plan, table).at(0).chart;
    ASSERT_EQ(chart.panels.size(), 1U);
    EXPECT_EQ(chart.panels[0].x.label, "window w");
    ASSERT_EQ(chart.panels[0].series.size(), 3U) << "the steep line has no bound";
    EXPECT_EQ(chart.panels[0].series[0].name, "steep");
    EXPECT_EQ(chart.panels[0].series[0].points[2].x, 4);
    EXPECT_EQ(chart.panels[0].series[0].points[2].y, 48);
    EXPECT_EQ(chart.panels[0].series[2].name, "flat: bound");
    EXPECT_EQ(chart.panels[0].series[2].mark, Mark::curve);
}

TEST(ChartPlans, MethodsWithoutAPlaceAreLevels) {
    StudyPlan plan = two_lines();
    plan.streams[0].methods.push_back({"constant"});
    plan.charts = {{"loss.svg", "Loss", {"loss"}, {{"loss"}}}};
    ResultTable table = two_line_results();
    table.add({"s", "constant", "loss", 1, 7});
    EXPECT_EQ(draw(plan, table).at(0).chart.panels[0].series[2].mark, Mark::level);
}

TEST(ChartPlans, CanPlotOneFigureAgainstAnother) {
    StudyPlan plan = two_lines();
    plan.charts = {
        {.file = "a.svg", .title = "", .y = {}, .figures = {{"loss"}}, .x_figure = "cost", .x = {"cost"}}};
    ResultTable table = two_line_results();
    table.add({"s", "steep 2", "cost", 1, 9});
    const Panel panel = draw(plan, table).at(0).chart.panels.at(0);
    EXPECT_EQ(panel.x.label, "cost");
    EXPECT_EQ(panel.series[0].points[1].x, 9);
    EXPECT_EQ(panel.series[0].points[0].x, kInfinity) << "not measured";
}

TEST(ChartPlans, PanelsCanBeLinesOrStreamsSideBySide) {
    StudyPlan plan = two_lines();
    plan.charts = {
        {.file = "a.svg",
         .title = "",
         .y = {},
         .figures = {{"loss", "measured"}},
         .panels = ChartPlan::Panels::lines},
        {.file = "b.svg", .title = "", .y = {}, .figures = {{"loss"}}, .panels = ChartPlan::Panels::one}};
    const auto charts = draw(plan, two_line_results());
    ASSERT_EQ(charts[0].chart.panels.size(), 2U);
    EXPECT_EQ(charts[0].chart.panels[1].title, "flat");
    EXPECT_EQ(charts[0].chart.panels[1].series[0].name, "measured");
    ASSERT_EQ(charts[1].chart.panels.size(), 1U);
    EXPECT_EQ(charts[1].chart.panels[0].categories, (std::vector<std::string>{"s"}));
    EXPECT_EQ(charts[1].chart.panels[0].series.size(), 2U);
}

}  // namespace
}  // namespace proxstream
