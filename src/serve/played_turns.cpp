#include "serve/played_turns.hpp"

#include "core/json.hpp"

namespace proxstream {
namespace {

KnownTurn known_turn(StoredTurn stored) {
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

}  // namespace

std::size_t PlayedTurns::size_of(const KnownTurn& turn) {
    return turn.record.size() + turn.played.answer.size() + 2 * turn.key.size() + sizeof(KnownTurn) +
           turn.played.figures.size() * sizeof(Real);
}

KnownTurnPtr PlayedTurns::add(KnownTurn turn) {
    auto known = std::make_shared<const KnownTurn>(std::move(turn));
    if (!known->key.empty()) keys_[known->key] = known->played.turn;
    bytes_ += size_of(*known);
    turns_.push_back(known);
    forget();
    return known;
}

void PlayedTurns::set_stored(Turn turn) {
    stored_ = turn;
    forget();
}

void PlayedTurns::forget() {
    while (!turns_.empty() && turns_.front()->played.turn <= stored_ &&
           (turns_.size() > kTurns || bytes_ > kBytes)) {
        const KnownTurn& oldest = *turns_.front();
        bytes_ -= size_of(oldest);
        if (const auto key = keys_.find(oldest.key); key != keys_.end() && key->second == oldest.played.turn)
            keys_.erase(key);
        turns_.pop_front();
    }
}

RunStore& PlayedTurns::reader() {
    if (!reader_) reader_ = std::make_unique<RunStore>(store_);
    return *reader_;
}

KnownTurnPtr PlayedTurns::find(Turn turn) {
    const Turn first = turns_.empty() ? turn + 1 : turns_.front()->played.turn;
    if (turn >= first && turn - first < turns_.size()) return turns_[turn - first];
    auto stored = reader().turn(turn);
    return stored ? std::make_shared<const KnownTurn>(known_turn(std::move(*stored))) : nullptr;
}

KnownTurnPtr PlayedTurns::find_key(const std::string& key) {
    if (const auto found = keys_.find(key); found != keys_.end()) return find(found->second);
    const auto turn = reader().find_key(key);
    return turn ? find(*turn) : nullptr;
}

}  // namespace proxstream
