/// A learner of rows behind the service: fed, killed, resumed, forked.
#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "serve/served_run.hpp"
#include "store/run_store.hpp"
#include "store/toy_run.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using nlohmann::json;

SettingList settings(const std::string& store, SettingList more = {}) {
    SettingList list{{"store", store}, {"dimension", "3"}, {"window", "8"}, {"durable", "1"}};
    list.insert(list.end(), more.begin(), more.end());
    return list;
}

std::string record(int i) {
    const Real a = std::sin(0.7 * i);
    const Real b = std::cos(1.3 * i);
    const Real c = std::sin(0.01 * i * i);
    return json{{"x", {a, b, c}}, {"y", a - 2 * b + 0.3 * std::sin(0.05 * i) * c}}.dump();
}

/// Plays records first..last; everything that was said.
std::string play_all(ServedRun& run, int first, int last) {
    std::string said;
    for (int i = first; i <= last; ++i) {
        run.check(record(i));
        const PlayedTurn turn = run.play(record(i), "key" + std::to_string(i));
        said += std::to_string(turn.turn) + turn.status + turn.answer + '\n';
    }
    return said;
}

std::string ledger(const std::string& store) {
    std::string text;
    RunStore(store).ledger(0, [&](std::string_view line) {
        if (line.find("\"end\"") == std::string_view::npos) text += line;
        return true;
    });
    return text;
}

void expect_cut_anywhere(const SettingList& more, int rounds, const std::vector<int>& cuts) {
    const StorePath whole;
    auto all = open_served_run("learn", settings(whole.name(), more), "test");
    const std::string said = play_all(*all, 1, rounds);
    all->save();
    const std::string decision = all->decision();
    for (const int cut : cuts) {
        const StorePath path;
        std::string heard;
        {
            auto run = open_served_run("learn", settings(path.name(), more), "test");
            heard = play_all(*run, 1, cut);
            if (cut % 2 == 0) run->save();
        }
        auto run = open_served_run("learn", settings(path.name(), more), "test");
        ASSERT_EQ(run->journal().played(), static_cast<Turn>(cut));
        heard += play_all(*run, cut + 1, rounds);
        run->save();
        ASSERT_EQ(heard, said) << "cut after " << cut;
        EXPECT_EQ(run->decision(), decision);
        EXPECT_EQ(ledger(path.name()), ledger(whole.name()));
        bool sound = false;
        run->certificate(sound);
        EXPECT_TRUE(sound);
    }
}

TEST(ServedLearn, ResumesBitForBitAfterACutAnywhere) {
    expect_cut_anywhere({{"step", "0.2"}}, 30, {0, 1, 7, 8, 29, 30});
}

TEST(ServedLearn, ResumesWhileGatheringTheFirstRecords) {
    expect_cut_anywhere({{"survey", "10"}}, 25, {3, 4, 9, 10, 11});
}

TEST(ServedLearn, AlsoWithSampledGradientsScalesAndPastValues) {
    expect_cut_anywhere({{"survey", "6"},
                         {"oracle", "sphere:0.05"},
                         {"smoothness", "4"},
                         {"standardise", "true"},
                         {"lags", "1..3"}},
                        24, {5, 6, 12, 13});
}

TEST(ServedLearn, WaitsUntilTheRecordsAreThere) {
    const StorePath path;
    auto run = open_served_run("learn", settings(path.name(), {{"survey", "4"}}), "test");
    for (int i = 1; i < 4; ++i) {
        EXPECT_EQ(run->play(record(i), "").status, "waiting");
        EXPECT_NE(run->decision().find("waiting"), std::string::npos);
    }
    EXPECT_NE(run->play(record(4), "").status, "waiting");
    EXPECT_EQ(json::parse(run->decision())["x"].size(), 4U);
    bool sound = false;
    EXPECT_EQ(json::parse(run->certificate(sound))["summary"]["rounds"], 4);
}

TEST(ServedLearn, PredictionsChangeNothing) {
    const StorePath a, b;
    const SettingList more{{"step", "0.2"}, {"standardise", "true"}, {"lags", "1"}, {"lags", "2"}};
    auto asked = open_served_run("learn", settings(a.name(), more), "test");
    auto silent = open_served_run("learn", settings(b.name(), more), "test");
    for (int i = 1; i <= 20; ++i) {
        if (i > 5) {
            const json answer = json::parse(asked->predict("{\"rows\":[" + record(i) + "]}"));
            ASSERT_EQ(answer["predictions"].size(), 1U);
            const PlayedTurn turn = asked->play(record(i), "");
            EXPECT_EQ(json::parse(turn.answer)["predictions"][0], answer["predictions"][0]) << i;
            EXPECT_EQ(turn.answer, silent->play(record(i), "").answer);
        } else {
            asked->play(record(i), "");
            silent->play(record(i), "");
        }
    }
}

TEST(ServedLearn, ErrorsNameTheInvalidField) {
    const StorePath path;
    auto run = open_served_run("learn", settings(path.name(), {{"step", "0.2"}}), "test");
    const auto field = [&](const std::string& text) {
        try {
            run->check(text);
        } catch (const DataError& error) {
            return error.where().field;
        }
        return std::string("accepted");
    };
    EXPECT_EQ(field(record(1)), "accepted");
    EXPECT_EQ(field(R"({"x":[1,2],"y":1})"), "x");
    EXPECT_EQ(field(R"({"x":[1,2,"3"],"y":1})"), "x[2]");
    EXPECT_EQ(field(R"({"x":[1,null,3],"y":1})"), "x[1]");
    EXPECT_EQ(field(R"({"x":[1,2,3]})"), "y");
    EXPECT_EQ(field(R"({"x":[1,2,3],"y":null})"), "y");
    EXPECT_EQ(field(R"({"x":[1,2,3],"y":1,"z":2})"), "z");
    EXPECT_EQ(field(R"({"rows":[{"x":[1,2,3],"y":1},{"x":[1,2,3],"y":1}]})"), "rows");
    for (const char* bad : {"", "{", "[]", "7", "{\"x\":[1,2,NaN],\"y\":1}", "{\"x\":[1,2,1e999],\"y\":1}"})
        EXPECT_NE(field(bad), "accepted") << bad;
    EXPECT_EQ(run->journal().played(), 0U);
}

