#include "run/settings_file.hpp"

#include "io/output_file.hpp"
#include "run/settings_table.hpp"
#include "run/toml_keys.hpp"

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

std::string unknown_key(const SettingsSink& sink, std::string_view key) {
    const std::string refusal = sink.refusal ? sink.refusal(key) : "";
    if (!refusal.empty()) return fmt::format("{}: {}", key, refusal);
    const std::string_view replacement = replacement_of(key);
    if (!replacement.empty()) return fmt::format("'{}' was removed: {}", key, replacement);
    return unknown_name("key", key, sink.names);
}

}  // namespace

std::string read_settings_file(const std::string& path) {
    constexpr std::size_t kMost = std::size_t{16} << 20U;
    return read_whole_file(path, kMost);
}

toml::table parse_toml(std::string_view text, const std::string& source) {
    check_key_parts(text, source);
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
    constexpr Index kMostShown = 10;
    std::vector<std::string> violations;
    Index more = 0;
    const auto refuse = [&](const toml::node& node, const auto& what) {
        if (violations.size() < kMostShown)
            violations.push_back(fmt::format("{}:{}: {}", source, node.source().begin.line, what()));
        else
            ++more;
    };
    for (const auto& [key, node] : table) {
        if (std::find(sink.elsewhere.begin(), sink.elsewhere.end(), key.str()) != sink.elsewhere.end())
            continue;
        const auto found = std::find(sink.names.begin(), sink.names.end(), key.str());
        if (found == sink.names.end()) {
            refuse(node, [&, &key = key] { return unknown_key(sink, key.str()); });
            continue;
        }
        if (std::find(given.begin(), given.end(), *found) != given.end()) continue;
        const auto row = static_cast<Index>(found - sink.names.begin());
        if (const auto list = as_list(node); list && sink.take_list(row, *list)) continue;
        const auto value = as_text(node);
        std::string violation =
            value ? sink.take(row, *value) : *found + ": expected a plain value or a list of them";
        if (!violation.empty()) refuse(node, [&] { return std::move(violation); });
    }
    if (more > 0) violations.push_back(fmt::format("{}: and {} more", source, more));
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
