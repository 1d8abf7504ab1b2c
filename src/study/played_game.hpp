/// A whole game under `play`'s settings, measured alike whoever plays: against the mean of the same number of
/// past plays, of the play alone, and by what best responses would save.
#pragma once

#include "proxstream/regret/game_certificate.hpp"

#include "play/play_settings.hpp"
#include "study/study.hpp"

#include <functional>
#include <string>
#include <vector>

namespace proxstream {

struct GameTrial {
    PlaySettings settings;
    /// Everybody's residual is also measured against so many past plays; 0: against none.
    Index common_window = 0;
    /// What best responses would save is worked out at the end.
    bool responses = false;
    /// Rounds at which stretches end whose largest figures are written down; ascending.
    std::vector<Round> marks = {};
};

/// The largest figures of the rounds since the mark before.
struct GameStretch {
    Round until = 0;
    Real gap = 0;      // max over players of R_t, for their own windows
    Real bound = 0;    // max over players of what was promised of it
    Real instant = 0;  // max over players of the residual of the play alone
};

struct PlayedGame {
    GameCertificate certificate;
    bool interrupted = false;
    std::string refusal;  // why the game ended early; empty: it did not

    // R_t over what was promised of it, where something was: players and rounds from the second on
    Index promised = 0;
    Index within = 0;
    Real worst_ratio = 0;

    Real common_largest = 0;  // max over players, and over rounds from the second on
    Real common_last = 0;
    Real instant_median = 0;  // over the second half
    Real instant_last = 0;
    Real gain_last = 0;  // of the last play
    Real gain_mean = 0;  // of the mean of all plays
    Real cost_last = 0;  // f + g of all players together
    std::vector<GameStretch> stretches;

    Real gradients = 0;     // record gradients of all players, a round
    Real base_samples = 0;  // of all players, a round
    Real microseconds = 0;  // the players' own, a round
};

PlayedGame play_game(const GameTrial& trial, StopFlag stop, const std::function<void(Real)>& on_share = {});

/// Says in the cell's notes what a reader has to know of the game, and whether it was cut short.
void note_game(const PlayedGame& played, const std::string& name, CellResult& cell);

}  // namespace proxstream
