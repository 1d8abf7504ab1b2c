#include "route/route_files.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "io/csv_file.hpp"
#include "io/output_file.hpp"
#include "route/decision_log.hpp"
#include "route/route_tables.hpp"
#include "route/small_run.hpp"
#include "route/written_folder.hpp"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace proxstream {
namespace {

using testing::SmallRun;

constexpr std::string_view kColumns = "a,b,c";

TEST(CsvFile, NamesAndNumbersReadBackAsTheyWere) {
    const TemporaryFolder folder;
    const std::vector<std::string> names{"plain", "with, comma", "\"quoted\"", "\"",
                                         ",",     "a \"b\", c",  "",           " x "};
    const std::vector<Real> numbers{0.1, 1e-300, 123456789.123456789, -0.0, 1.0 / 3, 5e-324};
    {
        CsvFile file(folder.path("t.csv"), kColumns);
        for (const std::string& name : names) file.row(name, kNotKnown, 7U);
        for (const Real number : numbers) file.row("n", number, 7U);
        file.row("two\nlines", 1.0, 7U);
        file.close();
    }
    const auto rows = testing::read_table(folder.path("t.csv"));
    ASSERT_EQ(rows.size(), names.size() + numbers.size() + 1);
    for (Index i = 0; i < names.size(); ++i) {
        EXPECT_EQ(rows[i].at("a"), names[i]);
        EXPECT_EQ(rows[i].at("b"), "");
        EXPECT_EQ(rows[i].at("c"), "7");
    }
    for (Index i = 0; i < numbers.size(); ++i)
        EXPECT_EQ(std::strtod(rows[names.size() + i].at("b").c_str(), nullptr), numbers[i]);
    EXPECT_EQ(rows.back().at("a"), "two lines");
}

TEST(CsvFile, FlushesWholeRowsOnly) {
    const TemporaryFolder folder;
    CsvFile file(folder.path("t.csv"), kColumns);
    for (Index i = 0; i < 5000; ++i) {
        file.row(i, 1.0 / static_cast<Real>(i + 1), "some, text");
        if (i % 100 != 0) continue;
        const std::string there = read_whole_file(folder.path("t.csv"));
        ASSERT_EQ(there.back(), '\n') << i;
    }
}

TEST(CsvFile, FullDiskIsAnErrorThatNamesTheFile) {
    try {
        CsvFile file("/dev/full", kColumns);
        FAIL();
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find("/dev/full"), std::string::npos) << error.what();
    }
}

TEST(RouteFiles, TableOfPeriodsHasTheFiguresToTheLastBit) {
    const TemporaryFolder folder;
    SmallRun run;
    run.play(folder.path("run"), RouteDetail::periods, 1);
    const auto rows = testing::read_table(folder.path("run/periods.csv"));
    ASSERT_EQ(rows.size(), 1U);
    const auto number = [&](const char* column) { return std::stod(rows[0].at(column)); };
    LinkFigures links;
    Scratch scratch;
    const PeriodFigures figures =
        measure_period(run.routing(), std::vector<Real>{9.5, 0, 3}, run.splits(), {}, links, scratch);
    EXPECT_EQ(rows[0].at("label"), "day 1, 01:00");
    EXPECT_EQ(number("demand"), figures.demand);
    EXPECT_EQ(number("cost"), figures.cost);
    EXPECT_EQ(number("time"), figures.time);
    EXPECT_EQ(number("utilisation_max"), figures.utilisation_max);
    EXPECT_FALSE(std::filesystem::exists(folder.path("run/link_flows.csv")));
}

TEST(RouteFiles, TablesAgreeForEveryObjective) {
    for (const auto& [cost, objective] : {std::pair{"bpr", "system"},
                                          {"bpr", "user"},
                                          {"queue", "delay"},
                                          {"bpr", "utilisation"},
                                          {"bpr", "unweighted"}}) {
        const TemporaryFolder folder;
        SmallRun(cost, objective).play(folder.path("run"), RouteDetail::all);
        EXPECT_EQ(testing::contradiction_in(folder.path("run")), "") << objective;
    }
}

