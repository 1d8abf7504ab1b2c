#include "route/report_data.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "io/output_file.hpp"
#include "route/report_fixture.hpp"
#include "run/report_page.hpp"

#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Json = nlohmann::json;
constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

/// Values as they were, bit for bit; null where one was not finite.
void expect_series(const Json& read, const std::vector<Real>& written) {
    ASSERT_EQ(read.size(), written.size());
    for (Index i = 0; i < written.size(); ++i) {
        if (std::isfinite(written[i])) {
            EXPECT_EQ(read[i].get<Real>(), written[i]);
        } else {
            EXPECT_TRUE(read[i].is_null());
        }
    }
}

std::vector<Index> unpacked(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<Index> values;
    for (Index i = 0; i + 1 < text.size(); i += 2)
        values.push_back(64 * digits.find(text[i]) + digits.find(text[i + 1]));
    return values;
}

TEST(ReportData, RoundTripsThroughJson) {
    const ReportData data = testing::fixture_report();
    const Json read = Json::parse(to_json(data));
    EXPECT_EQ(read["kind"], "route");
    EXPECT_EQ(read["title"], data.title);
    EXPECT_EQ(read["periods"]["labels"].get<std::vector<std::string>>(), data.labels);
    expect_series(read["primary"]["cost"], data.primary.at("cost"));
    expect_series(read["primary"]["regret_bound"], data.primary.at("regret_bound"));
    expect_series(read["primary"]["seconds"], data.primary.at("seconds"));
    ASSERT_EQ(read["network"]["links"]["name"].size(), data.network.links());
    EXPECT_EQ(read["network"]["links"]["name"][5], data.network.link_name(5));
    EXPECT_EQ(read["network"]["links"]["to"][5], data.network.link(5).to);
    EXPECT_EQ(read["network"]["links"]["capacity"][5], data.capacity[5]);
    EXPECT_EQ(read["network"]["nodes"]["y"][7].get<Real>(), data.network.place(7)->y);
    ASSERT_EQ(read["methods"].size(), data.methods.size());
    EXPECT_EQ(read["methods"][3]["total_cost"].get<Real>(), data.methods[3].total_cost);
    EXPECT_TRUE(read["methods"].back()["churn"].is_null()) << "NaN is not a number in JSON";
    expect_series(read["methods"][3]["cost"], data.methods[3].cost);
    EXPECT_EQ(read["alarms"][0]["cleared"], 37);
    EXPECT_TRUE(read["alarms"][2]["cleared"].is_null());
    EXPECT_EQ(read["events"][0]["capacity"], 0);
    EXPECT_TRUE(read["events"][3]["link"].is_null());
    EXPECT_EQ(read["certificate"]["claims"][1]["left"].get<Real>(), data.claims[1].left);
    EXPECT_EQ(read["settings"][3]["isDefault"], true);
}

TEST(ReportData, PacksFramesAsTheLoadsInPermille) {
    const ReportData data = testing::fixture_report();
    const Json read = Json::parse(to_json(data));
    const std::vector<Index> values = unpacked(read["frames"]["permille"]);
    const Index links = data.network.links();
    ASSERT_EQ(values.size(), testing::kFixturePeriods * links);
    for (const Index period : {Index{0}, Index{33}, Index{479}}) {
        for (Index link = 0; link < links; ++link) {
            const Real load = testing::utilisation(data.network, link, period);
            EXPECT_EQ(static_cast<Real>(values[period * links + link]), std::round(1000 * load));
        }
    }
}

TEST(ReportData, TextCannotLeaveItsScriptElement) {
    ReportData data;
    data.title = "</script><!-- \xE2\x80\xA8\xE2\x80\xA9 \"quoted\\\" \t\x01 caf\xC3\xA9 \xF0\x9F\x9A\xA6";
    const std::string json = to_json(data);
    EXPECT_EQ(json.find('<'), std::string::npos);
    EXPECT_EQ(json.find("\xE2\x80\xA8"), std::string::npos);
    EXPECT_EQ(json.find("\xE2\x80\xA9"), std::string::npos);
    EXPECT_EQ(Json::parse(json)["title"], data.title);
}

TEST(ReportData, InvalidUtf8IsReplaced) {
    ReportData data;
    // Latin-1, a torn character, an overlong slash, half a surrogate pair, beyond Unicode.
    data.title = "M\xFCnchen|\xE2\x82|\xC0\xAF|\xED\xA0\x80|\xF5\x80\x80\x80|\xE2";
    const std::string bad = "\xEF\xBF\xBD";
    EXPECT_EQ(Json::parse(to_json(data))["title"], "M" + bad + "nchen|" + bad + "|" + bad + bad + "|" + bad +
                                                       bad + bad + "|" + bad + bad + bad + bad + "|" + bad);
}

