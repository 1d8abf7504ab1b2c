/// The built-in games by name.
#pragma once

#include "proxstream/core/spec.hpp"

#include "game/game.hpp"

#include <span>
#include <string_view>

namespace proxstream {

struct GameRow {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    GameDefinition (*make)(const Spec& spec);
};

std::span<const GameRow> games();

/// Throws ConfigError that names what is allowed.
GameDefinition parse_game(std::string_view text);

}  // namespace proxstream
