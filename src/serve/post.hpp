/// What is posted to a learner, and the result.
#pragma once

#include "serve/played_turns.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// A record and its names. A post that is repeated under the same turn or key is not played again.
struct Post {
    std::string record;             // JSON
    std::optional<Turn> turn = {};  // the turn it is meant for
    std::string key = {};
};

/// Why a request was refused, with the status of HTTP; the line protocol uses it too.
struct Refusal {
    int status = 500;
    std::string message;
    std::string field = {};
    std::optional<std::size_t> index = {};  // of the record in a batch
    std::optional<Turn> turn = {};          // that it is about
    int retry_after = 0;                    // seconds; 0: the same request will be refused again
    std::vector<std::string> violations = {};
};

/// 400 for bad data and settings, 503 for what the system refuses, otherwise 500.
Refusal refusal_of(const std::exception& error);

struct PlayedPost {
    KnownTurnPtr turn;
    bool replayed = false;
};

struct PostResult {
    std::vector<PlayedPost> played = {};
    std::optional<Refusal> refusal = {};  // then nothing was played, or nothing is known to be safe
    Turn next = 0;                        // the next turn
    std::string decision = {};            // for the next turn, if it was asked for
};

using PostDone = std::function<void(PostResult)>;

/// Where the answer to a post comes from. Without both, the post is new.
struct ResolvedPost {
    KnownTurnPtr known = nullptr;          // its turn was played before
    std::optional<std::size_t> twin = {};  // the same post stands earlier in the batch

    bool is_new() const { return !known && !twin; }
};

/// Finds out which posts are new. `last` is the last turn played. Returns a refusal for the first post that
/// contradicts another one; `resolved` then ends with that post.
std::optional<Refusal> resolve_posts(const std::vector<Post>& posts, Turn last, PlayedTurns& turns,
                                     std::vector<ResolvedPost>& resolved);

}  // namespace proxstream
