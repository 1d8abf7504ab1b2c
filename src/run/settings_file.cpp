/// Settings from TOML: the same names as on the command line, through the same table.
#include "proxstream/run/learn_settings.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

#include <toml++/toml.h>

namespace proxstream {
namespace {

/// The TOML value as the text assign() reads; nullopt for lists, tables and dates.
std::optional<std::string> as_text(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
    if (const auto* number = node.as_floating_point()) return format_short(number->get());
    return std::nullopt;
}

/// A list of plain values; nullopt for anything else.
std::optional<std::vector<std::string>> as_list(const toml::node& node) {
    const auto* array = node.as_array();
    if (array == nullptr) return std::nullopt;
    std::vector<std::string> list;
    for (const toml::node& element : *array) {
        const auto text = as_text(element);
        if (!text) return std::nullopt;
        list.push_back(*text);
    }
    return list;
}

}  // namespace

void read_settings_file(const std::string& path, LearnSettings& settings,
                        const std::vector<std::string>& given) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) throw IoError(path, "cannot be read", errno);
    read_settings_text(text.str(), path, settings, given);
}

void read_settings_text(std::string_view text, const std::string& source, LearnSettings& settings,
                        const std::vector<std::string>& given) {
    toml::table table;
    try {
        table = toml::parse(text, source);
    } catch (const toml::parse_error& error) {
        const auto begin = error.source().begin;
        throw DataError({.source = source, .line = begin.line, .column = begin.column, .field = ""},
                        std::string(error.description()), "");
    }
    std::vector<std::string> names;
    for (const auto& row : learn_options()) names.emplace_back(row.name);
    std::vector<std::string> violations;
    for (const auto& [key, node] : table) {
        const std::string where = source + ":" + std::to_string(node.source().begin.line) + ": ";
        const auto row = std::find_if(learn_options().begin(), learn_options().end(),
                                      [name = key.str()](const auto& option) { return option.name == name; });
        if (row == learn_options().end()) {
            violations.push_back(where + unknown_name("key", key.str(), names));
            continue;
        }
        if (std::find(given.begin(), given.end(), row->name) != given.end()) continue;
        if (const auto list = as_list(node); list && assign_list(*row, settings, *list)) continue;
        const auto value = as_text(node);
        const std::string violation =
            value ? assign(*row, settings, *value)
                  : std::string(row->name) + ": expected a plain value or a list of them";
        if (!violation.empty()) violations.push_back(where + violation);
    }
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