TEST(ServedLearn, ALossThatIsNotFiniteIsARefusedTurnAndNoMore) {
    const StorePath a, b;
    // A label that is standardised would be refused before the round.
    const SettingList plain{{"step", "0.2"}, {"loss", "squared"}};
    auto hurt = open_served_run("learn", settings(a.name(), plain), "test");
    auto well = open_served_run("learn", settings(b.name(), plain), "test");
    play_all(*hurt, 1, 9);
    play_all(*well, 1, 9);
    EXPECT_EQ(hurt->play(R"({"x":[1e200,1e200,1e200],"y":-1e200})", "").status, "refused");
    EXPECT_EQ(json::parse(hurt->decision())["x"], json::parse(well->decision())["x"]);
    const PlayedTurn after = hurt->play(record(10), "");
    const PlayedTurn same = well->play(record(10), "");
    EXPECT_EQ(json::parse(after.answer)["loss"], json::parse(same.answer)["loss"]);
    EXPECT_EQ(after.turn, same.turn + 1);
}

TEST(ServedLearn, ReportsRoundsOverTheirTimeBudgetAndReplaysNone) {
    const StorePath path;
    const SettingList hurried =
        settings(path.name(), {{"step", "0.2"}, {"tolerance", "1e-9"}, {"max-seconds", "1e-9"}});
    std::string decision;
    {
        auto run = open_served_run("learn", hurried, "test");
        int exhausted = 0;
        for (int i = 1; i <= 20; ++i)
            exhausted += run->play(record(i), "").status == "budget_exhausted" ? 1 : 0;
        EXPECT_GT(exhausted, 10);
        decision = run->decision();
    }
    // What the clock decided cannot be played again, so the state is there for every turn.
    EXPECT_EQ(RunStore(path.name()).state().saved, 20U);
    EXPECT_EQ(open_served_run("learn", hurried, "test")->decision(), decision);
}

TEST(ServedLearn, ForksKeepTheStateIfTheWindowIsTheSame) {
    const StorePath path, same, other;
    auto run = open_served_run("learn", settings(path.name(), {{"step", "0.2"}}), "test");
    play_all(*run, 1, 20);
    auto exact = run->fork(same.name(), {}, "");
    EXPECT_EQ(exact->journal().identity().parent.begun, "with all of its state");
    EXPECT_EQ(exact->journal().identity().parent.turn, 20U);
    auto shorter = run->fork(other.name(), {{"window", "4"}}, "");
    EXPECT_EQ(shorter->journal().identity().parent.begun, "at its point, with an empty window");
    EXPECT_EQ(json::parse(shorter->decision())["x"], json::parse(run->decision())["x"]);
    const StorePath third;
    EXPECT_EQ(run->fork(third.name(), {{"window", "32"}}, "")->journal().identity().parent.begun,
              "at its point, with an empty window");
    for (int i = 21; i <= 40; ++i) {
        run->play(record(i), "");
        exact->play(record(i), "");
        shorter->play(record(i), "");
        ASSERT_EQ(json::parse(exact->decision())["x"], json::parse(run->decision())["x"]) << i;
    }
    EXPECT_NE(json::parse(shorter->decision())["x"], json::parse(run->decision())["x"]);
    for (ServedRun* each : {exact.get(), shorter.get()}) {
        bool sound = false;
        const json certificate = json::parse(each->certificate(sound));
        EXPECT_TRUE(sound);
        EXPECT_EQ(certificate["summary"]["rounds"], 20);
    }
    // A fork is a run of its own: killed before it saved anything, it resumes where it began.
    const std::string before = exact->decision();
    exact.reset();
    auto again = open_served_run("learn", settings(same.name(), {{"step", "0.2"}}), "test");
    EXPECT_EQ(json::parse(again->decision())["x"], json::parse(before)["x"]);
    EXPECT_THROW(run->fork(other.name() + "x", {{"loss", "huber:1"}}, ""), ConfigError);
    EXPECT_THROW(run->fork(other.name() + "x", {{"window", "-3"}}, ""), ConfigError);
    EXPECT_FALSE(std::filesystem::exists(other.name() + "x"));
}

TEST(ServedLearn, OtherSettingsAreRefusedForAStoreThatIsThere) {
    const StorePath path;
    { auto run = open_served_run("learn", settings(path.name(), {{"step", "0.2"}}), "test"); }
    EXPECT_THROW(open_served_run("learn", settings(path.name(), {{"step", "0.3"}}), "test"), ConfigError);
    EXPECT_NO_THROW(
        open_served_run("learn", settings(path.name(), {{"step", "0.2"}, {"threads", "2"}}), "test"));
    EXPECT_THROW(
        open_served_run("learn", {{"store", path.name()}, {"dimension", "3"}, {"data", "x.csv"}}, "test"),
        ConfigError);
    EXPECT_THROW(open_served_run("leran", settings(path.name()), "test"), ConfigError);
}

}  // namespace
}  // namespace proxstream
