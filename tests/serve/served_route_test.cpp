/// A network that is fed by posts decides as a run on the same demand does, wherever it is stopped in
/// between. Forks continue from its state.
#include "proxstream/core/error.hpp"

#include "route/small_roads.hpp"
#include "serve/served_run.hpp"
#include "store/run_store.hpp"
#include "support/stored_run.hpp"

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

using nlohmann::json;

std::vector<std::string> records() {
    std::vector<std::string> all;
    std::stringstream lines(json_of(drawn_demands(), {{3, kClosure}, {9, kOpening}}, true));
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
}

class ServedRoads : public ::testing::Test {
  protected:
    ServedRoads() : records_(records()) {
        std::string lines;
        for (const std::string& record : records_) lines += record + "\n";
        settings_ = {{"network", folder_.file("net.csv", kNetwork)},
                     {"demand", folder_.file("demand.jsonl", lines)},
                     {"window", "4"},
                     {"paths", "3"},
                     {"alarm-utilisation", "0.6"},
                     {"clear-utilisation", "0.5"},
                     {"sustain", "1"},
                     {"durable", "off"}};
    }
    std::unique_ptr<ServedRun> open(const std::string& store, const SettingList& more = {}) {
        SettingList all = settings_;
        all.emplace_back("store", folder_.path(store));
        all.insert(all.end(), more.begin(), more.end());
        return open_served_route(all, "test");
    }
    void post(ServedRun& run, Index from, Index to) {
        for (Index i = from; i < to; ++i) {
            run.check(records_[i]);
            run.play(records_[i], "key " + std::to_string(i));
        }
    }
    static std::string refusal(const ServedRun& run, const std::string& record) {
        try {
            run.check(record);
        } catch (const DataError& error) {
            return error.what();
        }
        return "";
    }

    TemporaryFolder folder_;
    std::vector<std::string> records_;
    SettingList settings_;
};

TEST_F(ServedRoads, DecideLikeARunOnTheSameDemand) {
    auto served = open("served.run");
    post(*served, 0, records_.size());
    EXPECT_EQ(json::parse(served->decision())["period"], kPeriods + 1);
    bool sound = false;
    const json certificate = json::parse(served->certificate(sound));
    EXPECT_TRUE(sound);
    EXPECT_EQ(certificate["epochs"].size(), 3U);
    served->close();
    served.reset();

    RouteSettings settings;
    settings.network = folder_.path("net.csv");
    settings.demand = folder_.path("demand.jsonl");
    settings.window = "4";
    settings.paths = 3;
    settings.compare = settings.clairvoyant = false;
    settings.store = folder_.path("file.run");
    drive(RouteRun(settings), nullptr, {}, settings.store);
    const RunStore posted(folder_.path("served.run"));
    const RunStore read(settings.store);
    ASSERT_EQ(posted.state().last, records_.size());
    ASSERT_EQ(read.state().last, records_.size());
    for (Turn turn = 1; turn <= posted.state().last; ++turn) {
        EXPECT_EQ(posted.turn(turn)->decision, read.turn(turn)->decision) << turn;
        EXPECT_EQ(posted.turn(turn)->input, records_[turn - 1]);
        EXPECT_EQ(posted.find_key("key " + std::to_string(turn - 1)), turn);
    }
}

TEST_F(ServedRoads, ResumeBitForBitAfterACutAnywhere) {
    std::string expected;
    {
        auto whole = open("whole.run");
        post(*whole, 0, records_.size());
        whole->close();
        expected = store_text(RunStore(folder_.path("whole.run")));
    }
    for (Index cut = 0; cut < records_.size(); cut += 3) {
        const std::string name = fmt::format("cut{}.run", cut);
        Turn stored = 0;
        {
            auto run = open(name);
            post(*run, 0, cut);
            if (cut % 2 == 0) run->save();
            if (cut % 2 == 1) run->journal().commit();
            post(*run, cut, std::min(cut + 2, records_.size()));
            stored = run->journal().last();
        }
        auto run = open(name);
        // What was committed is there; what was not is posted again.
        ASSERT_EQ(run->journal().played(), stored);
        EXPECT_GE(stored, cut);
        post(*run, stored, records_.size());
        run->close();
        run.reset();
        EXPECT_EQ(store_text(RunStore(folder_.path(name))), expected) << cut;
    }
}

