/// Tables of named rows: finds a row by its name, or adds one. All tables report a wrong name alike.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "core/quoted_excerpt.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

/// What other programs call a row of the tables of a kind.
struct OtherNames {
    std::string_view kind;
    std::string_view names;  // in lower case with '-', a blank before and after each
    std::string_view meant;  // 'NAME' to use, and what it is
};
std::span<const OtherNames> other_names();

/// What to use for a name of other programs; "" if it is not known.
std::string_view meant_by(std::string_view kind, std::string_view name);

/// The row called `name`. Otherwise throws ConfigError with the name to use, or the nearest name and all
/// known ones. `kind` is the word for such a row; `hint` is added to the message.
template <class Rows>
const auto& find_row(const Rows& rows, std::string_view kind, std::string_view name,
                     std::string_view hint = {}) {
    std::vector<std::string> names;
    for (const auto& row : rows) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    if (const std::string_view meant = meant_by(kind, name); !meant.empty())
        throw ConfigError("unknown " + std::string(kind) + " " + quoted_excerpt(name) + "; use " +
                          std::string(meant));
    std::string message = unknown_name(kind, name, names);
    if (!hint.empty()) message.append("; ").append(hint);
    throw ConfigError(message);
}

/// The hint for tables in which users can register names.
inline constexpr std::string_view kPluginHint = "a name from a plugin needs --plugin FILE";

/// Throws ConfigError unless `name` is a letter followed by letters, digits, '-' or '_', at most 64 in all.
void check_new_name(std::string_view kind, std::string_view name);

/// Appends a row. Throws ConfigError if its name is ill-formed or in use, or it has no maker; the table is
/// then as before.
template <class Row>
void add_row(std::vector<Row>& rows, std::string_view kind, Row row) {
    check_new_name(kind, row.name);
    for (const Row& known : rows) {
        if (known.name != row.name) continue;
        throw ConfigError(std::string(kind) + " '" + row.name + "' exists already; choose another name");
    }
    if (!row.make) throw ConfigError(std::string(kind) + " '" + row.name + "' has no function that makes it");
    rows.push_back(std::move(row));
}

}  // namespace proxstream
