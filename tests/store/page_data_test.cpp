#include "store/page_data.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "regret/naive_run.hpp"
#include "run/report_page.hpp"
#include "store/toy_run.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Json = nlohmann::json;

PageParts parts_by_hand() {
    PageParts parts;
    parts.identity.kind = "learn";
    parts.identity.title = "rows </script> of a mill";
    parts.identity.settings = {{"window", "64"}};
    parts.identity.channels = {"loss", "gap"};
    parts.state = {.turn = 1027, .saved = 1000, .folded = 0, .finished = false, .status = "running"};
    parts.series = Series(2);
    for (Turn turn = 1; turn <= 1027; ++turn) {
        const auto value = static_cast<Real>(turn);
        const Real values[] = {value, turn == 1 || turn % 10 == 0 ? std::nan("") : 2 * value};
        parts.series.add(turn, values);
    }
    return parts;
}

TEST(PageData, HasEveryMemberThePageReads) {
    const Json page = Json::parse(page_json(parts_by_hand()));
    for (const char* name :
         {"kind", "run", "title", "version", "command", "created", "id", "settings", "state", "channels",
          "series", "alarms", "certificate", "decision", "scenery", "picture", "live", "forks"})
        EXPECT_TRUE(page.contains(name)) << name;
    EXPECT_EQ(page["kind"], "run");
    EXPECT_EQ(page["run"], "learn");
    EXPECT_EQ(page["settings"], Json::parse(R"([{"name":"window","value":"64"}])"));
    EXPECT_EQ(page["state"]["status"], "running");
    EXPECT_EQ(page["state"]["turn"], 1027);
    for (const char* name : {"certificate", "decision", "scenery", "picture", "live"})
        EXPECT_TRUE(page[name].is_null()) << name;
}

/// The numbers that tests/web/run.test.ts comes to when the page adds the same turns itself.
TEST(PageData, SeriesIsAColumnAChannel) {
    const Json series = Json::parse(page_json(parts_by_hand()))["series"];
    ASSERT_EQ(series["first"].size(), 514U);
    EXPECT_EQ(series["first"][512], 1025);
    EXPECT_EQ(series["last"][512], 1026);
    EXPECT_EQ(series["last"][513], 1027);
    const auto cell = [&](Index channel, Index bucket) {
        Json found = Json::array();
        for (const char* name : {"mean", "least", "most", "latest", "known"})
            found.push_back(series[name][channel][bucket]);
        return found;
    };
    EXPECT_EQ(cell(0, 0), Json::parse("[1.5, 1, 2, 2, 2]"));
    EXPECT_EQ(cell(1, 0), Json::parse("[4, 4, 4, 4, 1]"));
    EXPECT_EQ(cell(1, 4), Json::parse("[18, 18, 18, 18, 1]"));
    EXPECT_EQ(cell(1, 512), Json::parse("[2051, 2050, 2052, 2052, 2]"));
}

TEST(PageData, NumbersHaveSixDigitsAndNonFiniteOnesAreNull) {
    PageParts parts = parts_by_hand();
    parts.series = Series(2);
    const Real values[] = {1.0 / 3, kInfinity};
    parts.series.add(1, values);
    const Json series = Json::parse(page_json(parts))["series"];
    EXPECT_EQ(series["mean"][0].dump(), "[0.333333]");
    EXPECT_EQ(series["mean"][1].dump(), "[null]");
    EXPECT_EQ(turns_json(7, std::vector<std::vector<Real>>{{2.0 / 3, std::nan("")}, {1, kInfinity}}),
              R"({"first":7,"last":8,"figures":[[0.666667,null],[1,null]]})");
}

TEST(PageData, EscapesHtmlAndRefusesInvalidJson) {
    PageParts parts = parts_by_hand();
    parts.decision = R"({"note":"</script><b>","x":[0.1,2]})";
    const std::string json = page_json(parts);
    EXPECT_EQ(json.find('<'), json.npos);
    EXPECT_EQ(Json::parse(json)["decision"]["note"], "</script><b>");
    EXPECT_EQ(Json::parse(json)["title"], "rows </script> of a mill");
    parts.decision = "{half";
    EXPECT_THROW(page_json(parts), DataError);
    parts.decision.clear();
    parts.certificate = "{half";
    EXPECT_THROW(page_json(parts), DataError);
}

TEST(PageData, CertificatesOfAllKindsBecomeOneForm) {
    const auto form = [](const std::string& certificate, const std::string& kind) {
        PageParts parts = parts_by_hand();
        parts.identity.kind = kind;
        parts.certificate = certificate;
        return Json::parse(page_json(parts))["certificate"];
    };
    const std::string good =
        R"({"sound":true,"conclusion":"fine","inequalities":[{"id":"C1","statement":"a <= b","verdict":"holds","left":1,"right":2,"explanation":"e"}]})";
    const std::string bad =
        R"({"sound":false,"conclusion":"not fine","inequalities":[{"id":"C2","statement":"a <= b","verdict":"violated","left":"inf","right":2,"explanation":""},{"id":"C1","statement":"","verdict":"holds"}]})";
    EXPECT_EQ(
        form(good, "learn"),
        Json::parse(
            R"({"conclusion":"fine","sound":true,"claims":[{"id":"C1","statement":"a <= b","verdict":"holds","left":1,"right":2,"explanation":"e"}]})"));
    const Json fit = form(
        R"({"sound":true,"claims":[{"id":"F1","verdict":"holds","left":1,"right":2,"note":"n"}]})", "fit");
    EXPECT_EQ(fit["claims"][0]["explanation"], "n");
    const Json route = form("[" + bad + "," + good + "]", "route");
    EXPECT_FALSE(route["sound"].get<bool>());
    EXPECT_EQ(route["conclusion"], "1 of 2 epochs hold. The last: fine");
    ASSERT_EQ(route["claims"].size(), 2U);
    EXPECT_EQ(route["claims"][0]["id"], "epoch 1: C2");
    EXPECT_EQ(route["claims"][0]["left"], "inf");
    EXPECT_EQ(route["claims"][1]["id"], "epoch 2: C1");
    EXPECT_EQ(form("[" + good + "]", "route"), form(good, "learn"));
    EXPECT_EQ(form(R"({"sound":false,"epochs":[)" + good + "]}", "route")["sound"], false);
}

