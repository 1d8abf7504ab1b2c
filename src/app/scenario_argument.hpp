/// A scenario file among the arguments of a verb: it holds settings too, so it is read as --config is.
#pragma once

#include "proxstream/play/open_game.hpp"

#include <string>
#include <vector>

namespace proxstream::app {

/// Turns a scenario file that stands alone into --config of it; returns its name, or "" if there is none.
inline std::string take_scenario(std::vector<std::string>& arguments) {
    for (Index i = 0; i < arguments.size(); ++i) {
        const bool named = i > 0 && (arguments[i - 1] == "-c" || arguments[i - 1] == "--config");
        if (named || arguments[i].starts_with('-') || !is_scenario(arguments[i])) continue;
        const std::string file = arguments[i];
        arguments[i] = "--config=" + file;
        return file;
    }
    return "";
}

}  // namespace proxstream::app
