#include "studies/chart.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace proxstream {
namespace {

bool begins_with_entity(const std::string& text, std::size_t at) {
    const std::string entity = text.substr(at, text.find(';', at) - at + 1);
    return entity == "&amp;" || entity == "&lt;" || entity == "&gt;" || entity == "&quot;" ||
           entity == "&#39;";
}

/// The place of the '>' that ends the element at `at`, or npos.
std::size_t end_of_element(const std::string& text, std::size_t at) {
    bool quoted = false;
    for (std::size_t end = at; end < text.size(); ++end) {
        if (text[end] == '"') quoted = !quoted;
        if (end > at && text[end] == '<') return text.npos;
        if (!quoted && text[end] == '>') return end;
    }
    return text.npos;
}

/// "" when every element closes and every attribute is quoted; otherwise what is wrong. Knows the XML that a
/// chart may contain: elements, attributes, text, the five entities.
std::string xml_violation(const std::string& text) {
    std::vector<std::string> open;
    std::size_t at = 0;
    while (at < text.size()) {
        if (text[at] == '&' && !begins_with_entity(text, at)) return "entity " + text.substr(at, 20);
        if (text[at] == '>') return "stray > at " + std::to_string(at);
        if (text[at] != '<') {
            ++at;
            continue;
        }
        const std::size_t end = end_of_element(text, at);
        if (end == text.npos) return "an element without end at " + std::to_string(at);
        const std::string tag = text.substr(at + 1, end - at - 1);
        if (tag[0] == '/') {
            if (open.empty() || open.back() != tag.substr(1)) return "closes " + tag;
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(tag.substr(0, tag.find_first_of(" /")));
        }
        at = end + 1;
    }
    return open.empty() ? "" : "left open: " + open.back();
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

/// One panel of 600 by 340 pixels.
Chart single(Axis x, Axis y, std::vector<ChartSeries> series) {
    Chart chart;
    chart.title = "title";
    Panel& panel = chart.panels.emplace_back();
    panel.x = std::move(x);
    panel.y = std::move(y);
    panel.series = std::move(series);
    return chart;
}

std::vector<std::string> labels(Scale scale, Real low, Real high, int wanted) {
    std::vector<std::string> found;
    for (const Tick& tick : axis_ticks(scale, low, high, wanted)) {
        if (!tick.label.empty()) found.push_back(tick.label);
    }
    return found;
}

/// How the marker of the first series begins.
constexpr const char* kCircle = "m-3.4 0a";

using Labels = std::vector<std::string>;

TEST(AxisTicks, LinearTicksAreRoundNumbers) {
    EXPECT_EQ(labels(Scale::linear, 0, 1, 5), (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
    EXPECT_EQ(labels(Scale::linear, -0.07, 0.13, 4), (Labels{"-0.05", "0.00", "0.05", "0.10"}));
    EXPECT_EQ(labels(Scale::linear, 98, 1010, 4), (Labels{"200", "400", "600", "800", "1000"}));
    EXPECT_EQ(labels(Scale::linear, 0, 3e7, 3), (Labels{"0", "1e+07", "2e+07", "3e+07"}));
}

TEST(AxisTicks, LogarithmicTicksArePowersOfTen) {
    EXPECT_EQ(labels(Scale::log, 0.05, 20, 5), (Labels{"0.1", "1", "10"}));
    EXPECT_EQ(labels(Scale::log, 1e-7, 1e-2, 6),
              (Labels{"1e-07", "1e-06", "1e-05", "0.0001", "0.001", "0.01"}));
    EXPECT_EQ(labels(Scale::log, 1e-12, 1, 5), (Labels{"1e-12", "1e-09", "1e-06", "0.001", "1"}));
}

TEST(AxisTicks, FewDecadesGetMoreLabels) {
    EXPECT_EQ(labels(Scale::log, 0.4, 9, 5), (Labels{"0.5", "1", "2", "5"}));
    EXPECT_EQ(labels(Scale::log, 0.068, 0.22, 4), (Labels{"0.10", "0.15", "0.20"}));
}

TEST(AxisTicks, MinorTicksLieBetweenTheDecades) {
    const std::vector<Tick> ticks = axis_ticks(Scale::log, 1, 100, 5);
    EXPECT_EQ(ticks.size(), 3U + 16U);
    EXPECT_TRUE(std::any_of(ticks.begin(), ticks.end(), [](const Tick& tick) {
        return tick.label.empty() && std::abs(tick.at - 70) < 1e-9;
    }));
}

TEST(AxisTicks, DoublingScaleHasPowersOfTwo) {
    EXPECT_EQ(labels(Scale::log2, 3.9, 70, 4), (Labels{"4", "8", "16", "32", "64"}));
    EXPECT_EQ(labels(Scale::log2, 1, 1 << 20, 3), (Labels{"1", "16", "256", "4096", "65536", "1.04858e+06"}));
}

TEST(AxisTicks, EveryTickLiesInTheRange) {
    for (const Scale scale : {Scale::linear, Scale::log, Scale::log2}) {
        for (int k = 0; k < 200; ++k) {
            const Real low = std::pow(10.0, -8 + 0.07 * k);
            const Real high = low * (1.02 + std::pow(1.3, k % 40));
            const std::vector<Tick> ticks = axis_ticks(scale, low, high, 4);
            EXPECT_FALSE(labels(scale, low, high, 4).empty()) << low << " " << high;
            EXPECT_LE(labels(scale, low, high, 4).size(), 9U) << low << " " << high;
            for (const Tick& tick : ticks) {
                EXPECT_GE(tick.at, low * (1 - 1e-6));
                EXPECT_LE(tick.at, high * (1 + 1e-6));
            }
        }
    }
}

TEST(Chart, PointsAreDrawnAtTheirCoordinates) {
    // Six hundredths of the data's width are left free on either side: 0..10 covers -0.6..10.6.
    const std::string svg = to_svg(single({"x"}, {"y"}, {{"a", {{0, 0}, {10, 10}}}}));
    const Real left = 600 * 0.6 / 11.2;
    const Real up = 340 * 0.6 / 11.2;
    EXPECT_EQ(count(svg, fmt::format("d=\"M{:.2f} {:.2f}{}", left, 340 - up, kCircle)), 1U) << svg;
    EXPECT_EQ(count(svg, fmt::format("d=\"M{:.2f} {:.2f}{}", 600 - left, up, kCircle)), 1U) << svg;
    EXPECT_EQ(count(svg, fmt::format("d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\"", left, 340 - up, 600 - left, up)),
              1U)
        << svg;
}

TEST(Chart, LogarithmicAxisCentresTheGeometricMean) {
    const std::string svg =
        to_svg(single({"x", Scale::log}, {"y", Scale::log2}, {{"a", {{1, 2}, {10, 8}, {100, 32}}}}));
    EXPECT_EQ(count(svg, std::string("d=\"M300.00 170.00") + kCircle), 1U) << svg;
}

TEST(Chart, ErrorBarsHaveTheLengthOfTheErrors) {
    // y from 2 to 10 with margin 0.48: -0.5 and +0.5 around 5 lie 340/8.96 pixels apart.
    const std::string svg = to_svg(single({"x"}, {"y"}, {{"a", {{0, 2}, {1, 5, 0.5}, {2, 10}}}}));
    const auto y = [](Real value) { return 340 - 340 * (value - 2 + 0.48) / 8.96; };
    EXPECT_EQ(count(svg, fmt::format("M300.00 {:.2f}V{:.2f}", y(5.5), y(4.5))), 1U) << svg;
}

TEST(Chart, ErrorBarBelowZeroEndsAtTheFrameOfALogarithmicAxis) {
    const std::string svg = to_svg(single({"x"}, {"y", Scale::log}, {{"a", {{0, 1, 3}, {1, 10}}}}));
    EXPECT_EQ(count(svg, "V340.00"), 1U) << svg;
    EXPECT_EQ(count(svg, "nan") + count(svg, "inf"), 0U) << svg;
}

TEST(Chart, PointsOffTheAxisAreLeftOutAndBreakTheLine) {
    const Real nan = std::nan("");
    const std::string svg =
        to_svg(single({"x"}, {"y", Scale::log},
                      {{"a", {{0, 1}, {1, 2}, {2, 0}, {3, -1}, {4, nan}, {5, kInfinity}, {6, 3}, {7, 4}}}}));
    EXPECT_EQ(count(svg, kCircle), 4U) << svg;
    EXPECT_EQ(count(svg, "nan") + count(svg, "inf"), 0U) << svg;
    const auto line = svg.find("class=\"line s0\"");
    ASSERT_NE(line, std::string::npos);
    const std::string path = svg.substr(line, svg.find("/>", line) - line);
    EXPECT_EQ(count(path, "M"), 2U) << path;
    EXPECT_EQ(count(path, "L"), 2U) << path;
}

TEST(Chart, TextIsEscaped) {
    Chart chart =
        single({"a < b & c"}, {"\"y\""}, {{"<script>alert('x')</script>", {{1, 1}}}, {"b\x01", {{2, 2}}}});
    chart.title = "1 > 0 & \x02 <b>";
    chart.subtitle = "&amp;";
    const std::string svg = to_svg(chart);
    EXPECT_EQ(xml_violation(svg), "") << svg;
    EXPECT_EQ(count(svg, "<script"), 0U);
    EXPECT_EQ(count(svg, "&lt;script&gt;alert(&#39;x&#39;)"), 2U) << "legend and tooltip";
    EXPECT_EQ(count(svg, "1 &gt; 0 &amp;  &lt;b&gt;"), 2U) << "heading and title";
    EXPECT_EQ(svg.find_first_of("\x01\x02"), std::string::npos);
}

TEST(Chart, XmlCheckerFindsBadXml) {
    EXPECT_EQ(xml_violation("<a b=\"1\"><c/>x</a>"), "");
    EXPECT_NE(xml_violation("<a><c></a>"), "");
    EXPECT_NE(xml_violation("<a>x & y</a>"), "");
    EXPECT_NE(xml_violation("<a>"), "");
    EXPECT_NE(xml_violation("<a b=\"1>"), "");
}

TEST(Chart, EveryMarkIsWellFormedXml) {
    Chart chart;
    chart.title = "all";
    for (int i = 0; i < 5; ++i) {
        Panel& panel = chart.panels.emplace_back();
        panel.title = "panel";
        panel.series.push_back({"line", {{1, 1, 0.1, 0.2}, {2, 3, 0.1}}});
        panel.series.push_back({"curve", {{1, 1}, {2, 3}, {3, 2}}, Mark::curve});
        panel.series.push_back({"dots", {{1, 2, 0.1}, {2, 1}}, Mark::dots});
        panel.series.push_back({"level", {{0, 2, 0.2}}, Mark::level});
        panel.series.push_back({"nothing", {}, Mark::level});
    }
    chart.panels[1].x.scale = Scale::log;
    chart.panels[2].y.scale = Scale::log2;
    chart.panels[3].series.clear();
    for (int i = 0; i < 12; ++i) chart.panels[4].series.push_back({std::to_string(i), {{1.0 + i, 2}}});
    const std::string svg = to_svg(chart);
    EXPECT_EQ(xml_violation(svg), "");
    EXPECT_EQ(count(svg, ">no data<"), 1U);
    EXPECT_EQ(count(svg, "http"), 1U) << "the name space, and nothing to load";
    EXPECT_EQ(xml_violation(to_svg(Chart{})), "");
}

TEST(Chart, SeriesHaveOneColourInAllPanels) {
    Chart chart = single({"x"}, {"y"}, {{"first", {{1, 1}, {2, 2}}}, {"second", {{1, 2}, {2, 1}}}});
    chart.panels.push_back(chart.panels[0]);
    std::swap(chart.panels[1].series[0], chart.panels[1].series[1]);
    const std::string svg = to_svg(chart);
    // Two panels and the legend.
    EXPECT_EQ(count(svg, "class=\"line s0\""), 3U);
    EXPECT_EQ(count(svg, "class=\"line s1\""), 3U);
    EXPECT_EQ(count(svg, ">first<"), 1U) << "one legend for both";
}

TEST(Chart, CategoriesNameTheXAxisAndDotsAreNotJoined) {
    Chart chart = single({""}, {"y"}, {{"a", {{0, 3}, {1, -1}}, Mark::dots}});
    chart.panels[0].categories = {"one", "two"};
    const std::string svg = to_svg(chart);
    // x runs from 0 to 1 with a margin of 0.06.
    for (const auto& [x, name] : {std::pair{600 * 0.06 / 1.12, "one"}, {600 * 1.06 / 1.12, "two"}}) {
        EXPECT_EQ(count(svg, fmt::format("<text x=\"{:.1f}\"", x)), 1U) << svg;
        EXPECT_EQ(count(svg, fmt::format(">{}<", name)), 1U) << svg;
    }
    EXPECT_EQ(count(svg, kCircle), 2U) << "two markers";
    EXPECT_EQ(count(svg, "class=\"line"), 0U) << svg;
}

TEST(Chart, HasColoursForBothThemes) {
    const std::string style = to_svg(Chart{});
    const auto dark = style.find("prefers-color-scheme:dark");
    ASSERT_NE(dark, std::string::npos);
    for (const char* part : {".paper{", ".s0{", ".f7{", ".grid{", ".frame{"}) {
        EXPECT_LT(style.find(part), dark) << part;
        EXPECT_NE(style.find(part, dark), std::string::npos) << part;
    }
}

}  // namespace
}  // namespace proxstream
