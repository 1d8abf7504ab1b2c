#include "serve/desk.hpp"

#include "proxstream/core/error.hpp"

#include "core/stopwatch.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// After a read of the decision, so many groups keep it in their snapshot.
constexpr unsigned kDecisionGroups = 64;

}  // namespace

std::shared_ptr<Desk> Desk::open(std::string name, std::unique_ptr<ServedRun> run, Workers& workers,
                                 const DeskOptions& options, std::string parent) {
    std::shared_ptr<Desk> desk(
        new Desk(std::move(name), std::move(run), workers, options, std::move(parent)));
    desk->begin();
    return desk;
}

Desk::Desk(std::string name, std::unique_ptr<ServedRun> run, Workers& workers, const DeskOptions& options,
           std::string parent)
    : name_(std::move(name)),
      parent_(std::move(parent)),
      workers_(workers),
      options_(options),
      run_(std::move(run)),
      identity_(run_->journal().identity()),
      record_schema_(run_->record_schema()),
      store_(run_->journal().path()),
      archive_strand_(workers),
      archive_(std::make_shared<std::unique_ptr<RunStore>>()) {
    run_->journal().commit_by_hand();
    commit(false);
    // The turns that a page may ask for again.
    const RunStore store(store_);
    const Turn last = run_->journal().last();
    const Turn first = last - std::min<Turn>(last, EventHub::kTurns);
    events_ = std::make_shared<EventHub>(workers, first, state(), page_alarms(store.alarms()));
    store.turns(first + 1, last, [&](const StoredTurn& turn) {
        events_->turn(turn.turn, turn.figures);
        figures_ = turn.figures;
        return true;
    });
    stats_.regret = figure("regret", figures_);
    stats_.regret_bound = figure("regret_bound", figures_);
    publish();
}

Desk::~Desk() {
    events_->close();
}

void Desk::begin() {
    const auto weak = weak_from_this();
    events_->connect({.series =
                          [weak] {
                              const auto desk = weak.lock();
                              if (!desk) return;
                              desk->read([weak](ServedRun& run) -> Workers::Task {
                                  const Turn turn = run.journal().played();
                                  return [weak, turn, json = series_json(run.journal().series(), turn)] {
                                      if (const auto self = weak.lock()) self->events_->series(json, turn);
                                  };
                              });
                          },
                      .picture =
                          [weak] {
                              const auto desk = weak.lock();
                              if (!desk) return;
                              desk->read([weak](ServedRun& run) -> Workers::Task {
                                  if (const auto self = weak.lock()) self->events_->picture(run.picture());
                                  return {};
                              });
                          }});
}

std::shared_ptr<const Desk::Snapshot> Desk::snapshot() const {
    const std::lock_guard lock(mutex_);
    return snapshot_;
}

DeskStats Desk::stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
}

std::size_t Desk::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

void Desk::put(Item item) {
    const std::lock_guard lock(mutex_);
    waiting_ += item.posts.size();
    queue_.push_back(std::move(item));
    if (std::exchange(scheduled_, true)) return;
    workers_.post([self = shared_from_this()] { self->work(); });
}

void Desk::command(std::function<Workers::Task()> command) {
    Item item;
    item.command = std::move(command);
    put(std::move(item));
}

void Desk::post(std::vector<Post> posts, bool decide, PostDone done) {
    std::optional<Refusal> refusal;
    if (!parent_.empty()) {
        refusal =
            Refusal{.status = 409,
                    .message = fmt::format("'{}' is a fork: it gets the records of '{}'", name_, parent_)};
    } else {
        const std::lock_guard lock(mutex_);
        if (waiting_ + posts.size() > options_.queue && waiting_ > 0) {
            ++stats_.rejected;
            refusal = Refusal{.status = 503,
                              .message = fmt::format("{} records wait already; no more than {} may", waiting_,
                                                     options_.queue),
                              .retry_after = 1};
        }
    }
    if (refusal) return done({.refusal = std::move(refusal)});
    Item item;
    item.posts = std::move(posts);
    item.decide = decide;
    item.done = std::move(done);
    put(std::move(item));
}

void Desk::read(Read read) {
    command([this, read = std::move(read)] { return read(*run_); });
}

void Desk::look_up(LookUp look_up) {
    archive_strand_.post([archive = archive_, path = store_, look_up = std::move(look_up)] {
        try {
            if (!*archive) *archive = std::make_unique<RunStore>(path);
        } catch (const std::exception& error) {
            return look_up(nullptr, error.what());
        }
        look_up(archive->get(), {});
    });
}

void Desk::decision(const std::function<void(Turn turn, const std::string& decision)>& done) {
    if (const auto now = snapshot(); now->decision) return done(now->state.turn + 1, *now->decision);
    read([this, done](ServedRun& run) -> Workers::Task {
        decision_wanted_ = kDecisionGroups;
        return [done, turn = run.journal().played() + 1, decision = run.decision()] { done(turn, decision); };
    });
}

void Desk::work() {
    const auto begin = Clock::now();
    std::vector<Answer> answers;
    do {
        Item item;
        {
            const std::lock_guard lock(mutex_);
            if (queue_.empty()) break;
            item = std::move(queue_.front());
            queue_.pop_front();
            waiting_ -= item.posts.size();
        }
        answers.push_back(answer(item));
    } while (std::chrono::duration<double>(Clock::now() - begin).count() < options_.group_seconds);
    finish(answers);
    const std::lock_guard lock(mutex_);
    scheduled_ = !queue_.empty();
    if (scheduled_) workers_.post([self = shared_from_this()] { self->work(); });
}

