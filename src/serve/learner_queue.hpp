/// One learner behind a queue of requests.
///
/// A worker takes the requests that wait, works on them in order, commits once and then answers. So an answer
/// that went out is in the store (durable = round), and many clients share one wait for the disk. Reads of
/// the run stand in the same queue and see it between two turns. The snapshot and the store are read without
/// waiting.
///
/// When the disk is full, played turns stay in memory; their posts and new ones are answered 503, and the
/// commit is tried again every second. A post that is repeated under its turn or key gets its answer then.
#pragma once

#include "serve/event_hub.hpp"
#include "serve/learner_queue_stats.hpp"
#include "serve/played_turns.hpp"
#include "serve/post.hpp"
#include "serve/workers.hpp"
#include "store/page_data.hpp"
#include "store/run_store.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct LearnerQueueOptions {
    Durability durable = {.turns = 1};
    std::size_t queue = 4096;     // records that may wait
    std::size_t feed = 65536;     // records that a fork may be behind its parent
    double retry_seconds = 1;     // between commits that failed
    double group_seconds = 0.02;  // of work, before a group is committed and answered
    double commit_seconds = 1;    // the longest that a turn waits for its commit
};

class LearnerQueue : public std::enable_shared_from_this<LearnerQueue> {
  public:
    /// As of the last answers that went out.
    struct Snapshot {
        PageState state;
        std::vector<Real> figures = {};            // of the last turn
        std::optional<std::string> decision = {};  // for the next turn, if it was asked for lately
    };
    /// Looks at the run between two turns. What it returns is called after the commit, to answer.
    using Read = std::function<Workers::Task(ServedRun& run)>;
    /// Reads the store while the learner works. If the store cannot be read, it is null and `problem` says
    /// why.
    using LookUp = std::function<void(const RunStore* store, const std::string& problem)>;
    /// "" or what went wrong.
    using Done = std::function<void(const std::string& problem)>;
    using Forked = std::function<void(std::unique_ptr<ServedRun> run, std::optional<Refusal> refusal)>;

    /// `parent`: the learner whose records this fork gets; empty: it gets posts.
    static std::shared_ptr<LearnerQueue> open(std::string name, std::unique_ptr<ServedRun> run,
                                              Workers& workers, const LearnerQueueOptions& options,
                                              std::string parent = {});
    ~LearnerQueue();

    const std::string& name() const noexcept { return name_; }
    const std::string& parent() const noexcept { return parent_; }
    const RunIdentity& identity() const noexcept { return identity_; }
    const std::string& record_schema() const noexcept { return record_schema_; }
    const std::string& store() const noexcept { return store_; }
    EventHub& events() noexcept { return *events_; }

    std::shared_ptr<const Snapshot> snapshot() const;
    LearnerQueueStats stats() const;
    std::size_t waiting() const;  // records in the queue

    /// Prepares requests on a worker, one after the other, before they come into the queue.
    void take_in(Workers::Task task) { intake_.post(std::move(task)); }
    /// One post, or a batch. The whole batch is checked before any of it is played. It is dropped if it is
    /// not `wanted` any more when its turn comes.
    void post(std::vector<Post> posts, bool decide, PostDone done, std::function<bool()> wanted = {});
    void read(Read read);
    void look_up(LookUp look_up);
    /// Calls `done` with the decision for the next turn, from the snapshot if it has one.
    void decision(const std::function<void(Turn turn, const std::string& decision)>& done);

    void save(Done done);
    void pause(bool paused, Done done);
    void reload(const SettingList& settings, const Durability& durable, Done done);
    /// Saves, and plays nothing more.
    void close(Done done);

    /// Makes the run from here on under other settings, from a turn that is safe.
    void fork(const std::string& store, const SettingList& changes, const std::string& events, Forked done);
    /// From now on `follower` gets every record that is safe here. It gets earlier ones from the store.
    void add_follower(std::shared_ptr<LearnerQueue> follower);
    void remove_follower(const std::string& follower);

  private:
    using Clock = std::chrono::steady_clock;
    /// What a worker does; what it returns is called after the commit.
    using Work = std::function<Workers::Task()>;
    struct Item {
        std::size_t records = 0;
        Work work;
    };

    LearnerQueue(std::string name, std::unique_ptr<ServedRun> run, Workers& workers,
                 const LearnerQueueOptions& options, std::string parent);
    void connect_events();

    // The queue.
    void put(std::size_t records, Work work);
    void put_later(double seconds, void (LearnerQueue::*action)());
    void work();
    void finish_group(const std::vector<Workers::Task>& answers);

    // Posts.
    PostResult take(const std::vector<Post>& posts, bool decide, bool fed);
    std::optional<Refusal> check(const std::vector<Post>& posts, bool fed,
                                 std::vector<ResolvedPost>& resolved);
    void play(const std::vector<Post>& posts, std::vector<ResolvedPost>& resolved, PostResult& result);
    KnownTurnPtr play(const Post& post);
    void answer(PostResult result, Clock::time_point since, const PostDone& done);
    std::optional<Refusal> not_now(bool fed) const;

    // Commits and failures.
    bool commit(bool with_state);
    void commit_pending();
    void retry_commit();
    void fail(const std::string& why);
    void break_down(const std::string& why);
    void publish();
    PageState state() const;

    // Forks.
    std::vector<std::shared_ptr<LearnerQueue>> followers() const;
    void catch_up(LearnerQueue& follower);
    void feed_followers();
    void feed(const std::vector<KnownTurnPtr>& turns);
    void detach(const std::string& why);

    const std::string name_;
    const std::string parent_;
    Workers& workers_;
    LearnerQueueOptions options_;
    std::unique_ptr<ServedRun> run_;
    const RunIdentity identity_;
    const std::string record_schema_;
    const std::string store_;
    std::shared_ptr<EventHub> events_;

    mutable std::mutex mutex_;  // guards the members below, up to the blank line
    std::deque<Item> queue_;
    std::size_t waiting_ = 0;  // records in it
    bool scheduled_ = false;
    bool detached_ = false;
    std::shared_ptr<const Snapshot> snapshot_;
    LearnerQueueStats stats_;
    std::vector<std::shared_ptr<LearnerQueue>> followers_;

    // Used by one worker at a time.
    PlayedTurns played_;
    std::vector<KnownTurnPtr> unpublished_;  // played since the last snapshot
    std::vector<KnownTurnPtr> unfed_;        // not yet safe, so not yet with followers
    std::vector<Real> figures_;
    unsigned decision_wanted_ = 0;  // groups for which the snapshot keeps the decision
    bool paused_ = false;
    bool closed_ = false;
    bool broken_ = false;  // the run threw an unexpected exception; its state is not trusted
    bool commit_scheduled_ = false;
    std::string failure_;     // empty: none
    std::string detachment_;  // why it no longer follows its parent

    Strand intake_;
    Strand archive_strand_;
    std::shared_ptr<std::unique_ptr<RunStore>> archive_;  // opened when it is needed first
};

}  // namespace proxstream
