/// Forks: they follow, they fall off, they come back, and their parent never notices.
#include "api_fixture.hpp"

#include <fstream>
#include <thread>

#include <gtest/gtest.h>

using namespace proxstream;

namespace {

const std::string kForked = "/v1/learners/main";

class ForkTest : public testing::Test {
  protected:
    void send(double value) {
        const HttpResponse response =
            api_->post(kForked + "/rounds", canonical(Json{{"record", {{"v", value}}}}));
        ASSERT_EQ(response.status, 200) << response.body;
    }
    /// Until the learner has played that many turns.
    Json caught_up(const std::string& name, Turn turn) {
        for (int i = 0; i < 2000; ++i) {
            Json state = api_->get("/v1/learners/" + name);
            if (state["turn"] == turn || state["status"] == "stopped") return state;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return api_->get("/v1/learners/" + name);
    }
    double sum(const std::string& name) {
        return api_->get("/v1/learners/" + name + "/page")["decision"]["sum"];
    }
    HttpResponse fork(const std::string& body) { return api_->post(kForked + "/fork", body); }

    std::unique_ptr<ApiFixture> api_ = std::make_unique<ApiFixture>();
};

TEST_F(ForkTest, AForkReceivesTheRecordsOfItsParent) {
    send(1);
    send(2);
    const Json fork_state = Json::parse(fork(R"({"name":"twice","settings":{"window":"2"}})").body);
    EXPECT_EQ(fork_state["turn"], 2);
    EXPECT_EQ(fork_state["follows"], "main");
    send(10);
    send(20);
    EXPECT_EQ(caught_up("twice", 4)["turn"], 4);
    EXPECT_EQ(sum("main"), 33);
    EXPECT_EQ(sum("twice"), 63);
    const Json page = api_->get(kForked + "/page");
    EXPECT_EQ(page["forks"][0]["settings"][0]["value"], "2");
    EXPECT_EQ(page["forks"][0]["begun"], 2);
    // It is fed by its parent only.
    EXPECT_EQ(api_->post("/v1/learners/twice/rounds", R"({"record":{"v":1}})").status, 409);
    EXPECT_EQ(api_->post("/v1/learners/twice/pause").status, 409);
    EXPECT_EQ(api_->post("/v1/learners/twice/fork", R"({"name":"more"})").status, 409);
    EXPECT_EQ(api_->disagreements, std::vector<std::string>());
}

TEST_F(ForkTest, InvalidForksAreRefusedWithoutTraces) {
    send(1);
    for (const char* option :
         {"store", "ledger", "data", "predictions", "save", "certificate", "start", "forecast"}) {
        const HttpResponse response =
            fork(fmt::format(R"({{"name":"a","settings":{{"{}":"/etc/passwd"}}}})", option));
        EXPECT_EQ(response.status, 400) << option;
        EXPECT_TRUE(contains(response.body, "names a file")) << option;
    }
    EXPECT_TRUE(contains(fork(R"({"name":"a","settings":{"windwo":3}})").body, "window"));
    EXPECT_EQ(fork(R"({"name":"a","settings":{"window":{"x":1}}})").status, 400);
    EXPECT_EQ(fork(R"({"name":"a","settings":{"max-steps":5}})").status, 400);  // the run's own refusal
    EXPECT_EQ(fork(R"({"name":"a","events":[{"link":"x"}]})").status, 400);
    for (const char* name : {"", "A", "a/b", "..", "a.b", "a b", "main"})
        EXPECT_GE(fork(canonical(Json{{"name", name}})).status, 400) << name;
    EXPECT_EQ(api_->ask("GET", "/v1/learners/a").status, 404);
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(api_->folder.path()))
        files += entry.path().filename().string().find("fork") != std::string::npos ? 1 : 0;
    EXPECT_EQ(files, 0U);
    EXPECT_EQ(fork(R"({"name":"a"})").status, 201);
    EXPECT_EQ(fork(R"({"name":"a"})").status, 409);
}

TEST_F(ForkTest, NoMoreThanEight) {
    for (int i = 0; i < 8; ++i) EXPECT_EQ(fork(fmt::format(R"({{"name":"f{}"}})", i)).status, 201);
    EXPECT_EQ(fork(R"({"name":"f8"})").status, 409);
    EXPECT_EQ(api_->ask("DELETE", "/v1/learners/f3").status, 200);
    EXPECT_EQ(fork(R"({"name":"f8"})").status, 201);
}

TEST_F(ForkTest, AFailingForkIsDetachedAndItsParentContinues) {
    ASSERT_EQ(fork(R"({"name":"frail"})").status, 201);
    const auto frail = api_->registry.find("frail");
    // Its parent can play this turn and the fork cannot, because the fork has other turns.
    std::promise<void> done;
    frail->read([&](ServedRun& run) -> Workers::Task {
        run.play(R"({"v":1})", {});
        return [&] { done.set_value(); };
    });
    done.get_future().get();
    send(5);
    const Json state = caught_up("frail", 99);
    EXPECT_EQ(state["status"], "stopped");
    EXPECT_TRUE(contains(std::string(state["message"]), "no longer follows 'main'"));
    send(6);
    EXPECT_EQ(sum("main"), 11);
    EXPECT_EQ(api_->ask("GET", "/ready").status, 200);
    EXPECT_EQ(api_->ask("DELETE", "/v1/learners/frail").status, 200);
    EXPECT_FALSE(std::filesystem::exists(frail->store()));
}

TEST_F(ForkTest, ForksCatchUpAfterARestart) {
    send(1);
    ASSERT_EQ(fork(R"({"name":"twice","settings":{"window":2}})").status, 201);
    send(2);
    EXPECT_EQ(caught_up("twice", 2)["turn"], 2);
    TestFolder copy;
    const auto copy_over = [&](const std::string& file) {
        for (const char* suffix : {"", "-wal"}) {
            const std::string from = api_->folder / (file + suffix);
            if (std::filesystem::exists(from)) std::filesystem::copy_file(from, copy / (file + suffix));
        }
    };
    // As after a kill: the fork's file is of an earlier moment than its parent's.
    copy_over("main.run.fork-twice.run");
    send(4);
    send(8);
    copy_over("main.run");
    // The service was killed while it made this one.
    const std::string half = copy / "main.run.fork-half.run";
    std::ofstream(half).close();
    Workers workers(2);
    LearnerRegistry registry(
        workers, [](const std::string&, const SettingList& settings) { return FakeRun::open(settings); });
    // The settings of a stored run name no store here; the registry gets its path.
    registry.open({{"main", "learn", {{"store", copy / "main.run"}}, {}}});
    const auto twice = registry.find("twice");
    ASSERT_TRUE(twice);
    EXPECT_FALSE(registry.find("half"));
    EXPECT_FALSE(std::filesystem::exists(half));
    for (int i = 0; i < 2000 && twice->snapshot()->state.turn < 4; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(twice->snapshot()->state.turn, 4U);
    EXPECT_EQ(twice->snapshot()->state.status, "running");
    std::promise<std::string> decision;
    twice->read([&](ServedRun& run) -> Workers::Task {
        decision.set_value(run.decision());
        return {};
    });
    EXPECT_EQ(Json::parse(decision.get_future().get())["sum"], 1 + 2 * (2 + 4 + 8));
    registry.close();
}

}  // namespace