Desk::Answer Desk::answer(Item& item) {
    Answer answer;
    answer.since = item.since;
    if (item.command) {
        try {
            answer.task = item.command();
        } catch (const std::exception& error) {
            break_down(error.what());
        }
        return answer;
    }
    answer.done = std::move(item.done);
    answer.result = take(item, answer.played);
    return answer;
}

void Desk::finish(std::vector<Answer>& answers) {
    const Journal& journal = run_->journal();
    const bool by_turn = options_.durable.turns <= 1;
    if (failure_.empty() && journal.pending() >= std::max<std::uint64_t>(options_.durable.turns, 1)) {
        commit(false);
    } else if (failure_.empty() && journal.pending() > 0) {
        commit_later();
    }
    publish();
    for (Answer& answer : answers) {
        if (answer.task) answer.task();
        if (!answer.done) continue;
        PostResult& result = answer.result;
        if (answer.played && by_turn && !failure_.empty() && !result.refusal) {
            const Turn turn = result.played.back().turn->played.turn;
            result.refusal = Refusal{
                .status = 503,
                .message = fmt::format(
                    "played as turn {} but not safe yet: {}; post it again with the same key, or as turn {}, "
                    "and the answer will come",
                    turn, failure_, turn),
                .turn = turn,
                .retry_after = 1};
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - answer.since).count();
        {
            const std::lock_guard lock(mutex_);
            stats_.post.add(seconds);
            if (result.refusal) ++stats_.rejected;
            for (const PlayedPost& post : result.played) stats_.replayed += post.replayed ? 1 : 0;
        }
        answer.done(std::move(result));
    }
}

bool Desk::commit(bool with_state) {
    if (broken_) return false;  // what it has gathered since is worth nothing; the store keeps what was safe
    double seconds = 0;
    try {
        const Stopwatch watch(seconds);
        if (with_state || run_->journal().state_due()) {
            run_->save();
        } else {
            run_->journal().commit();
        }
    } catch (const std::exception& error) {
        fail(error.what());
        return false;
    }
    memory_.stored(run_->journal().last());
    failure_.clear();
    feed_followers();
    const std::lock_guard lock(mutex_);
    stats_.commit.add(seconds);
    return true;
}

void Desk::commit_later() {
    if (std::exchange(commit_scheduled_, true)) return;
    workers_.after(options_.commit_seconds, [weak = weak_from_this()] {
        const auto desk = weak.lock();
        if (!desk) return;
        desk->command([self = desk.get()]() -> Workers::Task {
            self->commit_scheduled_ = false;
            if (self->failure_.empty() && self->run_->journal().pending() > 0) self->commit(false);
            return {};
        });
    });
}

void Desk::fail(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        ++stats_.failed_commits;
    }
    failure_ = why;
    if (!parent_.empty()) detach(why);
    workers_.after(options_.retry_seconds, [weak = weak_from_this()] {
        const auto desk = weak.lock();
        if (!desk) return;
        desk->command([self = desk.get()]() -> Workers::Task {
            if (!self->failure_.empty() && !self->broken_) self->commit(false);
            return {};
        });
    });
}

void Desk::break_down(const std::string& why) {
    broken_ = true;
    failure_ = fmt::format("the run broke down: {}; what is stored is safe, start the service again", why);
}

PageState Desk::state() const {
    const Journal& journal = run_->journal();
    PageState state;
    state.turn = journal.played();
    state.saved = journal.saved();
    state.folded = journal.folded();
    state.finished = journal.finished();
    const bool stopped = closed_ || !detachment_.empty();
    state.status = !failure_.empty() ? "failed" : stopped ? "stopped" : paused_ ? "paused" : "running";
    state.message = !failure_.empty() ? failure_ : detachment_;
    if (!failure_.empty() && snapshot_) state.turn = snapshot_->state.turn;  // what is not safe is not shown
    return state;
}

void Desk::publish() {
    auto next = std::make_shared<Snapshot>();
    next->state = state();
    if (failure_.empty()) {
        for (const auto& known : unpublished_) {
            events_->turn(known->played.turn, known->played.figures);
            for (const StoredAlarm& alarm : known->played.alarms) events_->alarm(known->played.turn, alarm);
        }
        if (!unpublished_.empty()) figures_ = unpublished_.back()->played.figures;
        unpublished_.clear();
        if (decision_wanted_ > 0) {
            --decision_wanted_;
            try {
                next->decision = run_->decision();
            } catch (const std::exception& error) {
                break_down(error.what());
                next->state = state();
            }
        }
    }
    next->figures = figures_;
    events_->state(next->state);
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(next);
}

void Desk::save(Done done) {
    command([this, done = std::move(done)]() -> Workers::Task {
        commit(true);
        return [done, why = failure_] { done(why); };
    });
}

void Desk::pause(bool paused, Done done) {
    command([this, paused, done = std::move(done)]() -> Workers::Task {
        paused_ = paused;
        return [done] { done({}); };
    });
}

void Desk::reload(const SettingList& settings, const Durability& durable, Done done) {
    command([this, settings, durable, done = std::move(done)]() -> Workers::Task {
        std::string problem;
        try {
            run_->reload(settings);
            options_.durable = durable;
        } catch (const std::exception& error) {
            problem = error.what();
        }
        return [done, problem] { done(problem); };
    });
}

void Desk::close(Done done) {
    command([this, done = std::move(done)]() -> Workers::Task {
        std::string problem = failure_;
        if (!std::exchange(closed_, true) && !broken_) {
            try {
                run_->close();
                problem.clear();
                failure_.clear();
                feed_followers();
            } catch (const std::exception& error) {
                problem = error.what();
            }
        }
        return [this, done, problem] {
            events_->close();
            done(problem);
        };
    });
}

}  // namespace proxstream
