/// Posts: which of them are new, playing those, and answering the others again.
#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "serve/desk.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// The same record, however it was written down.
bool same_record(const std::string& posted, const std::string& stored) {
    if (posted == stored) return true;
    const auto a = nlohmann::json::parse(posted, nullptr, false);
    const auto b = nlohmann::json::parse(stored, nullptr, false);
    return !a.is_discarded() && a == b;
}

KnownTurn from_store(StoredTurn stored) {
    KnownTurn known{.played = {.turn = stored.turn,
                               .status = {},
                               .answer = std::move(stored.decision),
                               .figures = std::move(stored.figures),
                               .alarms = {}},
                    .record = std::move(stored.input),
                    .key = std::move(stored.key)};
    const auto answer = nlohmann::json::parse(known.played.answer, nullptr, false);
    if (answer.is_object() && answer.contains("status") && answer["status"].is_string()) {
        known.played.status = answer["status"];
    } else if (answer.is_object() && answer.contains("waiting")) {
        known.played.status = "waiting";
    }
    return known;
}

Refusal conflict(std::string message, std::string field, Turn turn) {
    return {.status = 409, .message = std::move(message), .field = std::move(field), .turn = turn};
}

}  // namespace

std::shared_ptr<const KnownTurn> Desk::find(Turn turn) {
    if (auto known = memory_.find(turn)) return known;
    if (!reader_) reader_ = std::make_unique<RunStore>(store_);
    auto stored = reader_->turn(turn);
    return stored ? std::make_shared<const KnownTurn>(from_store(std::move(*stored))) : nullptr;
}

std::shared_ptr<const KnownTurn> Desk::find_key(const std::string& key) {
    if (auto known = memory_.find_key(key)) return known;
    if (!reader_) reader_ = std::make_unique<RunStore>(store_);
    const auto turn = reader_->find_key(key);
    return turn ? find(*turn) : nullptr;
}

std::optional<Refusal> Desk::resolve(const std::vector<Post>& posts, std::vector<Resolved>& resolved) {
    const Turn last = run_->journal().played();
    Turn next = last + 1;
    std::map<std::string, std::size_t> keys;  // new ones of this batch
    std::vector<std::size_t> to_play;
    for (std::size_t i = 0; i < posts.size(); ++i) {
        const Post& post = posts[i];
        Resolved& found = resolved.emplace_back();
        std::optional<Turn> meant = post.turn;
        if (!post.key.empty()) {
            if (const auto twin = keys.find(post.key); twin != keys.end()) {
                if (!same_record(post.record, posts[twin->second].record))
                    return conflict(fmt::format("two records of this batch have the key '{}'", post.key),
                                    "key", next);
                found.twin = twin->second;
                continue;
            }
            found.known = find_key(post.key);
            if (found.known && meant && *meant != found.known->played.turn)
                return conflict(fmt::format("the key '{}' belongs to turn {}, not to {}", post.key,
                                            found.known->played.turn, *meant),
                                "key", found.known->played.turn);
        }
        if (!found.known && meant && *meant <= last) {
            if (*meant == 0) return conflict("turns are counted from 1", "turn", next);
            found.known = find(*meant);
            if (!found.known)
                return conflict(
                    fmt::format("turn {} is no longer kept by itself; the next turn is {}", *meant, next),
                    "turn", next);
        }
        if (found.known) {
            if (!same_record(post.record, found.known->record)) {
                const Turn turn = found.known->played.turn;
                return conflict(fmt::format("turn {} was played with another record{}", turn,
                                            meant ? fmt::format("; the next turn is {}", next) : ""),
                                meant ? "turn" : "key", turn);
            }
            continue;
        }
        if (meant && *meant < next) {  // of a new one earlier in this batch
            const std::size_t twin = to_play[*meant - last - 1];
            if (!same_record(post.record, posts[twin].record))
                return conflict(fmt::format("two records of this batch are for turn {}", *meant), "turn",
                                next);
            found.twin = twin;
            continue;
        }
        if (meant && *meant > next)
            return conflict(fmt::format("turn {} cannot come yet: the next turn is {}", *meant, next), "turn",
                            next);
        if (!post.key.empty()) keys[post.key] = i;
        to_play.push_back(i);
        ++next;
    }
    return std::nullopt;
}

