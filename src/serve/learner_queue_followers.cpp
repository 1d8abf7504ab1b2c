/// Forks follow their parent: they get every record that is safe there. The failure of a fork does not affect
/// its parent.
#include "proxstream/core/error.hpp"

#include "serve/learner_queue.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::size_t kFedTogether = 64;

}  // namespace

void LearnerQueue::fork(const std::string& store, const SettingList& changes, const std::string& events,
                        Forked done) {
    put(0, [this, store, changes, events, done = std::move(done)]() -> Workers::Task {
        const auto made = std::make_shared<std::unique_ptr<ServedRun>>();
        std::optional<Refusal> refusal = not_now(true);
        if (!refusal && !commit(false)) refusal = not_now(true);
        try {
            if (!refusal) *made = run_->fork(store, changes, events);
        } catch (const ConfigError& error) {
            refusal = refusal_of(error);
            refusal->field = "settings";
        } catch (const Error& error) {
            refusal = refusal_of(error);
        }
        return [done, made, refusal] { done(std::move(*made), refusal); };
    });
}

void LearnerQueue::add_follower(std::shared_ptr<LearnerQueue> follower) {
    put(0, [this, follower = std::move(follower)]() -> Workers::Task {
        catch_up(*follower);
        const std::lock_guard lock(mutex_);
        followers_.push_back(follower);
        return {};
    });
}

void LearnerQueue::catch_up(LearnerQueue& follower) {
    const Turn safe = run_->journal().last();
    const Turn its = follower.snapshot()->state.turn;
    if (safe > its + options_.feed)
        return follower.detach(fmt::format("more than {} records behind", options_.feed));
    std::vector<KnownTurnPtr> missed;
    try {
        for (Turn turn = its + 1; turn <= safe; ++turn) {
            missed.push_back(played_.find(turn));
            if (!missed.back())
                return follower.detach(fmt::format("turn {} of '{}' is no longer kept", turn, name_));
        }
        // Turns that are not safe yet are passed on when they are.
        unfed_.clear();
        for (Turn turn = safe + 1; turn <= run_->journal().played(); ++turn)
            if (auto known = played_.find(turn)) unfed_.push_back(std::move(known));
    } catch (const std::exception& error) {
        return follower.detach(error.what());
    }
    follower.feed(missed);
}

void LearnerQueue::remove_follower(const std::string& follower) {
    const std::lock_guard lock(mutex_);
    std::erase_if(followers_, [&](const auto& queue) { return queue->name() == follower; });
}

std::vector<std::shared_ptr<LearnerQueue>> LearnerQueue::followers() const {
    const std::lock_guard lock(mutex_);
    return followers_;
}

void LearnerQueue::feed_followers() {
    if (unfed_.empty()) return;
    const auto turns = std::exchange(unfed_, {});
    for (const auto& follower : followers()) follower->feed(turns);
}

void LearnerQueue::feed(const std::vector<KnownTurnPtr>& turns) {
    bool behind = false;
    {
        const std::lock_guard lock(mutex_);
        if (detached_) return;
        behind = waiting_ + turns.size() > options_.feed;
    }
    if (behind) return detach(fmt::format("more than {} records behind", options_.feed));
    // In pieces, so that other learners get the workers in between.
    for (std::size_t begin = 0; begin < turns.size(); begin += kFedTogether) {
        std::vector<Post> posts;
        for (std::size_t i = begin; i < std::min(begin + kFedTogether, turns.size()); ++i)
            posts.push_back({turns[i]->record, turns[i]->played.turn, turns[i]->key});
        const std::size_t records = posts.size();
        put(records, [this, posts = std::move(posts)]() -> Workers::Task {
            take(posts, false, true);
            return {};
        });
    }
}

void LearnerQueue::detach(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(detached_, true)) return;
    }
    put(0, [this, why]() -> Workers::Task {
        detachment_ = fmt::format("no longer follows '{}': {}", parent_, why);
        return {};
    });
}

}  // namespace proxstream
