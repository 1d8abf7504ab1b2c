/// From settings to players: reference steps, windows, tolerances, bounds on variations, learners. Everything
/// is decided here, before the first round, and can be shown.
#pragma once

#include "proxstream/regret/game_certificate.hpp"

#include "game/equilibrium_window.hpp"
#include "game/game_play.hpp"
#include "play/play_settings.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// How one player plays.
struct SeatPlan {
    std::string learner;  // as make_learner reads it
    std::string window;   // of its learner and of the referee
    std::string tolerance;
    Real step = 1;  // eta
    std::string step_origin;
    Real smoothness = 1;                      // L that steps rest on
    std::optional<VariationBound> variation;  // D
};

struct PlayPlan {
    Turns turns = Turns::simultaneous;
    bool sampled = false;  // some cost is a mean over samples
    std::vector<SeatPlan> seats;
    std::optional<EquilibriumWindow> advice;  // where an epsilon was asked for and every D is known
};

/// Throws ConfigError with what cannot be.
PlayPlan plan_play(const PlaySettings& settings, const Game& game);

/// Throws ConfigError naming the player whose learner cannot be made.
std::vector<std::unique_ptr<AnyLearner>> make_players(const PlaySettings& settings, const Game& game,
                                                      const PlayPlan& plan);

}  // namespace proxstream
