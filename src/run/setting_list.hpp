/// Settings as lists of names and values, for run stores and ledger headers, and the rules for which of them
/// a run may change. A list option has one entry for each of its values, so nothing needs escaping.
///
/// `Settings::options()` is the table of the options.
#pragma once

#include "core/option_table.hpp"
#include "store/run_identity.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// Returns whether results may depend on the option. Other options stay out of ledger headers, so that runs
/// which differ only in them have the same ledger.
template <class Settings>
bool affects_results(const OptionRow<Settings>& row) {
    constexpr std::array<std::string_view, 5> kOther{"Run", "Store", "Output", "Budget", "Comparison"};
    return std::find(kOther.begin(), kOther.end(), row.group) == kOther.end();
}

/// Returns whether a fork may change the option: it belongs to the learner, not to the problem.
template <class Settings>
bool may_fork(const OptionRow<Settings>& row) {
    return row.group == "Learner" || row.group == "Oracle" || row.group == "Alarms" || row.name == "reg";
}

template <class Settings>
void append_setting(const OptionRow<Settings>& row, const Settings& settings, SettingList& list) {
    if (const auto* texts = std::get_if<std::vector<std::string> Settings::*>(&row.member)) {
        for (const std::string& text : settings.**texts) list.emplace_back(row.name, text);
    } else {
        list.emplace_back(row.name, present(row, settings));
    }
}

template <class Settings>
SettingList setting_list(const Settings& settings) {
    SettingList list;
    for (const auto& row : Settings::options()) append_setting(row, settings, list);
    return list;
}

/// The settings that say when a run ends.
template <class Settings>
SettingList limits_of(const Settings& settings) {
    constexpr std::array<std::string_view, 6> kLimits{"rounds", "periods",    "epsilon",
                                                      "passes", "iterations", "seconds"};
    SettingList list;
    for (const auto& row : Settings::options()) {
        if (std::find(kLimits.begin(), kLimits.end(), row.name) != kLimits.end())
            append_setting(row, settings, list);
    }
    return list;
}

/// The settings that affect results, each with one entry.
template <class Settings>
SettingList result_settings(const Settings& settings) {
    SettingList list;
    for (const auto& row : Settings::options())
        if (affects_results(row)) list.emplace_back(row.name, present(row, settings));
    return list;
}

/// Sets the options that `list` names. Throws ConfigError with every unknown name and every bad value.
template <class Settings>
void take_settings(const SettingList& list, Settings& settings) {
    Violations violations;
    std::vector<const OptionRow<Settings>*> begun;  // list options that were already cleared
    const auto rows = Settings::options();
    for (const auto& [name, value] : list) {
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&, wanted = &name](const auto& each) { return each.name == *wanted; });
        if (row == rows.end()) {
            std::vector<std::string> names;
            for (const auto& each : rows) names.emplace_back(each.name);
            violations.refuse(true, unknown_name("setting", name, names));
        } else if (const auto* texts = std::get_if<std::vector<std::string> Settings::*>(&row->member)) {
            if (std::find(begun.begin(), begun.end(), &*row) == begun.end()) (settings.**texts).clear();
            begun.push_back(&*row);
            (settings.**texts).push_back(value);
        } else {
            const std::string violation = assign(*row, settings, value);
            violations.refuse(!violation.empty(), violation);
        }
    }
    violations.conclude();
}

/// Throws ConfigError with every option that affects results and differs from the run in `store`.
template <class Settings>
void require_same_results(const Settings& before, const Settings& now, const std::string& store) {
    Violations violations;
    for (const auto& row : Settings::options()) {
        violations.refuse(affects_results(row) && present(row, before) != present(row, now),
                          std::string(row.name) + " = '" + present(row, now) + "': the run in " + store +
                              " has '" + present(row, before) + "'; fork it, or name another store");
    }
    violations.conclude();
}

}  // namespace proxstream
