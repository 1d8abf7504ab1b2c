/// A scenario file among the arguments of a verb: it holds settings too, so it is read as --config is.
#pragma once

#include "proxstream/core/error.hpp"

#include "play/open_game.hpp"
#include "run/settings_file.hpp"

#include <string>
#include <vector>

namespace proxstream::app {

/// Turns a scenario file that stands alone into --config of it; returns its name, or "" if there is none.
inline std::string take_scenario(std::vector<std::string>& arguments) {
    for (Index i = 0; i < arguments.size(); ++i) {
        const bool named = i > 0 && (arguments[i - 1] == "-c" || arguments[i - 1] == "--config");
        if (named || arguments[i].starts_with('-') || !is_scenario(arguments[i])) continue;
        std::string file = arguments[i];
        arguments[i] = "--config=" + file;
        return file;
    }
    return "";
}

/// The game that is meant: the one named, by an option or in the file, or the one the file describes. Throws
/// ConfigError if it does both.
inline void settle_game(std::string& game, const std::string& file) {
    if (file.empty()) return;
    if (game.empty()) {
        game = file;
    } else if (describes_game(read_settings_file(file), file)) {
        throw ConfigError(file + ": describes a game of its own, and game = '" + game + "' names another");
    }
}

}  // namespace proxstream::app
