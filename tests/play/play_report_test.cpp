#include "play/play_report.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "io/output_file.hpp"
#include "play/play_report_fixture.hpp"
#include "run/report_page.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Json = nlohmann::json;

/// To that many significant digits; null where a value was not finite.
void expect_numbers(const Json& read, const std::vector<Real>& written, int digits) {
    ASSERT_EQ(read.size(), written.size());
    for (Index i = 0; i < written.size(); ++i) {
        if (!std::isfinite(written[i])) {
            EXPECT_TRUE(read[i].is_null());
            continue;
        }
        EXPECT_NEAR(read[i].get<Real>(), written[i], 0.51 * std::pow(10, 1 - digits) * std::abs(written[i]));
    }
}

std::vector<Real> column(const std::vector<ReportPoint>& points, Index axis) {
    std::vector<Real> values;
    for (const ReportPoint& point : points) values.push_back(point[axis]);
    return values;
}

TEST(PlayReport, RoundTripsThroughJson) {
    const PlayReport report = testing::pennies_report();
    const Json read = Json::parse(to_json(report));
    EXPECT_EQ(read["kind"], "play");
    EXPECT_EQ(read["title"], report.title);
    EXPECT_EQ(read["subtitle"], report.subtitle);
    EXPECT_EQ(read["command"], report.command);
    EXPECT_EQ(read["settings"][2]["value"], "simultaneous");
    EXPECT_EQ(read["rounds"].get<std::vector<Round>>(), report.rounds);
    expect_numbers(read["gap"], report.gap, 6);
    expect_numbers(read["gapBound"], report.gap_bound, 6);
    EXPECT_TRUE(read["gapBound"][0].is_null()) << "NaN is not a number in JSON";
    expect_numbers(read["instantGap"], report.instant_gap, 6);
    EXPECT_EQ(read["gains"]["rounds"].get<std::vector<Round>>(), report.gain_rounds);
    expect_numbers(read["gains"]["values"], report.gains, 6);
    EXPECT_EQ(read["gains"]["exact"], true);
    ASSERT_EQ(read["players"].size(), 2U);
    for (Index p = 0; p < 2; ++p) {
        const PlayReportPlayer& player = report.players[p];
        const Json& shown = read["players"][p];
        EXPECT_EQ(shown["name"], player.name);
        EXPECT_EQ(shown["set"], player.set);
        EXPECT_EQ(shown["learner"], player.learner);
        EXPECT_EQ(shown["window"], 10);
        EXPECT_EQ(shown["dimension"], 1);
        expect_numbers(shown["gap"], player.gap, 6);
        expect_numbers(shown["bound"], player.bound, 6);
        expect_numbers(shown["instant"], player.instant, 6);
        expect_numbers(shown["cost"], player.cost, 6);
    }
    const Json& path = read["paths"][0];
    EXPECT_EQ(path["axes"][1], "column");
    EXPECT_EQ(path["triangle"], false);
    EXPECT_EQ(path["range"], Json::parse("[-1, 1, -1, 1]"));
    EXPECT_EQ(path["rounds"].get<std::vector<Round>>(), report.paths[0].rounds);
    expect_numbers(path["x"], column(report.paths[0].points, 0), 6);
    expect_numbers(path["y"], column(report.paths[0].points, 1), 6);
    EXPECT_EQ(read["claims"][1]["verdict"], "missed");
    EXPECT_EQ(read["claims"][0]["right"], 0.033);
    EXPECT_EQ(read["findings"].size(), report.findings.size());
    EXPECT_EQ(read["sound"], true);
}

