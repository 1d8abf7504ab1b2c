/// A request queue: order, one commit for many, posts that come twice, full disks, pauses, breakdowns.
#include "serve/learner_queue.hpp"

#include "fake_run.hpp"

#include <future>
#include <latch>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

using namespace proxstream;

namespace {

class LearnerQueueTest : public ::testing::Test {
  protected:
    LearnerQueueTest() {
        options_.retry_seconds = 0.01;
        open();
    }
    void open(const std::string& keep = "all") {
        queue_.reset();
        queue_ =
            LearnerQueue::open("main", FakeRun::open({{"store", path_}, {"keep", keep}}), workers_, options_);
    }
    void reopen(const std::string& keep = "all") {
        close(*queue_);
        while (queue_.use_count() > 1) std::this_thread::yield();
        open(keep);
    }
    static std::string close(LearnerQueue& queue) {
        std::promise<std::string> closed;
        queue.close([&](const std::string& problem) { closed.set_value(problem); });
        return closed.get_future().get();
    }
    static Post post(double value, std::optional<Turn> turn = {}, std::string key = {}) {
        return {.record = canonical(Json{{"v", value}}), .turn = turn, .key = std::move(key)};
    }
    PostResult send(std::vector<Post> posts, bool decide = false) {
        return send(*queue_, std::move(posts), decide);
    }
    static PostResult send(LearnerQueue& queue, std::vector<Post> posts, bool decide = false) {
        std::promise<PostResult> answer;
        queue.post(std::move(posts), decide, [&](PostResult result) { answer.set_value(std::move(result)); });
        return answer.get_future().get();
    }
    PostResult send(Post post) { return send(std::vector{std::move(post)}); }
    static Turn turn_of(const PostResult& result) { return result.played.at(0).turn->played.turn; }
    static double sum(LearnerQueue& queue) {
        std::promise<std::string> decision;
        queue.read([&](ServedRun& run) -> Workers::Task {
            return [&decision, text = run.decision()] { decision.set_value(text); };
        });
        return Json::parse(decision.get_future().get())["sum"];
    }
    double sum() { return sum(*queue_); }
    std::uint64_t commits() const {
        const auto counts = queue_->stats().commit.counts;
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    }
    /// Keeps the queue busy until it is released.
    std::shared_ptr<std::latch> hold() {
        auto gate = std::make_shared<std::latch>(1);
        auto busy = std::make_shared<std::latch>(1);
        queue_->read([gate, busy](ServedRun&) -> Workers::Task {
            busy->count_down();
            gate->wait();
            return {};
        });
        busy->wait();
        return gate;
    }
    template <class Condition>
    static bool eventually(const Condition& condition) {
        for (int i = 0; i < 2000; ++i) {
            if (condition()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return false;
    }

    TestFolder folder_;
    std::string path_ = folder_ / "main.run";
    LearnerQueueOptions options_;
    Workers workers_{2};
    std::shared_ptr<LearnerQueue> queue_;
};

/// No file may grow: what a full disk looks like.
class FullDisk {
  public:
    FullDisk() {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGXFSZ, &ignore, &before_);
        getrlimit(RLIMIT_FSIZE, &limit_);
        const rlimit none{1, limit_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &none);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &limit_);
        sigaction(SIGXFSZ, &before_, nullptr);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    struct sigaction before_ {};
    rlimit limit_{};
};

TEST_F(LearnerQueueTest, PlaysInOrderAndAnswersEach) {
    for (Turn turn = 1; turn <= 5; ++turn) {
        const PostResult result = send({post(static_cast<double>(turn))}, true);
        ASSERT_FALSE(result.refusal);
        EXPECT_EQ(turn_of(result), turn);
        EXPECT_EQ(result.next, turn + 1);
        EXPECT_EQ(Json::parse(result.decision)["sum"], static_cast<double>(turn * (turn + 1)) / 2);
    }
    EXPECT_EQ(queue_->snapshot()->state.turn, 5U);
    EXPECT_EQ(queue_->stats().rounds, 5U);
    EXPECT_EQ(queue_->stats().steps, 10);
}

TEST_F(LearnerQueueTest, AnswersFollowTheCommit) {
    std::promise<Turn> stored;
    queue_->post({post(1)}, false,
                 [&](const PostResult&) { stored.set_value(RunStore(path_).state().last); });
    EXPECT_EQ(stored.get_future().get(), 1U);
}

TEST_F(LearnerQueueTest, ManyPostsShareOneCommit) {
    const auto gate = hold();
    const std::uint64_t before = commits();
    std::vector<std::promise<PostResult>> answers(200);
    for (auto& answer : answers)
        queue_->post({post(1)}, false, [&answer](PostResult result) { answer.set_value(std::move(result)); });
    EXPECT_EQ(queue_->waiting(), 200U);
    gate->count_down();
    std::vector<Turn> turns;
    for (auto& answer : answers) turns.push_back(turn_of(answer.get_future().get()));
    std::vector<Turn> expected(200);
    std::iota(expected.begin(), expected.end(), Turn{1});
    EXPECT_EQ(turns, expected);
    EXPECT_LE(commits() - before, 10U);  // a slow machine may cut the group, not take it apart
    EXPECT_EQ(sum(), 200);
}

TEST_F(LearnerQueueTest, TheSameTurnIsAnsweredAgainAndPlayedOnce) {
    send(post(3));
    const PostResult first = send(post(4, 2));
    const PostResult again = send(post(4, 2));
    EXPECT_FALSE(first.played.at(0).replayed);
    EXPECT_TRUE(again.played.at(0).replayed);
    EXPECT_EQ(again.played[0].turn->played.answer, first.played[0].turn->played.answer);
    EXPECT_EQ(sum(), 7);
    const PostResult other = send(post(5, 2));
    ASSERT_TRUE(other.refusal);
    EXPECT_EQ(other.refusal->status, 409);
    EXPECT_EQ(other.refusal->field, "turn");
    const PostResult gap = send(post(5, 4));
    ASSERT_TRUE(gap.refusal);
    EXPECT_EQ(gap.refusal->status, 409);
    EXPECT_EQ(gap.refusal->turn, 3U);
    EXPECT_NE(gap.refusal->message.find("next turn is 3"), std::string::npos);
    EXPECT_EQ(sum(), 7);
    EXPECT_EQ(queue_->stats().replayed, 1U);
}

TEST_F(LearnerQueueTest, KeysAndTurnsSurviveARestart) {
    const PostResult first = send(post(3, {}, "a"));
    send(post(4, {}, "b"));
    reopen();
    const PostResult again = send(post(3, {}, "a"));
    ASSERT_FALSE(again.refusal);
    EXPECT_TRUE(again.played.at(0).replayed);
    EXPECT_EQ(turn_of(again), 1U);
    EXPECT_EQ(again.played[0].turn->played.status, "solved");
    EXPECT_EQ(Json::parse(again.played[0].turn->played.answer),
              Json::parse(first.played.at(0).turn->played.answer));
    EXPECT_EQ(turn_of(send(post(4, 2))), 2U);
    EXPECT_EQ(send(post(5, {}, "a")).refusal->status, 409);
    EXPECT_EQ(send(post(3, 2, "a")).refusal->status, 409);
    EXPECT_EQ(sum(), 7);
    EXPECT_EQ(turn_of(send(post(1, {}, "c"))), 3U);
}

TEST_F(LearnerQueueTest, RecordIdentityIgnoresFormatting) {
    send(Post{.record = R"({"v":1.0})", .turn = 1});
    EXPECT_TRUE(send(Post{.record = R"({ "v" : 1 })", .turn = 1}).played.at(0).replayed);
}

TEST_F(LearnerQueueTest, FoldedTurnsAreForgotten) {
    reopen("1");
    for (int i = 0; i < 6000; i += 100) send(std::vector<Post>(100, post(1)));
    std::promise<std::string> saved;
    queue_->save([&](const std::string& problem) { saved.set_value(problem); });
    EXPECT_EQ(saved.get_future().get(), "");
    send(post(1));
    ASSERT_GT(queue_->snapshot()->state.folded, 0U);
    const PostResult lost = send(post(1, 1));
    ASSERT_TRUE(lost.refusal);
    EXPECT_EQ(lost.refusal->status, 409);
    EXPECT_NE(lost.refusal->message.find("no longer kept"), std::string::npos);
}

TEST_F(LearnerQueueTest, ABatchIsPlayedAsAWholeOrNotAtAll) {
    const PostResult bad = send({post(1), {.record = R"({"v":"x"})"}, post(2)});
    ASSERT_TRUE(bad.refusal);
    EXPECT_EQ(bad.refusal->status, 400);
    EXPECT_EQ(bad.refusal->index, 1U);
    EXPECT_EQ(bad.refusal->field, "v");
    EXPECT_EQ(sum(), 0);
    const PostResult gap = send({post(1, 1), post(2, 3)});
    ASSERT_TRUE(gap.refusal);
    EXPECT_EQ(gap.refusal->index, 1U);
    EXPECT_EQ(sum(), 0);
    const PostResult good = send({post(1, 1, "k"), post(2, 2), post(1, {}, "k"), post(2, 2), post(3)});
    ASSERT_FALSE(good.refusal);
    ASSERT_EQ(good.played.size(), 5U);
    EXPECT_TRUE(good.played[2].replayed);
    EXPECT_EQ(good.played[2].turn->played.turn, 1U);
    EXPECT_EQ(good.played[3].turn->played.turn, 2U);
    EXPECT_EQ(good.played[4].turn->played.turn, 3U);
    EXPECT_EQ(sum(), 6);
    EXPECT_EQ(send({post(1, {}, "m"), post(2, {}, "m")}).refusal->status, 409);
}

TEST_F(LearnerQueueTest, ALossThatIsNotFiniteIsATurnThatWasRefused) {
    const PostResult result = send(post(FakeRun::kRefused));
    ASSERT_FALSE(result.refusal);
    EXPECT_EQ(result.played[0].turn->played.status, "refused");
    EXPECT_EQ(queue_->stats().refused, 1U);
    EXPECT_EQ(turn_of(send(post(1))), 2U);
}

TEST_F(LearnerQueueTest, AFullDiskIsWaitedFor) {
    send(post(1));
    {
        const FullDisk full;
        const PostResult played = send(post(2, {}, "k"));
        ASSERT_TRUE(played.refusal);
        EXPECT_EQ(played.refusal->status, 503);
        EXPECT_EQ(played.refusal->turn, 2U);
        EXPECT_GT(played.refusal->retry_after, 0);
        // A repeated post is not answered either: a kill would lose the turn now.
        for (const Post& repeated : {post(2, {}, "k"), post(2, 2)}) {
            const PostResult result = send(repeated);
            ASSERT_TRUE(result.refusal);
            EXPECT_EQ(result.refusal->status, 503);
            EXPECT_EQ(result.refusal->turn, 2U);
        }
        const PostResult later = send(post(3));
        ASSERT_TRUE(later.refusal);
        EXPECT_EQ(later.refusal->status, 503);
        EXPECT_FALSE(later.refusal->turn);
        const auto now = queue_->snapshot();
        EXPECT_EQ(now->state.status, "failed");
        EXPECT_FALSE(now->state.message.empty());
        EXPECT_EQ(now->state.turn, 1U);  // what is not safe is not shown
        EXPECT_TRUE(send(post(1, 1)).played.at(0).replayed);
    }
    ASSERT_TRUE(eventually([&] { return queue_->snapshot()->state.status == "running"; }));
    EXPECT_EQ(queue_->snapshot()->state.turn, 2U);
    const PostResult again = send(post(2, {}, "k"));
    ASSERT_FALSE(again.refusal);
    EXPECT_EQ(turn_of(again), 2U);
    EXPECT_TRUE(again.played[0].replayed);
    EXPECT_EQ(turn_of(send(post(3))), 3U);
    EXPECT_EQ(sum(), 6);
    EXPECT_GE(queue_->stats().failed_commits, 1U);
}

TEST_F(LearnerQueueTest, APausedQueuePlaysNothingAndStillAnswersReads) {
    send(post(1));
    const auto pause = [&](bool paused) {
        std::promise<void> done;
        queue_->pause(paused, [&](const std::string&) { done.set_value(); });
        done.get_future().get();
    };
    pause(true);
    EXPECT_EQ(queue_->snapshot()->state.status, "paused");
    const PostResult refused = send(post(2));
    ASSERT_TRUE(refused.refusal);
    EXPECT_EQ(refused.refusal->status, 503);
    EXPECT_GT(refused.refusal->retry_after, 0);
    EXPECT_TRUE(send(post(1, 1)).played.at(0).replayed);
    pause(false);
    EXPECT_EQ(turn_of(send(post(2))), 2U);
}

TEST_F(LearnerQueueTest, AFullQueueRefuses) {
    options_.queue = 3;
    reopen();
    const auto gate = hold();
    std::vector<std::promise<PostResult>> answers(5);
    for (auto& answer : answers)
        queue_->post({post(1)}, false, [&answer](PostResult result) { answer.set_value(std::move(result)); });
    EXPECT_EQ(answers[3].get_future().get().refusal->status, 503);
    EXPECT_EQ(answers[4].get_future().get().refusal->retry_after, 1);
    gate->count_down();
    EXPECT_FALSE(answers[2].get_future().get().refusal);
    EXPECT_EQ(sum(), 3);
}

TEST_F(LearnerQueueTest, ARunThatBreaksDownIsNotTrustedAgain) {
    send(post(1));
    const PostResult broken = send(post(FakeRun::kBreaks));
    ASSERT_TRUE(broken.refusal);
    EXPECT_EQ(broken.refusal->status, 500);
    EXPECT_EQ(send(post(2)).refusal->status, 503);
    EXPECT_EQ(queue_->snapshot()->state.status, "failed");
    reopen();
    EXPECT_EQ(queue_->snapshot()->state.turn, 1U);
    EXPECT_EQ(turn_of(send(post(2))), 2U);
}

TEST_F(LearnerQueueTest, TheDecisionIsReadWithoutWaiting) {
    const auto ask = [&] {
        auto answer = std::make_shared<std::promise<std::pair<Turn, std::string>>>();
        queue_->decision([answer](Turn turn, const std::string& text) { answer->set_value({turn, text}); });
        return answer->get_future();
    };
    EXPECT_EQ(ask().get().first, 1U);
    send(post(5));
    const auto gate = hold();
    auto answer = ask();
    ASSERT_EQ(answer.wait_for(std::chrono::seconds(5)), std::future_status::ready);
    const auto [turn, decision] = answer.get();
    EXPECT_EQ(turn, 2U);
    EXPECT_EQ(Json::parse(decision)["sum"], 5);
    gate->count_down();
}

TEST_F(LearnerQueueTest, TurnsThatMayWaitAreCommittedTogether) {
    options_.durable.turns = 10;
    options_.commit_seconds = 1000;
    reopen();
    send(post(1, {}, "k"));
    EXPECT_TRUE(send(post(1, {}, "k")).played.at(0).replayed);  // a key is known before it is stored
    for (int i = 1; i < 9; ++i) send(post(1));
    EXPECT_EQ(RunStore(path_).state().last, 0U);
    send(post(1));
    EXPECT_EQ(RunStore(path_).state().last, 10U);
    options_.commit_seconds = 0.01;
    reopen();
    send(post(1));
    EXPECT_TRUE(eventually([&] { return RunStore(path_).state().last == 11; }));
}

TEST_F(LearnerQueueTest, ClosingPlaysWaitingPostsAndSaves) {
    const auto gate = hold();
    std::promise<PostResult> answer;
    queue_->post({post(2)}, false, [&](PostResult result) { answer.set_value(std::move(result)); });
    std::promise<std::string> closed;
    queue_->close([&](const std::string& problem) { closed.set_value(problem); });
    gate->count_down();
    EXPECT_FALSE(answer.get_future().get().refusal);
    EXPECT_EQ(closed.get_future().get(), "");
    EXPECT_EQ(send(post(1)).refusal->status, 503);
    const RunStore store(path_);
    EXPECT_EQ(store.state().saved, 1U);
    EXPECT_FALSE(store.certificate().empty());
}

}  // namespace
