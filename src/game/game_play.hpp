/// The rounds of a game: everybody plays, everybody sees what the others played, everybody learns. A player
/// is an online learner whose losses are made of the rivals' plays; what is proved of the learner is proved
/// of the player.
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
    simultaneous,  // the paper's: all players see the same joint play x_t
    alternating,   // a player sees what those before it have moved to already in this round
};

/// Throws ConfigError that names what is allowed.
Turns parse_turns(std::string_view text);
std::string_view name(Turns turns);

/// A round as it ended. Views: they live until the next one.
struct GameRound {
    std::optional<Index> refused_by;       // whose cost was not finite: the round did not happen for anybody
    std::span<const RoundReport> reports;  // of the players, in their order
    ConstView joint;                       // what was played: x_t
};

class GamePlay {
  public:
    /// One learner a player, made by player_parts(). Throws ConfigError if the game cannot be played.
    GamePlay(GameDefinition game, std::vector<std::unique_ptr<AnyLearner>> learners, Turns turns);

    /// Plays a round. If a player's cost is not finite the round is taken back for all: every bit is as it
    /// was.
    GameRound play();
    /// The round played last, which was not refused, did not happen: every bit is as it was. Once a round.
    void roll_back();

    const GameDefinition& game() const noexcept { return game_; }
    const JointLayout& layout() const noexcept { return layout_; }
    Turns turns() const noexcept { return turns_; }
    Index players() const noexcept { return learners_.size(); }
    const AnyLearner& learner(Index player) const { return *learners_[player]; }
    AnyLearner& learner(Index player) { return *learners_[player]; }
    /// What player i has learned from in the last round.
    const RowBlock& record(Index player) const { return records_[player]; }
    /// Where everybody stands now: x_{t+1}.
    void positions(View joint) const;

    /// Everything the rounds to come depend on (core/checkpoint.hpp).
    void exchange(Checkpoint& checkpoint);

  private:
    bool enter(Index player, ConstView joint);
    bool advance(Index player);
    /// The first player that could not go through with it; nullopt: all did.
    std::optional<Index> play_at_once();
    std::optional<Index> play_in_turns();
    void take_back(Index refused_by);

    GameDefinition game_;
    JointLayout layout_;
    std::vector<std::unique_ptr<AnyLearner>> learners_;
    Turns turns_;
    std::vector<Real> joint_;  // x_t
    std::vector<Real> seen_;   // in turns: what the next player sees
    std::vector<RowBlock> records_;
    std::vector<Real> condensed_;
    std::vector<RoundReport> reports_;
    std::vector<char> entered_;  // and not taken back
    Scratch scratch_;
};

/// What a learner for this player is made from: g, store and start are the player's, everything else is for
/// the caller to fill in.
LearnerParts player_parts(const GamePlayer& player);

}  // namespace proxstream
