/// The plan of a game, made before the first round: reference steps, windows, tolerances, bounds on
/// variations and learners.
#pragma once

#include "proxstream/regret/game_certificate.hpp"

#include "front/learner_settings.hpp"
#include "game/equilibrium_window.hpp"
#include "game/game_play.hpp"
#include "window/window_weights.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// How a game is played; the texts are those of the options of `play`.
struct SeatSettings : LearnerSettings, SeedSettings, OracleSettings {
    SeatSettings() {
        learner = "auto";
        model = "previous";
    }

    std::string turns = "auto";
    std::string learners;  // one for each player, separated by ";"
    Index opponents = 0;   // K: the window has K plays, `stride` rounds apart
    Index stride = 1;
    Real smoothness = 0;
    Index samples = 64;  // of a sampled cost, a round and player

    // equilibrium
    Real epsilon = 0;  // target: R^2 <= epsilon for every player; 0: none
    std::string variation = "auto";
};

/// The plan of one player.
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
    std::optional<EquilibriumWindow> advice;  // if an epsilon is given and every D is known
};

/// Throws ConfigError for impossible settings.
PlayPlan plan_play(const SeatSettings& settings, const GameDefinition& game);

/// Throws ConfigError naming the player whose learner cannot be made.
std::vector<std::unique_ptr<AnyLearner>> make_players(const SeatSettings& settings,
                                                      const GameDefinition& game, const PlayPlan& plan);

/// The rules of the game, for its ledger.
GameRules rules_of(const SeatSettings& settings, const PlayPlan& plan, const GameDefinition& game);
/// What the ledger of each player states about it, with the rules.
std::vector<RunHeader> headers_of(const SeatSettings& settings, const PlayPlan& plan, const GamePlay& play);

/// The window of each player's referee; for an ensemble of windows, the newest play alone.
std::vector<WindowWeights> referee_windows(const GamePlay& play);
std::vector<Real> reference_steps(const PlayPlan& plan);

}  // namespace proxstream
