#include "serve/post.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"

#include <map>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Whether the two texts are the same JSON.
bool same_record(const std::string& posted, const std::string& stored) {
    if (posted == stored) return true;
    const auto a = nlohmann::json::parse(posted, nullptr, false);
    const auto b = nlohmann::json::parse(stored, nullptr, false);
    return !a.is_discarded() && a == b;
}

Refusal conflict(std::string message, std::string field, Turn turn) {
    return {.status = 409, .message = std::move(message), .field = std::move(field), .turn = turn};
}

/// Takes the posts of a batch in order.
class PostResolver {
  public:
    PostResolver(const std::vector<Post>& posts, Turn last, PlayedTurns& turns)
        : posts_(posts), last_(last), turns_(turns) {}

    std::optional<Refusal> resolve(std::size_t index, ResolvedPost& found) {
        const Post& post = posts_[index];
        if (auto refusal = find_by_key(post, found)) return refusal;
        if (found.is_new()) {
            if (auto refusal = find_by_turn(post, found)) return refusal;
        }
        if (!found.is_new()) return compare(post, found);
        if (!post.key.empty()) keys_[post.key] = index;
        new_posts_.push_back(index);
        return std::nullopt;
    }

  private:
    Turn next() const { return last_ + 1 + new_posts_.size(); }

    std::optional<Refusal> find_by_key(const Post& post, ResolvedPost& found) {
        if (post.key.empty()) return std::nullopt;
        if (const auto twin = keys_.find(post.key); twin != keys_.end()) {
            found.twin = twin->second;
            return std::nullopt;
        }
        found.known = turns_.find_key(post.key);
        if (!found.known || !post.turn) return std::nullopt;
        const Turn turn = found.known->played.turn;
        if (*post.turn == turn) return std::nullopt;
        return conflict(fmt::format("the key '{}' belongs to turn {}, not to {}", post.key, turn, *post.turn),
                        "key", turn);
    }

    std::optional<Refusal> find_by_turn(const Post& post, ResolvedPost& found) {
        if (!post.turn || *post.turn == next()) return std::nullopt;
        const Turn turn = *post.turn;
        if (turn == 0) return conflict("turns are counted from 1", "turn", next());
        if (turn > next())
            return conflict(fmt::format("turn {} cannot come yet: the next turn is {}", turn, next()), "turn",
                            next());
        if (turn > last_) {
            found.twin = new_posts_[turn - last_ - 1];
            return std::nullopt;
        }
        found.known = turns_.find(turn);
        if (found.known) return std::nullopt;
        return conflict(fmt::format("turn {} is no longer kept by itself; the next turn is {}", turn, next()),
                        "turn", next());
    }

    std::optional<Refusal> compare(const Post& post, const ResolvedPost& found) const {
        if (found.known) {
            if (same_record(post.record, found.known->record)) return std::nullopt;
            const Turn turn = found.known->played.turn;
            const std::string hint = post.turn ? fmt::format("; the next turn is {}", next()) : "";
            return conflict(fmt::format("turn {} was played with another record{}", turn, hint),
                            post.turn ? "turn" : "key", turn);
        }
        const Post& twin = posts_[*found.twin];
        if (same_record(post.record, twin.record)) return std::nullopt;
        if (!post.key.empty() && post.key == twin.key)
            return conflict(fmt::format("two records of this batch have the key '{}'", post.key), "key",
                            next());
        return conflict(fmt::format("two records of this batch are for turn {}", *post.turn), "turn", next());
    }

    const std::vector<Post>& posts_;
    const Turn last_;
    PlayedTurns& turns_;
    std::map<std::string, std::size_t> keys_;  // of new posts
    std::vector<std::size_t> new_posts_;
};

}  // namespace

Refusal refusal_of(const std::exception& error) {
    Refusal refusal{.status = 400, .message = error.what()};
    if (const auto* data = dynamic_cast<const DataError*>(&error)) {
        refusal.field = data->where().field;
    } else if (const auto* settings = dynamic_cast<const ConfigError*>(&error)) {
        refusal.violations = settings->violations();
    } else if (dynamic_cast<const IoError*>(&error) != nullptr) {
        refusal.status = 503;
        refusal.retry_after = 1;
    } else {
        refusal.status = 500;
    }
    return refusal;
}

std::optional<Refusal> resolve_posts(const std::vector<Post>& posts, Turn last, PlayedTurns& turns,
                                     std::vector<ResolvedPost>& resolved) {
    PostResolver resolver(posts, last, turns);
    for (std::size_t i = 0; i < posts.size(); ++i) {
        if (auto refusal = resolver.resolve(i, resolved.emplace_back())) return refusal;
    }
    return std::nullopt;
}

}  // namespace proxstream
