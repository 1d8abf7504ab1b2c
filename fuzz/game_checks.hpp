/// What every game keeps to that was accepted, whatever it was read from.
#pragma once

#include "fuzz_support.hpp"
#include "play/open_game.hpp"
#include "play/play_job.hpp"

#include <array>

namespace proxstream::fuzz {

/// Games that play within a blink.
inline bool is_small(const GameDefinition& game) {
    if (game.players.size() > 6 || game.layout().dimension() > 60) return false;
    for (const GamePlayer& player : game.players) {
        if (player.cost->record_size() > 200) return false;
    }
    return true;
}

inline bool is_sampled(const GameDefinition& game) {
    constexpr Index kMany = 4096;
    for (const GamePlayer& player : game.players) {
        if (player.cost->parts() > kMany) return true;
    }
    return false;
}

/// A few rounds, however they end. There is no exception after the start, all plays can be saved and read
/// again, and what was proved holds.
inline void play_a_little(const GameDefinition& game, std::uint8_t choice) {
    constexpr std::array kLearners{"auto", "prox-gradient:0.1", "optimistic:0.1", "extragradient:0.1"};
    PlaySettings settings;
    settings.rounds = 4;
    // Learners that need whole gradients get them, of every sample there is.
    settings.learner = is_sampled(game) ? "auto" : kLearners[choice % kLearners.size()];
    settings.turns = (choice & 4U) != 0 ? "alternating" : "simultaneous";
    settings.window = "3";
    settings.max_steps = 20;
    settings.samples = 2;
    settings.measure_samples = 4;
    if ((choice & 8U) != 0) {
        settings.window = "auto";
        settings.epsilon = 100;
    }
    std::unique_ptr<PlayJob> job;
    try {
        job = std::make_unique<PlayJob>(settings, game);
    } catch (const ConfigError& error) {
        require(!error.violations().empty());
        return;
    }
    const PlayOutcome outcome = drive(*job);
    require(all_finite(outcome.joint) && !outcome.io_error);
    require(outcome.certificate.sound());
    require(!to_text(outcome.certificate).empty() && !to_json(outcome.certificate).empty());
    GameDefinition next = game;
    start_from(next, strategies_json(game, outcome.joint, settings.rounds), "again");
    std::vector<Real> starts;
    for (const GamePlayer& player : next.players)
        starts.insert(starts.end(), player.start.begin(), player.start.end());
    require(starts == outcome.joint);
}

}  // namespace proxstream::fuzz