TEST(ReportFrames, RespectTheSizeBudgetAndTheData) {
    ReportFrames frames(10, 1'000'000);
    const auto load = [](Index period, Index link) { return 0.001 * static_cast<Real>(period + 100 * link); };
    for (Index period = 0; period < 137; ++period) {
        frames.add(std::vector<Real>{load(period, 0), load(period, 1), load(period, 2)});
        ASSERT_LE(frames.periods().size(), 10U);
        ASSERT_EQ(frames.values().size(), 3 * frames.periods().size());
    }
    ASSERT_EQ(frames.periods(), (std::vector<Index>{0, 16, 32, 48, 64, 80, 96, 112, 128}));
    for (Index i = 0; i < frames.periods().size(); ++i) {
        for (Index link = 0; link < 3; ++link)
            EXPECT_EQ(frames.values()[3 * i + link], frames.periods()[i] + 100 * link);
    }
}

TEST(ReportFrames, CountValuesTowardsTheBudget) {
    ReportFrames frames(700, 1000);
    for (Index period = 0; period < 50; ++period) frames.add(std::vector<Real>(100, 0.5));
    EXPECT_LE(frames.values().size(), 1000U);
    EXPECT_GE(frames.periods().size(), 5U);
}

TEST(ReportFrames, PassOverPeriodsWithoutAny) {
    ReportFrames frames(4, 1'000'000);
    for (Index period = 0; period < 20; ++period) {
        if (period < 3 || period % 5 == 0) {
            frames.add({});
        } else {
            frames.add(std::vector<Real>(2, 0.001 * static_cast<Real>(period)));
        }
    }
    ASSERT_EQ(frames.periods(), (std::vector<Index>{4, 8, 12, 16}));
    EXPECT_EQ(frames.values()[0], 4);
    EXPECT_EQ(frames.values()[7], 16);
}

TEST(ReportFrames, DropFramesBeyondTheBudget) {
    ReportFrames frames;
    frames.add(std::vector<Real>{kInfinity, 4.2, kNan, -1, 0.0004});
    const std::vector<std::uint16_t> values(frames.values().begin(), frames.values().end());
    EXPECT_EQ(values, (std::vector<std::uint16_t>{4095, 4095, 0, 0, 0}));
    EXPECT_THROW(frames.add(std::vector<Real>(4)), Error);
}

TEST(ReportPage, EmbedsTheDataAndChangesNothingElse) {
    const std::string page(report_page());
    const ReportData data = testing::fixture_report();
    if (page.empty()) {
        EXPECT_THROW(require_report_page(), ConfigError);
        EXPECT_THROW(page_with_data(to_json(data)), ConfigError);
        GTEST_SKIP() << "the report page is not built in (PROXSTREAM_WEB=OFF)";
    }
    const std::string json = to_json(data);
    const std::string html = page_with_data(json);
    const Index at = html.find(json);
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(html.substr(0, at) + "null" + html.substr(at + json.size()), page);
    EXPECT_LT(page.size(), 250'000U);
    EXPECT_NE(page.find("Copyright (c) 2022 Leon Sorokin"), std::string::npos)
        << "uPlot's licence goes with it";
    // Nothing to fetch: addresses in the page are names of XML dialects at most.
    for (const char* outside : {"src=\"http", "href=\"http", "src=\"/", "@import", "url(http"})
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    // The code for a live run could ask its server; in a file the policy of the page does not let it.
    EXPECT_NE(page.find("default-src 'none';"), std::string::npos);
    EXPECT_EQ(page.find("connect-src"), std::string::npos);
}

/// For tests/web, which opens it in a browser; PROXSTREAM_FIXTURE says where to put it.
TEST(ReportPage, IsWrittenWhole) {
    if (report_page().empty()) GTEST_SKIP() << "the report page is not built in (PROXSTREAM_WEB=OFF)";
    const char* wanted = std::getenv("PROXSTREAM_FIXTURE");
    const std::string path = wanted ? wanted : ::testing::TempDir() + "proxstream-report-test.html";
    write_report(path, testing::fixture_report());
    EXPECT_EQ(read_whole_file(path), page_with_data(to_json(testing::fixture_report())));
    if (!wanted) std::remove(path.c_str());
}

}  // namespace
}  // namespace proxstream
