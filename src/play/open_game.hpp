/// The game that settings ask for: a built-in one or that of a scenario file, from its own start or from
/// strategies that were saved.
#pragma once

#include "game/game.hpp"
#include "play/play_settings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// Throws ConfigError, DataError or IoError.
GameDefinition open_game(const PlaySettings& settings);

/// Whether a game's text names a scenario file.
bool is_scenario(std::string_view game);
/// The keys of a scenario that describe the game and not how it is played.
const std::vector<std::string>& scenario_keys();

/// Whether a scenario has tables of a game. Throws DataError if it is no TOML.
bool describes_game(std::string_view text, const std::string& source);
/// A game written down in TOML, as [[player]] tables with variables, set and cost, or as a [matrix] of costs.
/// Other keys are not looked at. Throws DataError naming line and key; `source` stands for the text.
GameDefinition scenario_game(std::string_view text, const std::string& source);

/// Where everybody stands, as JSON.
std::string strategies_json(const GameDefinition& game, ConstView joint, Round rounds);
/// Moves the players' starts to saved strategies. Throws DataError if they are not of these players.
void start_from(GameDefinition& game, std::string_view json, const std::string& source);

}  // namespace proxstream
