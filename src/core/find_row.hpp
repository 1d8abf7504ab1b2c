/// Looking a name up in a table of rows: every table of named things answers a wrong name alike.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// The row called `name`. Throws ConfigError with the nearest name and all known ones; `kind` says of what.
template <class Rows>
const auto& find_row(const Rows& rows, std::string_view kind, std::string_view name) {
    std::vector<std::string> names;
    for (const auto& row : rows) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw ConfigError(unknown_name(kind, name, names));
}

}  // namespace proxstream
