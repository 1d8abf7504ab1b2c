/// Shared objects with losses and regularisers of users, loaded before a verb runs (docs/building.md).
#pragma once

#include <string>
#include <vector>

namespace proxstream::app {

/// Takes `--plugin FILE` and `--plugin=FILE` out of the arguments, wherever they stand, and returns the
/// files. Throws ConfigError if a file name is missing.
std::vector<std::string> take_plugins(std::vector<std::string>& arguments);

/// The files of PROXSTREAM_PLUGINS, separated by colons.
std::vector<std::string> plugins_of_environment();

/// Loads a plugin and lets it register what it has; does nothing for one that is loaded already. Throws
/// ConfigError if it cannot be loaded, registers nothing, or registers a name that is taken.
void load_plugin(const std::string& path);

}  // namespace proxstream::app
