/// Plays a whole game with the settings of `play`, for the figures of studies.
#pragma once

#include "play/play_job.hpp"
#include "play/play_settings.hpp"
#include "studies/study.hpp"

#include <string>

namespace proxstream {

struct PlayedGame {
    PlayOutcome outcome;
    RoundFigures last;        // of the last round
    Real worst_ratio = 0;     // largest R_t over its bound; 0 if nothing is promised
    Real instant_median = 0;  // gap of the play alone, over the second half
    Real gain_mean = 0;       // gain of best responses to the mean of all plays
    Real gradients = 0;       // record gradients of all players, a round
    Real base_samples = 0;    // of all players, a round
};

/// Sets cell.interrupted, and notes a refused round and certificates that do not hold under `name`.
PlayedGame play_game(const PlaySettings& settings, const std::string& name, Cell& cell);

}  // namespace proxstream