TEST(RouteFiles, ChangedFigureContradictsTheOtherTables) {
    const TemporaryFolder folder;
    const std::string run = folder.path("run");
    SmallRun().play(run, RouteDetail::all);
    for (const auto& [file, column] :
         {std::pair{"link_flows.csv", 2}, {"splits.csv", 2}, {"demand.csv", 2}}) {
        const std::string original = read_whole_file(run + "/" + file);
        std::string changed = original;
        std::size_t at = changed.find('\n') + 1;
        for (int i = 0; i < column; ++i) at = changed.find(',', at) + 1;
        changed[at] = changed[at] == '1' ? '2' : '1';
        folder.file(std::string("run/") + file, changed);
        EXPECT_NE(testing::contradiction_in(run), "") << file;
        folder.file(std::string("run/") + file, original);
    }
    EXPECT_EQ(testing::contradiction_in(run), "");
}

TEST(RouteFiles, OverwritesItsOwnFilesOnly) {
    const TemporaryFolder folder;
    const std::string run = folder.path("run");
    SmallRun().play(run, RouteDetail::all);
    folder.file("run/ledger-7.jsonl", "of a longer run\n");
    folder.file("run/my notes.txt", "keep\n");
    SmallRun().play(run, RouteDetail::periods);
    EXPECT_FALSE(std::filesystem::exists(run + "/splits.csv")) << "nothing stale is left";
    EXPECT_FALSE(std::filesystem::exists(run + "/ledger-7.jsonl"));
    EXPECT_EQ(read_whole_file(run + "/my notes.txt"), "keep\n");

    std::filesystem::create_directory(folder.path("other"));
    folder.file("other/links.csv", "a,b\n");
    for (const char* content : {"", "{\"program\": \"another\"}", "not json"}) {
        if (*content != '\0') folder.file("other/run.json", content);
        try {
            SmallRun().play(folder.path("other"), RouteDetail::all);
            ADD_FAILURE() << "overwrote a file of another program";
        } catch (const ConfigError& error) {
            const std::string named = *content != '\0' ? "run.json" : "links.csv";
            EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
        }
    }
    EXPECT_EQ(read_whole_file(folder.path("other/links.csv")), "a,b\n");
    EXPECT_THROW(SmallRun().play(folder.file("a file"), RouteDetail::all), IoError);
}