TEST(PageData, AlarmsAreRaisedAndClearedByTheirNumber) {
    const std::vector<std::pair<Turn, StoredAlarm>> stored{
        {3, {.id = 1, .raised = true, .kind = "load", .subject = "A-B", .text = "full"}},
        {5, {.id = 2, .raised = true, .kind = "load", .subject = "B-C", .text = "full"}},
        {9, {.id = 1, .raised = false}},
        {12, {.id = 7, .raised = false}}};
    const std::vector<PageAlarm> alarms = page_alarms(stored);
    ASSERT_EQ(alarms.size(), 2U);
    EXPECT_EQ(alarms[0], (PageAlarm{1, 3, 9, "load", "A-B", "full"}));
    EXPECT_EQ(alarms[1], (PageAlarm{2, 5, {}, "load", "B-C", "full"}));
    EXPECT_EQ(page_json(alarms[1]),
              R"({"id":2,"turn":5,"cleared":null,"kind":"load","subject":"B-C","text":"full"})");
}

TEST(PageData, LiveRunsNameTheirAddressAndForksTheirChanges) {
    PageParts parts = parts_by_hand();
    parts.live_url = "/v1/learners/mill";
    parts.forks = {{"what-if-1", "/v1/learners/what-if-1", 1000, {{"window", "8"}}, 1027}};
    const Json page = Json::parse(page_json(parts));
    EXPECT_EQ(page["live"], Json::parse(R"({"url":"/v1/learners/mill"})"));
    EXPECT_EQ(page["forks"][0], Json::parse(page_json(parts.forks[0])));
    EXPECT_EQ(page["forks"][0]["settings"][0]["value"], "8");
    EXPECT_EQ(page["state"], Json::parse(page_json(parts.state)));
    const Json sent = Json::parse(series_json(parts.series, 1027));
    EXPECT_EQ(sent["series"], page["series"]);
    EXPECT_EQ(sent["turn"], 1027);
}

TEST(PageData, OfAStoreThatIsOverAndOfOneThatWasLeft) {
    const StorePath path;
    const naive::Played played = naive::play(naive::Plan{.n = 2, .w = 3, .rounds = 60});
    {
        Journal journal = Journal::create(path.name(), ToyRun::identity(), {});
        ToyRun run(played);
        run.begin(journal);
        while (!run.over()) run.turn(journal);
        journal.commit();
    }
    const auto page = [&] { return Json::parse(page_json(page_parts(RunStore(path.name())))); };
    const Json left = page();
    EXPECT_EQ(left["state"]["status"], "stopped");
    EXPECT_EQ(left["state"]["turn"], 60);
    EXPECT_NE(left["state"]["message"].get<std::string>().find("resume"), std::string::npos);
    EXPECT_EQ(left["series"]["last"].back(), 60);
    EXPECT_TRUE(left["decision"].contains("drawn"));
    {
        Journal journal = Journal::open(path.name(), {});
        ToyRun run(played);
        run.begin(journal);
        while (!run.over()) run.turn(journal);
        run.finish(journal);
    }
    const Json over = page();
    EXPECT_TRUE(over["state"]["finished"].get<bool>());
    EXPECT_EQ(over["state"]["message"], "");
    EXPECT_TRUE(over["certificate"]["sound"].get<bool>());
    EXPECT_GT(over["certificate"]["claims"].size(), 3U);
    EXPECT_EQ(over["series"], left["series"]);
}

/// Leaves pages for the test in a browser where PROXSTREAM_RUN_FIXTURES names a folder.
TEST(PageData, GoesIntoThePage) {
    if (report_page().empty()) GTEST_SKIP() << "built without the page (PROXSTREAM_WEB=OFF)";
    const std::string json = page_json(parts_by_hand());
    const std::string file = page_with_data(json);
    const std::string live = live_page_with_data(json);
    EXPECT_NE(file.find(json), file.npos);
    EXPECT_EQ(file.find("connect-src"), file.npos);
    EXPECT_NE(live.find("default-src 'none'; connect-src 'self';"), live.npos);
    if (const char* folder = std::getenv("PROXSTREAM_RUN_FIXTURES")) {
        std::ofstream(std::string(folder) + "/proxstream-run-file.html") << file;
        std::ofstream(std::string(folder) + "/proxstream-run-live.html") << live;
    }
}

}  // namespace
}  // namespace proxstream
