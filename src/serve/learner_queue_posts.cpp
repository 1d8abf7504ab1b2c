/// Posts: playing the new ones, and answering the others again.
#include "proxstream/core/error.hpp"

#include "serve/learner_queue.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// The refusal of one post; in a batch it says which.
Refusal at_post(Refusal refusal, std::size_t index, std::size_t posts) {
    if (posts < 2) return refusal;
    refusal.index = index;
    refusal.message = fmt::format("record {} of the batch: {}", index, refusal.message);
    return refusal;
}

}  // namespace

void LearnerQueue::post(std::vector<Post> posts, bool decide, PostDone done, std::function<bool()> wanted) {
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
    const std::size_t records = posts.size();
    put(records,
        [this, posts = std::move(posts), decide, done = std::move(done), wanted = std::move(wanted),
         since = Clock::now()]() -> Workers::Task {
            if (wanted && !wanted()) return {};
            return [this, result = take(posts, decide, false), done, since]() mutable {
                answer(std::move(result), since, done);
            };
        });
}

void LearnerQueue::answer(PostResult result, Clock::time_point since, const PostDone& done) {
    // A turn that waits for its commit is not safe when its post is repeated either.
    Turn turn = 0;
    for (const PlayedPost& post : result.played) turn = std::max(turn, post.turn->played.turn);
    if (turn > run_->journal().last() && options_.durable.turns <= 1 && !result.refusal) {
        result.refusal =
            Refusal{.status = 503,
                    .message = fmt::format(
                        "played as turn {} but not safe yet: {}; post it again with the same key, or "
                        "as turn {}, and the answer will come",
                        turn, failure_, turn),
                    .turn = turn,
                    .retry_after = 1};
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - since).count();
    {
        const std::lock_guard lock(mutex_);
        stats_.post.add(seconds);
        if (result.refusal) ++stats_.rejected;
        for (const PlayedPost& post : result.played) stats_.replayed += post.replayed ? 1 : 0;
    }
    done(std::move(result));
}

std::optional<Refusal> LearnerQueue::not_now(bool fed) const {
    if (closed_) return Refusal{.status = 503, .message = "the service is ending", .retry_after = 5};
    if (!failure_.empty())
        return Refusal{.status = 503,
                       .message = fmt::format("no records are taken at the moment: {}", failure_),
                       .retry_after = broken_ ? 0 : 1};
    if (paused_ && !fed)
        return Refusal{.status = 503, .message = fmt::format("'{}' is paused", name_), .retry_after = 5};
    return std::nullopt;
}

PostResult LearnerQueue::take(const std::vector<Post>& posts, bool decide, bool fed) {
    PostResult result;
    std::vector<ResolvedPost> resolved;
    try {
        result.refusal = check(posts, fed, resolved);
    } catch (const std::exception& error) {  // an older turn could not be read
        result.refusal = Refusal{.status = 503, .message = error.what(), .retry_after = 1};
    }
    try {
        if (!result.refusal) play(posts, resolved, result);
        result.next = run_->journal().played() + 1;
        if (decide && !result.refusal) result.decision = run_->decision();
    } catch (const std::exception& error) {
        // The state of the run is unknown now. The store is safe; the run is not used any more.
        break_down(error.what());
        result.refusal = Refusal{.status = 500, .message = failure_};
    }
    if (fed && result.refusal) detach(result.refusal->message);
    return result;
}

std::optional<Refusal> LearnerQueue::check(const std::vector<Post>& posts, bool fed,
                                           std::vector<ResolvedPost>& resolved) {
    if (auto refusal = resolve_posts(posts, run_->journal().played(), played_, resolved))
        return at_post(std::move(*refusal), resolved.size() - 1, posts.size());
    for (std::size_t i = 0; i < posts.size(); ++i) {
        if (!resolved[i].is_new()) continue;
        if (auto refusal = not_now(fed)) return refusal;
        try {
            run_->check(posts[i].record);
        } catch (const DataError& error) {
            return at_post(refusal_of(error), i, posts.size());
        }
    }
    return std::nullopt;
}

void LearnerQueue::play(const std::vector<Post>& posts, std::vector<ResolvedPost>& resolved,
                        PostResult& result) {
    for (std::size_t i = 0; i < posts.size(); ++i) {
        if (resolved[i].twin) {
            result.played.push_back({result.played[*resolved[i].twin].turn, true});
        } else if (resolved[i].known) {
            result.played.push_back({std::move(resolved[i].known), true});
        } else {
            result.played.push_back({play(posts[i]), false});
        }
    }
}

KnownTurnPtr LearnerQueue::play(const Post& post) {
    KnownTurnPtr known = played_.add({run_->play(post.record, post.key), post.record, post.key});
    unpublished_.push_back(known);
    const std::lock_guard lock(mutex_);
    stats_.add_turn(known->played.status == "refused", identity_.channels, known->played.figures);
    if (!followers_.empty()) unfed_.push_back(known);
    return known;
}

}  // namespace proxstream
