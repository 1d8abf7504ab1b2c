/// Events of a run: bundles, those who come back, those who come too late, alarms, and who has gone.
#include "serve/event_hub.hpp"

#include "api_fixture.hpp"

#include <gtest/gtest.h>

using namespace proxstream;

namespace {

class EventHubTest : public testing::Test {
  protected:
    void play(Turn first, Turn last) {
        for (Turn turn = first; turn <= last; ++turn) hub_->turn(turn, {static_cast<Real>(turn)});
    }
    std::shared_ptr<FakeStream> listen(std::optional<Turn> after) {
        auto stream = std::make_shared<FakeStream>();
        hub_->subscribe(stream, after);
        return stream;
    }

    Workers workers_{1};
    std::shared_ptr<EventHub> hub_ =
        std::make_shared<EventHub>(workers_, 0, PageState{}, std::vector<PageAlarm>{});
    int asked_ = 0;
};

TEST_F(EventHubTest, SendsTurnsInBatchesWithTheLastNumber) {
    play(1, 3);
    const auto stream = listen(1);
    const std::string first = stream->take();
    EXPECT_TRUE(contains(first, "event: state\n"));
    EXPECT_TRUE(
        contains(first, "id: 3\nevent: turns\ndata: {\"first\":2,\"last\":3,\"figures\":[[2],[3]]}\n\n"))
        << first;
    hub_->beat();
    EXPECT_EQ(stream->take(), "");
    play(4, 6);
    hub_->beat();
    EXPECT_TRUE(contains(stream->take(), "{\"first\":4,\"last\":6,\"figures\":[[4],[5],[6]]}"));
}

TEST_F(EventHubTest, WhoIsTooFarBehindGetsTheSeries) {
    hub_->connect([this](bool series, bool /*picture*/) { asked_ += series ? 1 : 0; });
    play(1, 600);
    const auto stream = listen(10);
    EXPECT_FALSE(contains(stream->take(), "turns"));
    hub_->beat();
    hub_->beat();
    EXPECT_EQ(asked_, 1);  // once, until it is there
    hub_->series("{\"series\":{},\"turn\":598}", 598);
    EXPECT_TRUE(contains(stream->take(), "id: 598\nevent: series\ndata: {\"series\":{},\"turn\":598}\n\n"));
    hub_->beat();
    EXPECT_TRUE(contains(stream->take(), "\"first\":599,\"last\":600"));
    // A page that is just near enough gets turns.
    EXPECT_TRUE(contains(listen(600 - EventHub::kTurns)->take(), "\"first\":89,\"last\":600"));
}

TEST_F(EventHubTest, WhoHasSeenMoreThanThereIsGetsTheSeries) {
    hub_->connect([this](bool series, bool /*picture*/) { asked_ += series ? 1 : 0; });
    play(1, 5);
    listen(7);
    hub_->beat();
    EXPECT_EQ(asked_, 1);
}

TEST_F(EventHubTest, SendsAlarmsWithTheirTurn) {
    const auto stream = listen(0);
    stream->take();
    play(1, 1);
    hub_->alarm(1, {.id = 7, .raised = true, .kind = "load", .subject = "A-B", .text = "too much"});
    hub_->beat();
    EXPECT_TRUE(contains(stream->take(), "event: alarm\n"));
    play(2, 4);
    hub_->alarm(4, {.id = 7, .raised = false, .kind = "load", .subject = "A-B", .text = "gone"});
    hub_->beat();
    const std::string cleared = stream->take();
    EXPECT_TRUE(contains(cleared, "\"turn\":1")) << cleared;
    EXPECT_TRUE(contains(cleared, "\"cleared\":4")) << cleared;
    // Who comes back hears of what he missed, and of nothing else.
    EXPECT_TRUE(contains(listen(3)->take(), "\"cleared\":4"));
    EXPECT_FALSE(contains(listen(4)->take(), "alarm"));
}

TEST_F(EventHubTest, SendsStateAndPicturesWhenTheyChange) {
    hub_->connect([this](bool /*series*/, bool picture) { asked_ += picture ? 1 : 0; });
    const auto stream = listen(0);
    stream->take();
    hub_->state(PageState{});
    hub_->beat();
    EXPECT_EQ(stream->take(), "");
    PageState paused;
    paused.status = "paused";
    hub_->state(paused);
    hub_->beat();
    EXPECT_TRUE(contains(stream->take(), "\"status\":\"paused\""));
    for (int beat = 0; beat < 8; ++beat) hub_->beat();
    EXPECT_EQ(asked_, 0);  // nothing was played
    play(1, 2);
    for (int beat = 0; beat < 8; ++beat) hub_->beat();
    EXPECT_EQ(asked_, 1);
    stream->take();
    hub_->picture("{\"a\":1}");
    hub_->beat();
    EXPECT_EQ(stream->take(), "event: picture\ndata: {\"a\":1}\n\n");
    hub_->picture("{\"a\":1}");
    hub_->beat();
    EXPECT_EQ(stream->take(), "");
}

TEST_F(EventHubTest, ForgetsClosedConnections) {
    const auto stream = listen(0);
    EXPECT_EQ(hub_->subscribers(), 1U);
    stream->close();
    hub_->beat();
    EXPECT_EQ(hub_->subscribers(), 0U);
    const auto other = listen(0);
    hub_->close();
    EXPECT_FALSE(other->open());
    EXPECT_FALSE(listen(0)->open());
}

TEST_F(EventHubTest, SilenceIsBrokenByAComment) {
    const auto stream = listen(0);
    stream->take();
    std::string heard;
    for (unsigned beat = 0; beat < EventHub::kCommentBeats; ++beat) {
        hub_->beat();
        heard += stream->take();
    }
    EXPECT_EQ(heard, ":\n\n");
}

TEST(LearnerQueueEvents, APostIsPublished) {
    ApiFixture api;
    api.ask("GET", "/v1/learners/main/events?after=0");
    const auto stream = api.events;
    ASSERT_TRUE(stream);
    api.post("/v1/learners/main/rounds", R"({"record":{"v":3}})");
    api.registry.find("main")->events().beat();
    EXPECT_TRUE(contains(stream->take(),
                         "id: 1\nevent: turns\ndata: {\"first\":1,\"last\":1,\"figures\":[[3,null,2]]}"));
    // A reader that comes back says so in a header.
    HttpRequest again = ApiFixture::request("GET", "/v1/learners/main/events?after=0");
    again.headers["last-event-id"] = "1";
    api.ask(again);
    EXPECT_FALSE(contains(api.events->take(), "turns"));
}

}  // namespace
