#include "run/settings_file.hpp"

#include "run/settings_table.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace proxstream {
namespace {

/// The TOML value as text for assign(); nullopt for lists, tables and dates.
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

toml::table parse_toml(std::string_view text, const std::string& source) {
    try {
        return toml::parse(text, source);
    } catch (const toml::parse_error& error) {
        const auto begin = error.source().begin;
        throw DataError({.source = source, .line = begin.line, .column = begin.column, .field = ""},
                        std::string(error.description()), "");
    }
}

void read_settings_text(std::string_view text, const std::string& source, const SettingsSink& sink,
                        const std::vector<std::string>& given) {
    read_settings_table(parse_toml(text, source), source, sink, given);
}

void read_settings_table(const toml::table& table, const std::string& source, const SettingsSink& sink,
                         const std::vector<std::string>& given) {
    std::vector<std::string> violations;
    for (const auto& [key, node] : table) {
        const std::string where = source + ":" + std::to_string(node.source().begin.line) + ": ";
        if (std::find(sink.elsewhere.begin(), sink.elsewhere.end(), key.str()) != sink.elsewhere.end())
            continue;
        const auto found = std::find(sink.names.begin(), sink.names.end(), key.str());
        if (found == sink.names.end()) {
            const std::string_view replacement = replacement_of(key.str());
            const std::string refusal = sink.refusal ? sink.refusal(key.str()) : "";
            violations.push_back(where + (!refusal.empty() ? fmt::format("{}: {}", key.str(), refusal)
                                          : replacement.empty()
                                              ? unknown_name("key", key.str(), sink.names)
                                              : fmt::format("'{}' was removed: {}", key.str(), replacement)));
            continue;
        }
        if (std::find(given.begin(), given.end(), *found) != given.end()) continue;
        const auto row = static_cast<Index>(found - sink.names.begin());
        if (const auto list = as_list(node); list && sink.take_list(row, *list)) continue;
        const auto value = as_text(node);
        const std::string violation =
            value ? sink.take(row, *value) : *found + ": expected a plain value or a list of them";
        if (!violation.empty()) violations.push_back(where + violation);
    }
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
