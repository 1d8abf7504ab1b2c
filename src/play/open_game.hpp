/// The game of the settings: a built-in one or that of a scenario file, from its own start or from saved
/// strategies.
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

/// Whether a scenario has tables of a game. Throws DataError if it is not TOML.
bool describes_game(std::string_view text, const std::string& source);
/// A game in TOML: [[player]] tables with variables, set and cost, or a [matrix] of costs. Ignores other
/// keys. Throws DataError with line and key; `source`: the name of the text in messages.
GameDefinition scenario_game(std::string_view text, const std::string& source);

/// The strategies of all players, as JSON.
std::string strategies_json(const GameDefinition& game, ConstView joint, Round rounds);
/// Replaces the players' starts by saved strategies. Throws DataError if these belong to other players.
void start_from(GameDefinition& game, std::string_view json, const std::string& source);

}  // namespace proxstream
