/// The turns a desk has played lately, for whoever posts the same again: those not yet in the store, and as
/// many others as fit. Older ones are in the store.
#pragma once

#include "serve/served_run.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

namespace proxstream {

struct KnownTurn {
    PlayedTurn played;
    std::string record;
    std::string key;
};

class TurnMemory {
  public:
    static constexpr std::size_t kTurns = 1024;
    static constexpr std::size_t kBytes = std::size_t{1} << 18U;  // a hundred learners have one each

    /// Turns come one after the other.
    std::shared_ptr<const KnownTurn> add(KnownTurn turn);
    /// Turns up to this one are in the store: they may be forgotten.
    void stored(Turn turn);

    std::shared_ptr<const KnownTurn> find(Turn turn) const;
    std::shared_ptr<const KnownTurn> find_key(const std::string& key) const;
    std::size_t turns() const noexcept { return turns_.size(); }

  private:
    static std::size_t size_of(const KnownTurn& turn);
    void forget();

    std::deque<std::shared_ptr<const KnownTurn>> turns_;
    std::unordered_map<std::string, Turn> keys_;
    std::size_t bytes_ = 0;
    Turn stored_ = 0;
};

}  // namespace proxstream
