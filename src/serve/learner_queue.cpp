#include "serve/learner_queue.hpp"

#include "proxstream/core/error.hpp"

#include "core/stopwatch.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// After a read of the decision, this many groups keep the decision in their snapshot.
constexpr unsigned kDecisionGroups = 64;

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::shared_ptr<LearnerQueue> LearnerQueue::open(std::string name, std::unique_ptr<ServedRun> run,
                                                 Workers& workers, const LearnerQueueOptions& options,
                                                 std::string parent) {
    std::shared_ptr<LearnerQueue> queue(
        new LearnerQueue(std::move(name), std::move(run), workers, options, std::move(parent)));
    queue->connect_events();
    return queue;
}

LearnerQueue::LearnerQueue(std::string name, std::unique_ptr<ServedRun> run, Workers& workers,
                           const LearnerQueueOptions& options, std::string parent)
    : name_(std::move(name)),
      parent_(std::move(parent)),
      workers_(workers),
      options_(options),
      run_(std::move(run)),
      identity_(run_->journal().identity()),
      record_schema_(run_->record_schema()),
      store_(run_->journal().path()),
      played_(store_),
      intake_(workers),
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
    stats_.set_regret(identity_.channels, figures_);
    publish();
}

LearnerQueue::~LearnerQueue() {
    events_->close();
}

void LearnerQueue::connect_events() {
    events_->connect([weak = weak_from_this(), hub = std::weak_ptr(events_)](bool series, bool picture) {
        const auto queue = weak.lock();
        if (!queue) return;
        queue->read([=](ServedRun& run) -> Workers::Task {
            const auto events = hub.lock();
            if (events && picture) events->picture(run.picture());
            if (!events || !series) return {};
            const Turn turn = run.journal().played();
            return [events, turn, json = series_json(run.journal().series(), turn)] {
                events->series(json, turn);
            };
        });
    });
}

std::shared_ptr<const LearnerQueue::Snapshot> LearnerQueue::snapshot() const {
    const std::lock_guard lock(mutex_);
    return snapshot_;
}

LearnerQueueStats LearnerQueue::stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
}

std::size_t LearnerQueue::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

void LearnerQueue::put(std::size_t records, Work work) {
    const std::lock_guard lock(mutex_);
    waiting_ += records;
    queue_.push_back({records, std::move(work)});
    if (std::exchange(scheduled_, true)) return;
    workers_.post([self = shared_from_this()] { self->work(); });
}

void LearnerQueue::put_later(double seconds, void (LearnerQueue::*action)()) {
    workers_.after(seconds, [weak = weak_from_this(), action] {
        const auto queue = weak.lock();
        if (!queue) return;
        queue->put(0, [self = queue.get(), action]() -> Workers::Task {
            (self->*action)();
            return {};
        });
    });
}

void LearnerQueue::work() {
    const auto begin = Clock::now();
    std::vector<Workers::Task> answers;
    do {
        Item item;
        {
            const std::lock_guard lock(mutex_);
            if (queue_.empty()) break;
            item = std::move(queue_.front());
            queue_.pop_front();
            waiting_ -= item.records;
        }
        try {
            answers.push_back(item.work());
        } catch (const std::exception& error) {
            break_down(error.what());
        }
    } while (seconds_since(begin) < options_.group_seconds);
    finish_group(answers);
    const std::lock_guard lock(mutex_);
    scheduled_ = !queue_.empty();
    if (scheduled_) workers_.post([self = shared_from_this()] { self->work(); });
}

void LearnerQueue::finish_group(const std::vector<Workers::Task>& answers) {
    const std::uint64_t pending = run_->journal().pending();
    if (failure_.empty() && pending >= std::max<std::uint64_t>(options_.durable.turns, 1)) {
        commit(false);
    } else if (failure_.empty() && pending > 0 && !std::exchange(commit_scheduled_, true)) {
        put_later(options_.commit_seconds, &LearnerQueue::commit_pending);
    }
    publish();
    for (const Workers::Task& answer : answers)
        if (answer) answer();
}

void LearnerQueue::read(Read read) {
    put(0, [this, read = std::move(read)] { return read(*run_); });
}

void LearnerQueue::look_up(LookUp look_up) {
    archive_strand_.post([archive = archive_, path = store_, look_up = std::move(look_up)] {
        try {
            if (!*archive) *archive = std::make_unique<RunStore>(path);
        } catch (const std::exception& error) {
            return look_up(nullptr, error.what());
        }
        look_up(archive->get(), {});
    });
}

void LearnerQueue::decision(const std::function<void(Turn turn, const std::string& decision)>& done) {
    if (const auto now = snapshot(); now->decision) return done(now->state.turn + 1, *now->decision);
    read([this, done](ServedRun& run) -> Workers::Task {
        decision_wanted_ = kDecisionGroups;
        return [done, turn = run.journal().played() + 1, decision = run.decision()] { done(turn, decision); };
    });
}

bool LearnerQueue::commit(bool with_state) {
    if (broken_) return false;  // the store keeps the turns that were safe before
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
    played_.set_stored(run_->journal().last());
    failure_.clear();
    feed_followers();
    const std::lock_guard lock(mutex_);
    stats_.commit.add(seconds);
    return true;
}

void LearnerQueue::commit_pending() {
    commit_scheduled_ = false;
    if (failure_.empty() && run_->journal().pending() > 0) commit(false);
}

void LearnerQueue::retry_commit() {
    if (!failure_.empty()) commit(false);
}

void LearnerQueue::fail(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        ++stats_.failed_commits;
    }
    failure_ = why;
    if (!parent_.empty()) detach(why);
    put_later(options_.retry_seconds, &LearnerQueue::retry_commit);
}

void LearnerQueue::break_down(const std::string& why) {
    broken_ = true;
    failure_ = fmt::format("the run broke down: {}; what is stored is safe, start the service again", why);
}

PageState LearnerQueue::state() const {
    const Journal& journal = run_->journal();
    PageState state;
    state.turn = journal.played();
    state.saved = journal.saved();
    state.folded = journal.folded();
    state.finished = journal.finished();
    const bool stopped = closed_ || !detachment_.empty();
    state.status = !failure_.empty() ? "failed" : stopped ? "stopped" : paused_ ? "paused" : "running";
    state.message = !failure_.empty() ? failure_ : detachment_;
    if (!failure_.empty() && snapshot_) state.turn = snapshot_->state.turn;  // later turns are not safe
    return state;
}

void LearnerQueue::publish() {
    auto next = std::make_shared<Snapshot>();
    if (failure_.empty()) {
        for (const KnownTurnPtr& known : unpublished_) {
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
            }
        }
    }
    next->state = state();
    next->figures = figures_;
    events_->state(next->state);
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(next);
}

void LearnerQueue::save(Done done) {
    put(0, [this, done = std::move(done)]() -> Workers::Task {
        commit(true);
        return [done, why = failure_] { done(why); };
    });
}

void LearnerQueue::pause(bool paused, Done done) {
    put(0, [this, paused, done = std::move(done)]() -> Workers::Task {
        paused_ = paused;
        return [done] { done({}); };
    });
}

void LearnerQueue::reload(const SettingList& settings, const Durability& durable, Done done) {
    put(0, [this, settings, durable, done = std::move(done)]() -> Workers::Task {
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

void LearnerQueue::close(Done done) {
    put(0, [this, done = std::move(done)]() -> Workers::Task {
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