std::optional<Refusal> Desk::not_now(bool fed) const {
    if (closed_) return Refusal{.status = 503, .message = "the service is ending", .retry_after = 5};
    if (!failure_.empty())
        return Refusal{.status = 503,
                       .message = fmt::format("no records are taken at the moment: {}", failure_),
                       .retry_after = broken_ ? 0 : 1};
    if (paused_ && !fed)
        return Refusal{.status = 503, .message = fmt::format("'{}' is paused", name_), .retry_after = 5};
    return std::nullopt;
}

PostResult Desk::take(Item& item, bool& played) {
    PostResult result;
    std::vector<Resolved> resolved;
    const bool batch = item.posts.size() > 1;
    const auto refuse = [&](Refusal refusal, std::size_t index) {
        if (batch) {
            refusal.index = index;
            refusal.message = fmt::format("record {} of the batch: {}", index, refusal.message);
        }
        result.refusal = std::move(refusal);
    };
    try {
        if (auto refusal = resolve(item.posts, resolved)) {
            refuse(std::move(*refusal), resolved.size() - 1);
        } else {
            for (std::size_t i = 0; i < item.posts.size() && !result.refusal; ++i) {
                if (resolved[i].known || resolved[i].twin) continue;
                if (auto later = not_now(item.fed)) {
                    result.refusal = std::move(later);
                    break;
                }
                try {
                    run_->check(item.posts[i].record);
                } catch (const DataError& error) {
                    refuse({.status = 400, .message = error.what(), .field = error.where().field}, i);
                }
            }
        }
        for (std::size_t i = 0; i < item.posts.size() && !result.refusal; ++i) {
            if (resolved[i].twin) {
                result.played.push_back({result.played[*resolved[i].twin].turn, true});
            } else if (resolved[i].known) {
                result.played.push_back({std::move(resolved[i].known), true});
            } else {
                played = true;
                result.played.push_back({play(item.posts[i]), false});
            }
        }
        result.next = run_->journal().played() + 1;
        if (item.decide && !result.refusal) result.decision = run_->decision();
    } catch (const std::exception& error) {
        if (!played) {  // an older turn could not be read
            result.refusal = Refusal{.status = 503, .message = error.what(), .retry_after = 1};
        } else {
            // Nobody knows what state the run is in: what is in the store is safe, the rest is not used.
            break_down(error.what());
            result.refusal = Refusal{.status = 500, .message = failure_};
        }
    }
    if (item.fed && result.refusal) detach(result.refusal->message);
    return result;
}

std::shared_ptr<const KnownTurn> Desk::play(const Post& post) {
    auto known = memory_.add({run_->play(post.record, post.key), post.record, post.key});
    count(known->played);
    unpublished_.push_back(known);
    {
        const std::lock_guard lock(mutex_);
        if (followers_.empty()) return known;
    }
    unfed_.push_back(known);
    return known;
}

Real Desk::figure(std::string_view channel, const std::vector<Real>& figures) const {
    const auto& names = identity_.channels;
    const auto found = std::find(names.begin(), names.end(), channel);
    const auto place = static_cast<std::size_t>(found - names.begin());
    return place < figures.size() && std::isfinite(figures[place]) ? figures[place] : 0;
}

void Desk::count(const PlayedTurn& played) {
    const std::lock_guard lock(mutex_);
    ++stats_.rounds;
    if (played.status == "refused") ++stats_.refused;
    stats_.steps += figure("steps", played.figures);
    stats_.gradients += figure("gradients", played.figures);
    stats_.seconds += figure("seconds", played.figures);
    stats_.regret = figure("regret", played.figures);
    stats_.regret_bound = figure("regret_bound", played.figures);
}

}  // namespace proxstream
