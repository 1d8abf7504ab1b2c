/// The rounds of a game: all players play, observe the rivals' plays and learn. A player is an online learner
/// whose losses follow from the rivals' plays, so guarantees of the learner hold for the player.
#pragma once

#include "game/game.hpp"
#include "online/learner_table.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace proxstream {

enum class Turns {
    simultaneous,  // as in the paper: all players observe the same joint play x_t
    alternating,   // a player observes the moves of earlier players in the same round
};

/// Throws ConfigError that names what is allowed.
Turns parse_turns(std::string_view text);
std::string_view name(Turns turns);

/// The outcome of a round. Its views are valid until the next round.
struct GameRound {
    std::optional<Index> refused_by;       // player whose cost was not finite: the round was rolled back
    std::span<const RoundReport> reports;  // of the players, in their order
    ConstView joint;                       // what was played: x_t
};

class GamePlay {
  public:
    /// One learner a player, made by player_parts(). Throws ConfigError if the game cannot be played.
    GamePlay(GameDefinition game, std::vector<std::unique_ptr<AnyLearner>> learners, Turns turns);

    /// Plays a round. If a player's cost is not finite, the round is rolled back for all players, bit for
    /// bit.
    GameRound play();
    /// Rolls back the last round, which was not refused, bit for bit. At most once a round.
    void rollback();

    const GameDefinition& game() const noexcept { return game_; }
    const JointLayout& layout() const noexcept { return layout_; }
    Turns turns() const noexcept { return turns_; }
    Index players() const noexcept { return learners_.size(); }
    const AnyLearner& learner(Index player) const { return *learners_[player]; }
    AnyLearner& learner(Index player) { return *learners_[player]; }
    /// The record that player i has learned from in the last round.
    const RowBlock& record(Index player) const { return records_[player]; }
    /// The joint play of the next round: x_{t+1}.
    void positions(View joint) const;

    /// Everything that later rounds depend on.
    void serialise(StateArchive& archive);

  private:
    bool enter(Index player, ConstView joint);
    bool advance(Index player);
    /// Plays simultaneously. Returns the first player that refused; nullopt: none did.
    std::optional<Index> play_at_once();
    std::optional<Index> play_in_turns();
    void refuse_round(Index refused_by);

    GameDefinition game_;
    JointLayout layout_;
    std::vector<std::unique_ptr<AnyLearner>> learners_;
    Turns turns_;
    std::vector<Real> joint_;  // x_t
    std::vector<Real> seen_;   // alternating play: what the next player sees
    std::vector<RowBlock> records_;
    std::vector<Real> condensed_;
    std::vector<RoundReport> reports_;
    std::vector<char> entered_;  // by player: the round entered and was not rolled back
    Scratch scratch_;
};

/// The configuration of a learner for this player: its g, store and start. The caller adds the rest.
LearnerConfig player_parts(const GamePlayer& player);

}  // namespace proxstream
