/// Forks that follow: they get every record that is safe with the learner they were forked from. Whatever
/// happens to one of them is its own affair.
#include "proxstream/core/error.hpp"

#include "serve/desk.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::size_t kFedTogether = 64;

}  // namespace

void Desk::fork(const std::string& store, const SettingList& changes, const std::string& events,
                Forked done) {
    command([this, store, changes, events, done = std::move(done)]() -> Workers::Task {
        std::shared_ptr<std::unique_ptr<ServedRun>> made = std::make_shared<std::unique_ptr<ServedRun>>();
        std::optional<Refusal> refusal = not_now(true);
        if (!refusal && !commit(false)) refusal = not_now(true);
        if (!refusal) {
            try {
                *made = run_->fork(store, changes, events);
            } catch (const IoError& error) {
                refusal = Refusal{.status = 503, .message = error.what(), .retry_after = 1};
            } catch (const ConfigError& error) {
                refusal = Refusal{.status = 400, .message = error.what(), .field = "settings"};
            } catch (const DataError& error) {
                refusal = Refusal{.status = 400, .message = error.what(), .field = error.where().field};
            }
        }
        return [done, made, refusal] { done(std::move(*made), refusal); };
    });
}

void Desk::lead(std::shared_ptr<Desk> follower) {
    command([this, follower = std::move(follower)]() -> Workers::Task {
        catch_up(follower);
        const std::lock_guard lock(mutex_);
        followers_.push_back(follower);
        return {};
    });
}

void Desk::catch_up(const std::shared_ptr<Desk>& follower) {
    // What is not in the store yet will be handed on when it is.
    const Turn safe = run_->journal().last();
    const Turn its = follower->snapshot()->state.turn;
    if (safe > its + options_.feed)
        return follower->detach(fmt::format("more than {} records behind", options_.feed));
    std::vector<std::shared_ptr<const KnownTurn>> missed;
    try {
        for (Turn turn = its + 1; turn <= safe; ++turn) {
            auto known = find(turn);
            if (!known)
                return follower->detach(fmt::format("turn {} of '{}' is no longer kept", turn, name_));
            missed.push_back(std::move(known));
        }
    } catch (const std::exception& error) {
        return follower->detach(error.what());
    }
    // Turns played and not yet safe, from before it was here.
    unfed_.clear();
    for (Turn turn = safe + 1; turn <= run_->journal().played(); ++turn)
        if (auto known = memory_.find(turn)) unfed_.push_back(std::move(known));
    follower->feed(missed);
}

void Desk::dismiss(const std::string& follower) {
    const std::lock_guard lock(mutex_);
    std::erase_if(followers_, [&](const auto& desk) { return desk->name() == follower; });
}

std::vector<std::shared_ptr<Desk>> Desk::followers() const {
    const std::lock_guard lock(mutex_);
    return followers_;
}

void Desk::feed_followers() {
    if (unfed_.empty()) return;
    const auto turns = std::exchange(unfed_, {});
    for (const auto& follower : followers()) follower->feed(turns);
}

void Desk::feed(const std::vector<std::shared_ptr<const KnownTurn>>& turns) {
    bool behind = false;
    {
        const std::lock_guard lock(mutex_);
        if (detached_) return;
        behind = waiting_ + turns.size() > options_.feed;
    }
    if (behind) return detach(fmt::format("more than {} records behind", options_.feed));
    // In pieces: others want their turn with the workers too.
    for (std::size_t begin = 0; begin < turns.size(); begin += kFedTogether) {
        Item item;
        item.fed = true;
        for (std::size_t i = begin; i < std::min(begin + kFedTogether, turns.size()); ++i)
            item.posts.push_back({turns[i]->record, turns[i]->played.turn, turns[i]->key});
        put(std::move(item));
    }
}

void Desk::detach(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(detached_, true)) return;
    }
    command([this, why]() -> Workers::Task {
        detachment_ = fmt::format("no longer follows '{}': {}", parent_, why);
        return {};
    });
}

}  // namespace proxstream
