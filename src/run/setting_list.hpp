/// Settings as the list of names and values that a run store keeps, and back. A list of texts has an entry
/// each, so that nothing in them has to be escaped.
#pragma once

#include "core/option_table.hpp"
#include "store/run_identity.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace proxstream {

template <class Settings>
SettingList setting_list(std::span<const OptionRow<Settings>> rows, const Settings& settings) {
    SettingList list;
    for (const auto& row : rows) {
        if (const auto* texts = std::get_if<std::vector<std::string> Settings::*>(&row.member)) {
            for (const std::string& text : settings.**texts) list.emplace_back(row.name, text);
        } else {
            list.emplace_back(row.name, present(row, settings));
        }
    }
    return list;
}

/// Takes over what `list` says; what it does not name stays. Throws ConfigError with every name that is not
/// known and every value that cannot be read.
template <class Settings>
void take_settings(std::span<const OptionRow<Settings>> rows, const SettingList& list, Settings& settings) {
    std::vector<std::string> violations;
    std::vector<const OptionRow<Settings>*> begun;  // lists
    for (const auto& [name, value] : list) {
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&, wanted = &name](const auto& each) { return each.name == *wanted; });
        if (row == rows.end()) {
            std::vector<std::string> names;
            for (const auto& each : rows) names.emplace_back(each.name);
            violations.push_back(unknown_name("setting", name, names));
            continue;
        }
        if (const auto* texts = std::get_if<std::vector<std::string> Settings::*>(&row->member)) {
            if (std::find(begun.begin(), begun.end(), &*row) == begun.end()) (settings.**texts).clear();
            begun.push_back(&*row);
            (settings.**texts).push_back(value);
            continue;
        }
        const std::string violation = assign(*row, settings, value);
        if (!violation.empty()) violations.push_back(violation);
    }
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