TEST(PlayReport, CloudsAreThere) {
    const PlayReport report = testing::ring_report();
    const Json read = Json::parse(to_json(report));
    EXPECT_EQ(read["gains"]["exact"], false);
    expect_numbers(read["real"]["y"], column(report.real_points, 1), 4);
    expect_numbers(read["centres"]["x"], column(report.mode_centres, 0), 6);
    ASSERT_EQ(read["clouds"].size(), report.clouds.size());
    const PlayReportCloud& last = report.clouds.back();
    const Json& shown = read["clouds"].back();
    EXPECT_EQ(shown["round"], last.round);
    expect_numbers(shown["x"], column(last.points, 0), 4);
    expect_numbers(Json{shown["modes"], shown["quality"], shown["divergence"]},
                   {last.modes, last.quality, last.divergence}, 6);
}

TEST(PlayReport, ErrorsNameEveryInconsistentField) {
    constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
    PlayReport report = testing::pennies_report();
    report.gap.pop_back();
    report.players[1].cost.push_back(0);
    report.gain_rounds.pop_back();
    report.rounds[7] = report.rounds[6];
    report.paths[0].rounds.back() = 1;
    report.paths.push_back({"flat", false, {}, {}, {}, {0, 1, 2, 2}});
    report.paths.push_back({"endless", false, {}, {}, {}, {0, kInfinity, 0, 1}});
    report.paths.push_back({"pointless", true, {}, {{0, 0}}, {}, {}});
    report.clouds = {{5, {}, 0, 0, 0}, {5, {}, 0, 0, 0}};
    try {
        to_json(report);
        FAIL() << "was written";
    } catch (const Error& error) {
        const std::string said = error.what();
        for (const char* part :
             {"the gap has 999 values for 1000 rounds", "the cost of player 'column' has 1001",
              "the gains has 40 values for 39", "the rounds do not ascend",
              "the rounds of path 'row against column' do not ascend", "path 'flat' has an empty range",
              "path 'endless' has an empty range", "path 'pointless' has 1 values for 0 rounds",
              "the rounds of clouds do not ascend"})
            EXPECT_NE(said.find(part), std::string::npos) << part << " is not in: " << said;
    }
    EXPECT_NO_THROW(to_json(PlayReport{})) << "a play of nothing is nothing wrong";
}

/// What a report costs to send: series of 2,000 rounds for three players, and three paths.
TEST(PlayReport, StaysSmall) {
    PlayReport report = testing::empty_play(2000, 1, {"a", "b", "c"});
    for (Index i = 0; i < report.rounds.size(); ++i) {
        for (PlayReportPlayer& player : report.players)
            testing::add_round(player, i, 1e-5 / std::sqrt(static_cast<Real>(i + 3)),
                               std::sin(static_cast<Real>(i)));
    }
    testing::finish_play(report, 1);
    for (Index p = 0; p < 3; ++p) {
        PlayReportPath path;
        for (Index i = 0; i < report.rounds.size(); ++i)
            path.points.push_back({std::sin(static_cast<Real>(i)), std::cos(static_cast<Real>(i))});
        path.rounds = report.rounds;
        report.paths.push_back(std::move(path));
    }
    EXPECT_LT(to_json(report).size(), 600'000U);
}

/// For tests/web, which opens them in a browser; PROXSTREAM_PLAY_FIXTURES says in which folder to put them.
TEST(PlayReport, IsWrittenWhole) {
    const char* wanted = std::getenv("PROXSTREAM_PLAY_FIXTURES");
    const std::string folder = wanted ? wanted : ::testing::TempDir();
    const std::string path = folder + "/proxstream-play-";
    if (report_page().empty()) {
        EXPECT_THROW(write_report(path + "none.html", PlayReport{}), ConfigError);
        GTEST_SKIP() << "the report page is not built in (PROXSTREAM_WEB=OFF)";
    }
    const std::pair<const char*, PlayReport> reports[]{{"plane", testing::pennies_report()},
                                                       {"triangles", testing::scissors_report()},
                                                       {"ring", testing::ring_report()}};
    for (const auto& [name, report] : reports) {
        const std::string file = path + name + ".html";
        write_report(file, report);
        EXPECT_EQ(read_whole_file(file), page_with_data(to_json(report)));
        if (!wanted) std::filesystem::remove(file);
    }
}

}  // namespace
}  // namespace proxstream