TEST_F(ServedRoads, InvalidRecordsChangeNothing) {
    auto run = open("a.run");
    post(*run, 0, 5);
    const std::string before = run->decision();
    for (const auto& [record, problem] : std::vector<std::pair<std::string, std::string>>{
             {"", "no record"},
             {"nonsense", "JSON"},
             {R"({"demand":{"A->C":-1}})", "negative"},
             {R"({"demand":{"A->Z":1}})", "A->Z"},
             {R"({"demand":{"A->C":"3"}})", "not a number"},
             {R"({"demand":{"A->B":1}})", "a pair that is not served"},
             {R"({"period":"x"})", "neither demand nor an event"},
             {R"({"events":[{"link":"Q-R","close":true}]})", "is not a link"},
             {R"({"events":[{"link":"A-B","capacity":1e-12}]})", "1e-12"},
             {R"({"demand":{},"surprise":1})", "surprise"}}) {
        EXPECT_NE(refusal(*run, record).find(problem), std::string::npos)
            << record << ": " << refusal(*run, record);
    }
    EXPECT_EQ(run->decision(), before);
    EXPECT_EQ(run->journal().played(), 5U);
    EXPECT_THROW((void)run->predict("[]"), ConfigError);
    // Layout of a record does not matter; a demand that no cost can be found for is held.
    run->check("{\n\"demand\":\r\n{\"A->C\": 1}}\n");
    const PlayedTurn held = run->play(R"({"demand":{"A->C":1e140}})", "");
    EXPECT_EQ(held.status, "held");
    EXPECT_TRUE(json::parse(held.answer)["cost"].is_null());
    EXPECT_EQ(json::parse(held.answer)["label"], "6");
    EXPECT_EQ(held.alarms.front().kind, "stale feed");
    EXPECT_TRUE(json::accept(run->record_schema()));
    for (const auto& [name, value] : SettingList{{"out", "x"}, {"periods", "3"}, {"on-bad-period", "stop"}})
        EXPECT_THROW(open("b.run", {{name, value}}), ConfigError) << name;
}

TEST_F(ServedRoads, AnswersAndPicturesTellOfTheTurn) {
    auto run = open("a.run");
    const std::string decided = run->decision();
    const PlayedTurn first = run->play(records_[0], "");
    const json answer = json::parse(first.answer);
    EXPECT_EQ(answer["decided"], json::parse(decided));
    EXPECT_GT(answer["cost"], 0);
    EXPECT_EQ(first.figures.size(), route_channels().size());
    EXPECT_EQ(first.figures[0], answer["cost"]);
    EXPECT_FALSE(first.alarms.empty());
    post(*run, 1, 4);  // with the closure
    const json picture = json::parse(run->picture());
    EXPECT_EQ(picture["utilisation"].size(), 12U);
    EXPECT_EQ(picture["closed"], json::array({2}));
    EXPECT_EQ(picture["period"], 3);
}

