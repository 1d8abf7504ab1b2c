/// A run that goes on has the settings it had, as far as figures depend on them.
#pragma once

#include "proxstream/core/error.hpp"

#include "core/option_table.hpp"

#include <span>
#include <string>
#include <vector>

namespace proxstream {

/// Throws ConfigError with every option that figures depend on and that is not what it was.
template <class Settings>
void require_same_figures(std::span<const OptionRow<Settings>> rows, const Settings& before,
                          const Settings& now, const std::string& store) {
    std::vector<std::string> violations;
    for (const auto& row : rows) {
        if (!bears_on_figures(row) || present(row, before) == present(row, now)) continue;
        violations.push_back(std::string(row.name) + " = '" + present(row, now) + "': the run in " + store +
                             " has '" + present(row, before) + "'; fork it, or name another store");
    }
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
