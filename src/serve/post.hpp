/// What is posted to a desk and what becomes of it.
#pragma once

#include "serve/served_run.hpp"
#include "serve/turn_memory.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// A record and what its sender calls it, so that it can be sent again without being played again.
struct Post {
    std::string record;             // JSON
    std::optional<Turn> turn = {};  // the turn it is meant for
    std::string key = {};
};

/// Why something was not done, in HTTP's words: the other protocols use them too.
struct Refusal {
    int status = 500;
    std::string message;
    std::string field = {};
    std::optional<std::size_t> index = {};  // in a batch
    std::optional<Turn> turn = {};          // that it is about
    int retry_after = 0;                    // seconds; 0: the same again will not help
};

struct PlayedPost {
    std::shared_ptr<const KnownTurn> turn;
    bool replayed = false;
};

struct PostResult {
    std::vector<PlayedPost> played = {};
    std::optional<Refusal> refusal = {};  // then nothing of it was played, or nothing is known to be safe
    Turn next = 0;                        // the turn to come
    std::string decision = {};            // for it, if it was asked for
};

using PostDone = std::function<void(PostResult)>;

}  // namespace proxstream
