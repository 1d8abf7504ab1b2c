/// One table of a TOML file, read as settings: files that hold several read each with its own options.
#pragma once

#include "run/settings_file.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace proxstream {

/// Throws DataError with the place.
toml::table parse_toml(std::string_view text, const std::string& source);

/// As read_settings_text, of a table; throws ConfigError with all violations.
void read_settings_table(const toml::table& table, const std::string& source, const SettingsSink& sink,
                         const std::vector<std::string>& given);

}  // namespace proxstream
