/// Settings from TOML, by the same names and the same table as on the command line.
#pragma once

#include "core/option_table.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// Receives the keys of the file. `take` returns what is wrong with the value, or "".
struct SettingsSink {
    std::vector<std::string> names;
    std::function<std::string(Index row, std::string_view text)> take;
    std::function<bool(Index row, const std::vector<std::string>& list)>
        take_list;                            // returns false if the option is not a list
    std::vector<std::string> elsewhere = {};  // keys to skip, because other code reads them
    /// Why a known key is refused, and what to do instead; "" for an unknown key.
    std::function<std::string(std::string_view key)> refusal = {};
};

/// The text of a file of settings. Throws IoError, and DataError for more than 16 MiB.
std::string read_settings_file(const std::string& path);

/// Throws ConfigError with unknown keys, each with the nearest valid one, and wrong types. `given`:
/// options set on the command line, which take precedence. `source`: the name of the text in messages.
void read_settings_text(std::string_view text, const std::string& source, const SettingsSink& sink,
                        const std::vector<std::string>& given);

/// A sink that sets `settings`.
template <class Settings>
SettingsSink settings_sink(Settings& settings) {
    const auto rows = Settings::options();
    SettingsSink sink;
    for (const auto& row : rows) sink.names.emplace_back(row.name);
    sink.take = [rows, &settings](Index row, std::string_view text) {
        return assign(rows[row], settings, text);
    };
    sink.take_list = [rows, &settings](Index row, const std::vector<std::string>& list) {
        return assign_list(rows[row], settings, list);
    };
    return sink;
}

}  // namespace proxstream
