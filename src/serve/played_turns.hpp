/// The turns that a learner has played, for posts that come again. Turns that are not stored yet and the
/// newest others are in memory; older ones are read from the store.
#pragma once

#include "serve/served_run.hpp"
#include "store/run_store.hpp"

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
using KnownTurnPtr = std::shared_ptr<const KnownTurn>;

class PlayedTurns {
  public:
    static constexpr std::size_t kTurns = 1024;
    static constexpr std::size_t kBytes = std::size_t{1} << 18U;  // each learner has as many

    explicit PlayedTurns(std::string store) : store_(std::move(store)) {}

    /// Adds the next turn.
    KnownTurnPtr add(KnownTurn turn);
    /// Turns up to this one are in the store.
    void set_stored(Turn turn);

    // Null if the turn is not kept by itself. Throws IoError or DataError if the store cannot be read.
    KnownTurnPtr find(Turn turn);
    KnownTurnPtr find_key(const std::string& key);

  private:
    static std::size_t size_of(const KnownTurn& turn);
    void forget();
    RunStore& reader();

    std::string store_;
    std::unique_ptr<RunStore> reader_;  // opened when it is needed first
    std::deque<KnownTurnPtr> turns_;    // without gaps
    std::unordered_map<std::string, Turn> keys_;
    std::size_t bytes_ = 0;
    Turn stored_ = 0;
};

}  // namespace proxstream
