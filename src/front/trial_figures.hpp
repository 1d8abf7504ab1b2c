/// Figures of a game that nobody proved, found by trying: they set steps and windows, and what follows from
/// them says where they come from.
#pragma once

#include "game/game_play.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace proxstream {

/// The steepest change of the player's gradient between nearby plays of its set, the others standing at their
/// start. A lower bound on L; 0 where the gradient did not change.
Real trial_smoothness(const GameDefinition& game, Index player, std::uint64_t seed);

inline constexpr Round kTrialRounds = 200;
inline constexpr Real kTrialMargin = 1.25;

/// The largest d_t of each player in kTrialRounds rounds of the learners that `make` makes.
std::vector<Real> trial_variations(const GameDefinition& game,
                                   const std::function<std::vector<std::unique_ptr<AnyLearner>>()>& make,
                                   Turns turns);

}  // namespace proxstream