TEST_F(ServedRoads, ForksContinueWithCompatibleState) {
    auto run = open("a.run");
    post(*run, 0, 14);
    const std::string before = run->decision();
    const auto same = run->fork(folder_.path("same.run"), {}, "");
    const auto strict =
        run->fork(folder_.path("strict.run"), {{"tolerance", "0.01"}, {"hysteresis", "0.5"}}, "");
    const auto longer = run->fork(folder_.path("longer.run"), {{"window", "9"}}, "[]");
    const auto closed = run->fork(folder_.path("closed.run"), {}, R"([{"link":"A-D","close":true}])");
    EXPECT_EQ(run->decision(), before);
    EXPECT_EQ(same->journal().identity().parent.begun, "with all of its state");
    EXPECT_EQ(strict->journal().identity().parent.begun, "with all of its state");
    EXPECT_EQ(longer->journal().identity().parent.begun, "at its splits, with an empty window");
    EXPECT_EQ(longer->decision(), before);
    EXPECT_EQ(same->journal().identity().parent.turn, 14U);
    EXPECT_EQ(same->journal().played(), 14U);
    EXPECT_EQ(closed->journal().played(), 14U);  // it happens before the next turn, and is none
    EXPECT_EQ(json::parse(closed->picture())["closed"], json::array({6}));
    EXPECT_EQ(closed->decision().find("A-D"), std::string::npos);
    // All runs continue, and can be opened again.
    for (const char* name : {"same", "strict", "longer", "closed"}) {
        ServedRun& each = name[0] == 's'   ? (name[1] == 'a' ? *same : *strict)
                          : name[0] == 'l' ? *longer
                                           : *closed;
        post(each, 14, records_.size());
        bool sound = false;
        (void)each.certificate(sound);
        EXPECT_TRUE(sound) << name;
        each.close();
    }
    post(*run, 14, records_.size());
    // With nothing changed a fork stays close to its parent: only what is proved begins anew.
    const auto splits = [](const ServedRun& of) { return json::parse(of.decision())["splits"]; };
    const json here = splits(*run);
    const json there = splits(*same);
    for (const auto& [pair, paths] : here.items()) {
        Real difference = 0;
        for (const json& path : paths) {
            Real share = 0;
            for (const json& other : there[pair])
                if (other["path"] == path["path"]) share = other["share"];
            difference += std::abs(path["share"].get<Real>() - share);
        }
        EXPECT_LT(difference, 0.05) << pair;
    }
    EXPECT_THROW(run->fork(folder_.path("x.run"), {{"network", "other"}}, ""), ConfigError);
    EXPECT_THROW(run->fork(folder_.path("x.run"), {{"window", "-3"}}, ""), ConfigError);
    EXPECT_THROW(run->fork(folder_.path("x.run"), {}, R"([{"link":"nowhere","close":true}])"), ConfigError);
    EXPECT_FALSE(std::filesystem::exists(folder_.path("x.run")));
}

TEST_F(ServedRoads, AForkReopensWithTheSameState) {
    auto run = open("a.run");
    post(*run, 0, 10);
    std::string decided;
    {
        const auto fork =
            run->fork(folder_.path("f.run"), {{"window", "2"}}, R"([{"link":"A-D","close":true}])");
        post(*fork, 10, 13);
        decided = fork->decision();
        fork->journal().commit();
    }
    const auto again = open("f.run", {{"window", "2"}});
    EXPECT_EQ(again->journal().played(), 13U);
    EXPECT_EQ(again->decision(), decided);
    EXPECT_TRUE(RunStore(folder_.path("f.run")).verify().empty());
    EXPECT_THROW(open("a.run", {{"window", "3"}}), ConfigError);
    EXPECT_NO_THROW(run->reload({{"threads", "2"}}));
    EXPECT_THROW(run->reload({{"window", "5"}}), ConfigError);
}

TEST_F(ServedRoads, WithoutAFileOfDemandAllPairsAreServed) {
    settings_[1].second.clear();
    auto run = open("all.run");
    const json decision = json::parse(run->decision());
    EXPECT_EQ(decision["splits"].size(), 20U);  // of 5 nodes
    EXPECT_NE(refusal(*run, R"({"demand":{"A->E":1}})").find("no path"), std::string::npos);
    EXPECT_EQ(run->play(R"({"demand":{"A->B":1}})", "").turn, 1U);
}

}  // namespace
}  // namespace proxstream::test
