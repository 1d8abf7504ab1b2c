/// Reads settings from one table of a TOML file, for files with several tables that have options of their
/// own.
#pragma once

#include "run/settings_file.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace proxstream {

/// Throws DataError with the location.
toml::table parse_toml(std::string_view text, const std::string& source);

/// As read_settings_text(), for a table. Throws ConfigError with all violations.
void read_settings_table(const toml::table& table, const std::string& source, const SettingsSink& sink,
                         const std::vector<std::string>& given);

}  // namespace proxstream
