/// One learner behind a queue.
///
/// Posts wait in the queue with whoever wants their answer. The desk takes what waits, plays it in order,
/// commits once, and answers: an answer that went out is in the store (durable = round), and a hundred
/// clients share one wait for the disk. Reads stand in the same queue where they need the run itself and see
/// it between two turns; what a snapshot can say needs no queue, and what the store can say is read beside
/// it.
///
/// When the disk is full the turns already played stay in memory; their posts and new ones are answered 503,
/// and the commit is tried again every second. Who posts the same turn or key again gets the answer then.
#pragma once

#include "serve/desk_stats.hpp"
#include "serve/event_hub.hpp"
#include "serve/post.hpp"
#include "serve/turn_memory.hpp"
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

struct DeskOptions {
    Durability durable = {.turns = 1};
    std::size_t queue = 4096;     // records that may wait
    std::size_t feed = 65536;     // records a fork may be behind its parent
    double retry_seconds = 1;     // between commits that failed
    double group_seconds = 0.02;  // of playing, before a group is committed and answered
    double commit_seconds = 1;  // the longest a turn waits for its commit, where commits are not by the turn
};

class Desk : public std::enable_shared_from_this<Desk> {
  public:
    /// What can be said without asking the run: as of the last answers that went out.
    struct Snapshot {
        PageState state;
        std::vector<Real> figures = {};            // of the last turn
        std::optional<std::string> decision = {};  // for the turn to come, if somebody wanted it lately
    };
    /// Looks at the run between two turns; what it returns is called after the commit, to answer.
    using Read = std::function<Workers::Task(ServedRun& run)>;
    /// Reads the store, beside the desk. `problem`: it cannot be read, and `store` is null.
    using LookUp = std::function<void(const RunStore* store, const std::string& problem)>;

    /// `parent`: the learner this one was forked from and follows; empty: it is fed by posts.
    static std::shared_ptr<Desk> open(std::string name, std::unique_ptr<ServedRun> run, Workers& workers,
                                      const DeskOptions& options, std::string parent = {});
    ~Desk();

    const std::string& name() const noexcept { return name_; }
    const std::string& parent() const noexcept { return parent_; }
    const RunIdentity& identity() const noexcept { return identity_; }
    const std::string& record_schema() const noexcept { return record_schema_; }
    const std::string& store() const noexcept { return store_; }
    EventHub& events() noexcept { return *events_; }

    std::shared_ptr<const Snapshot> snapshot() const;
    DeskStats stats() const;
    std::size_t waiting() const;  // records in the queue

    /// One post, or a batch: all of it is checked before anything is played.
    void post(std::vector<Post> posts, bool decide, PostDone done);
    void read(Read read);
    void look_up(LookUp look_up);
    /// `done` gets the decision for the turn to come, from the snapshot if it is there.
    void decision(const std::function<void(Turn turn, const std::string& decision)>& done);

    // All of these answer when they are done: "" or what went wrong.
    using Done = std::function<void(const std::string& problem)>;
    void save(Done done);
    void pause(bool paused, Done done);
    void reload(const SettingList& settings, const Durability& durable, Done done);
    /// Saves; plays nothing more.
    void close(Done done);

    /// The run from here on under other settings, from a turn that is safe.
    using Forked = std::function<void(std::unique_ptr<ServedRun> run, std::optional<Refusal> refusal)>;
    void fork(const std::string& store, const SettingList& changes, const std::string& events, Forked done);
    /// From now on `follower` gets every record that is safe here; those it has missed it gets from the
    /// store.
    void lead(std::shared_ptr<Desk> follower);
    void dismiss(const std::string& follower);
    std::vector<std::shared_ptr<Desk>> followers() const;

  private:
    using Clock = std::chrono::steady_clock;
    struct Item {
        std::vector<Post> posts = {};
        bool decide = false;
        bool fed = false;  // by the learner this one follows
        PostDone done = {};
        std::function<Workers::Task()> command = {};
        Clock::time_point since = Clock::now();
    };
    struct Answer {
        Workers::Task task = {};
        PostDone done = {};
        PostResult result = {};
        bool played = false;
        Clock::time_point since = {};
    };
    struct Resolved {
        std::shared_ptr<const KnownTurn> known;  // null: to be played
        std::optional<std::size_t> twin = {};    // the same post, earlier in the batch
    };

    Desk(std::string name, std::unique_ptr<ServedRun> run, Workers& workers, const DeskOptions& options,
         std::string parent);
    void begin();  // what needs shared_from_this

    void put(Item item);
    void command(std::function<Workers::Task()> command);
    void work();
    void finish(std::vector<Answer>& answers);
    Answer answer(Item& item);
    PostResult take(Item& item, bool& played);
    std::optional<Refusal> resolve(const std::vector<Post>& posts, std::vector<Resolved>& resolved);
    std::optional<Refusal> not_now(bool fed) const;
    std::shared_ptr<const KnownTurn> play(const Post& post);
    std::shared_ptr<const KnownTurn> find(Turn turn);
    std::shared_ptr<const KnownTurn> find_key(const std::string& key);
    void count(const PlayedTurn& played);
    Real figure(std::string_view channel, const std::vector<Real>& figures) const;  // 0: not known

    bool commit(bool with_state);
    void commit_later();
    void fail(const std::string& why);
    void break_down(const std::string& why);
    void detach(const std::string& why);
    void feed_followers();
    void feed(const std::vector<std::shared_ptr<const KnownTurn>>& turns);
    void catch_up(const std::shared_ptr<Desk>& follower);
    void publish();
    PageState state() const;

    const std::string name_;
    const std::string parent_;
    Workers& workers_;
    DeskOptions options_;
    std::unique_ptr<ServedRun> run_;
    const RunIdentity identity_;
    const std::string record_schema_;
    const std::string store_;
    std::shared_ptr<EventHub> events_;

    mutable std::mutex mutex_;  // of the next few
    std::deque<Item> queue_;
    std::size_t waiting_ = 0;  // records in it
    bool scheduled_ = false;
    bool detached_ = false;
    std::shared_ptr<const Snapshot> snapshot_;
    DeskStats stats_;
    std::vector<std::shared_ptr<Desk>> followers_;

    // Of whoever is working.
    TurnMemory memory_;
    std::unique_ptr<RunStore> reader_;                           // for turns that are no longer in the memory
    std::vector<std::shared_ptr<const KnownTurn>> unpublished_;  // played since the last snapshot
    std::vector<std::shared_ptr<const KnownTurn>> unfed_;        // not yet safe, and not yet with followers
    std::vector<Real> figures_;
    unsigned decision_wanted_ = 0;  // groups for which it is kept in the snapshot
    bool paused_ = false;
    bool closed_ = false;
    bool broken_ = false;  // the run threw what it must not: it is not to be trusted any more
    bool commit_scheduled_ = false;
    std::string failure_;     // empty: all is well
    std::string detachment_;  // why it no longer follows

    Strand archive_strand_;
    std::shared_ptr<std::unique_ptr<RunStore>> archive_;
};

}  // namespace proxstream