/// The system takes no more bytes: as on a full disk, with a limit a test may set.
TEST(RouteFiles, DiskThatFillsUpIsAnErrorThatNamesTheFile) {
    const TemporaryFolder folder;
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{3000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string message;
    try {
        SmallRun().play(folder.path("run"), RouteDetail::all);
    } catch (const IoError& error) {
        message = error.what();
    }
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_NE(message.find("link_flows.csv"), std::string::npos) << message;
}

TEST(RouteFiles, MapsMarkPlacesThatAreMadeUp) {
    const TemporaryFolder folder;
    SmallRun().play(folder.path("run"), RouteDetail::links);
    const auto map = nlohmann::json::parse(read_whole_file(folder.path("run/network.geojson")));
    EXPECT_TRUE(map.contains("note"));
    Index points = 0;
    for (const auto& feature : map["features"]) {
        const auto& properties = feature["properties"];
        if (!properties.contains("node")) continue;
        ++points;
        const bool given = properties["node"] != "D" && properties["node"] != "island";
        EXPECT_EQ(properties.contains("made_up"), !given) << properties;
    }
    EXPECT_EQ(points, 5U);
    const auto flows = nlohmann::json::parse(read_whole_file(folder.path("run/flows_last.geojson")));
    ASSERT_EQ(flows["features"].size(), 6U);
    EXPECT_EQ(flows["features"][1]["properties"]["name"], "A,B \"new\"");
    EXPECT_GT(flows["features"][0]["properties"]["load"].get<Real>(), 0);
    EXPECT_EQ(flows["features"][0]["properties"]["capacity"], 7.5) << "10 times 0.75 since period 4";
}

TEST(RouteFiles, RunFileDescribesTheRun) {
    const TemporaryFolder folder;
    SmallRun().play(folder.path("run"), RouteDetail::links, 2);
    auto run = nlohmann::json::parse(read_whole_file(folder.path("run/run.json")));
    EXPECT_EQ(run["finished"], false);
    EXPECT_EQ(run["detail"], "links");
    SmallRun().play(folder.path("run"), RouteDetail::links);
    run = nlohmann::json::parse(read_whole_file(folder.path("run/run.json")));
    EXPECT_EQ(run["finished"], true);
    EXPECT_EQ(run["periods"], SmallRun::kPeriods);
    EXPECT_EQ(run["links"], 6);
    EXPECT_EQ(run["settings"]["window"], "4");
}

TEST(DecisionLog, IsALineAPeriodAndThereAtOnce) {
    const TemporaryFolder folder;
    SmallRun run;
    run.play(folder.path("run"), RouteDetail::periods, 1);
    DecisionLog log(OutputFile(folder.path("decisions.jsonl")), run.network());
    log.write(1, "Monday \"1\"", run.routing().paths, run.splits());
    const std::string line = read_whole_file(folder.path("decisions.jsonl"));
    EXPECT_EQ(line.back(), '\n');
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["period"], 1);
    EXPECT_EQ(json["after"], "Monday \"1\"");
    EXPECT_TRUE(json["splits"]["A->island"].empty());
    const auto& splits = json["splits"]["A->D"];
    ASSERT_EQ(splits.size(), 3U);
    EXPECT_EQ(splits[0]["path"], (std::vector<std::string>{"A-B, north#1", "B, north-D"}));
    EXPECT_TRUE(splits[2]["path"].empty()) << "what is not served";
    Real sum = 0;
    for (const auto& split : splits) sum += split["share"].get<Real>();
    EXPECT_NEAR(sum, 1, 1e-12);
    log.write(2, "", run.routing().paths, run.splits());
    const std::string both = read_whole_file(folder.path("decisions.jsonl"));
    EXPECT_EQ(std::count(both.begin(), both.end(), '\n'), 2);
    EXPECT_EQ(both.find("after", line.size()), std::string::npos) << "nothing was seen";
    DecisionLog full(OutputFile("/dev/full"), run.network());
    EXPECT_THROW(full.write(1, "", run.routing().paths, run.splits()), IoError);
}

TEST(MethodSums, EqualTheSumsOverPeriods) {
    MethodSums sums(4);
    EXPECT_EQ(sums.row().total_cost, 0);
    for (Index i = 1; i <= 20; ++i) {
        PeriodFigures figures;
        figures.cost = static_cast<Real>(i);
        figures.churn = 0.5;
        figures.overloaded = i <= 10 ? 2 : 0;
        figures.utilisation_max = static_cast<Real>(i) / 10;
        figures.unserved = 1;
        sums.add(figures, 0.25, 8);
    }
    sums.add_held(0.25, 0);
    const MethodRow row = sums.row();
    EXPECT_EQ(row.total_cost, 210);
    EXPECT_EQ(row.churn, 0.5);
    EXPECT_EQ(row.overload_share, 0.25);
    EXPECT_EQ(row.utilisation_max, 2);
    EXPECT_EQ(row.utilisation_p95, 1.9);
    EXPECT_EQ(row.unserved, 20);
    EXPECT_EQ(row.seconds, 5.25);
    EXPECT_NEAR(row.gradients, 160.0 / 21, 1e-12);
}

}  // namespace
}  // namespace proxstream
