#include "serve/turn_memory.hpp"

namespace proxstream {

std::size_t TurnMemory::size_of(const KnownTurn& turn) {
    return turn.record.size() + turn.played.answer.size() + 2 * turn.key.size() + sizeof(KnownTurn) +
           turn.played.figures.size() * sizeof(Real);
}

std::shared_ptr<const KnownTurn> TurnMemory::add(KnownTurn turn) {
    auto known = std::make_shared<const KnownTurn>(std::move(turn));
    if (!known->key.empty()) keys_[known->key] = known->played.turn;
    bytes_ += size_of(*known);
    turns_.push_back(known);
    forget();
    return known;
}

void TurnMemory::stored(Turn turn) {
    stored_ = turn;
    forget();
}

void TurnMemory::forget() {
    while (!turns_.empty() && turns_.front()->played.turn <= stored_ &&
           (turns_.size() > kTurns || bytes_ > kBytes)) {
        const KnownTurn& oldest = *turns_.front();
        bytes_ -= size_of(oldest);
        if (const auto key = keys_.find(oldest.key); key != keys_.end() && key->second == oldest.played.turn)
            keys_.erase(key);
        turns_.pop_front();
    }
}

std::shared_ptr<const KnownTurn> TurnMemory::find(Turn turn) const {
    if (turns_.empty()) return nullptr;
    const Turn first = turns_.front()->played.turn;
    if (turn < first || turn - first >= turns_.size()) return nullptr;
    return turns_[turn - first];
}

std::shared_ptr<const KnownTurn> TurnMemory::find_key(const std::string& key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? nullptr : find(found->second);
}

}  // namespace proxstream
