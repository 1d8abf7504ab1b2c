/// One row per option: its name, the member it sets, what is allowed and a line of help. The command line,
/// TOML files, the echo before a run and the docs all read the same table.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/core/types.hpp"

#include "core/quoted_excerpt.hpp"
#include "core/violations.hpp"

#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace proxstream {

template <class Settings>
struct OptionRow {
    using Member = std::variant<bool Settings::*, Index Settings::*, Real Settings::*,
                                std::string Settings::*, std::vector<std::string> Settings::*>;

    std::string_view name;   // "max-steps": --max-steps on the command line, max-steps in TOML
    std::string_view alias;  // a short flag such as "p"; empty: none
    std::string_view group;  // heading in the help
    std::string_view value;  // placeholder in the help
    std::string_view help;
    Member member;
    Real low = -kInfinity;  // numbers must lie in [low, high]
    Real high = kInfinity;
    std::span<const std::string_view> choices = {};  // words must be one of these, if there are any
    bool commas_separate = true;                     // in the text of a list
    std::string_view positional = {};                // its name where it can be given without a flag
    bool hidden = false;                             // listed by --help-all only
    /// For texts and the elements of lists: throws ConfigError if the value cannot be used.
    void (*check)(const std::string& value) = nullptr;
};

template <class Settings>
OptionRow<Settings> positional(OptionRow<Settings> row, std::string_view name) {
    row.positional = name;
    return row;
}

/// For options that researchers need and users do not.
template <class Settings>
OptionRow<Settings> hidden(OptionRow<Settings> row) {
    row.hidden = true;
    return row;
}

template <class Settings>
OptionRow<Settings> checked(OptionRow<Settings> row, void (*check)(const std::string& value)) {
    row.check = check;
    return row;
}

/// The rows of several tables, one after the other.
template <class Settings, class... Tables>
std::vector<OptionRow<Settings>> join_rows(const Tables&... tables) {
    std::vector<OptionRow<Settings>> rows;
    (rows.insert(rows.end(), tables.begin(), tables.end()), ...);
    return rows;
}

/// What replaced an option that was removed, as a hint for an error message; "" if there was no such option.
std::string_view replacement_of(std::string_view name);

/// A value that cannot be read as the option's type, or that is not allowed, in one sentence; "" if all is
/// well.
template <class Settings>
std::string assign(const OptionRow<Settings>& row, Settings& settings, std::string_view text) {
    const auto refuse = [&](const std::string& allowed) {
        return std::string(row.name) + " = " + quoted_excerpt(text, kSpecExcerpt) + ": expected " + allowed;
    };
    const auto parse = [&](auto& target) {
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), target);
        return status == std::errc{} && end == text.data() + text.size() && !text.empty();
    };
    return std::visit(
        [&](auto member) -> std::string {
            auto& target = settings.*member;
            using T = std::remove_reference_t<decltype(target)>;
            if constexpr (std::is_same_v<T, bool>) {
                if (text != "true" && text != "false") return refuse("true or false");
                target = text == "true";
            } else if constexpr (std::is_same_v<T, Index>) {
                Index parsed = 0;
                if (!parse(parsed)) return refuse("a whole number, 0 or more");
                target = parsed;
            } else if constexpr (std::is_same_v<T, Real>) {
                Real parsed = 0;
                if (!parse(parsed) || parsed != parsed) return refuse("a number");
                target = parsed;
            } else if constexpr (std::is_same_v<T, std::string>) {
                target = std::string(text);
            } else if (row.commas_separate) {
                target = split_outside_parentheses(text, ',');
            } else {
                target = {std::string(text)};
            }
            return {};
        },
        row.member);
}

/// A list whose elements are known apart. False if the option does not take one.
template <class Settings>
bool assign_list(const OptionRow<Settings>& row, Settings& settings, const std::vector<std::string>& values) {
    const auto* member = std::get_if<std::vector<std::string> Settings::*>(&row.member);
    if (member == nullptr) return false;
    settings.** member = values;
    return true;
}

/// The option's present value as text, for showing.
template <class Settings>
std::string present(const OptionRow<Settings>& row, const Settings& settings) {
    return std::visit(
        [&](auto member) -> std::string {
            const auto& value = settings.*member;
            using T = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<T, bool>) {
                return value ? "true" : "false";
            } else if constexpr (std::is_same_v<T, std::string>) {
                return value;
            } else if constexpr (std::is_arithmetic_v<T>) {
                char buffer[32];
                const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
                return std::string(buffer, result.ptr);
            } else {
                std::string joined;
                for (const std::string& part : value) joined += (joined.empty() ? "" : ",") + part;
                return joined;
            }
        },
        row.member);
}

/// A value outside its range or list of choices, in one sentence; "" if it is inside.
template <class Settings>
std::string range_violation(const OptionRow<Settings>& row, const Settings& settings) {
    return std::visit(
        [&](auto member) -> std::string {
            const auto& value = settings.*member;
            using T = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<T, Index> || std::is_same_v<T, Real>) {
                const Real number = static_cast<Real>(value);
                if (number >= row.low && number <= row.high) return {};
                return std::string(row.name) + " = " + present(row, settings) + ": must lie in [" +
                       format_short(row.low) + ", " + format_short(row.high) + "]";
            } else if constexpr (std::is_same_v<T, std::string>) {
                std::string allowed;
                for (const std::string_view choice : row.choices) {
                    if (choice == value) return {};
                    allowed += (allowed.empty() ? "" : ", ") + std::string(choice);
                }
                if (allowed.empty()) return {};
                return std::string(row.name) + " = " + quoted_excerpt(value, kSpecExcerpt) +
                       ": must be one of " + allowed;
            } else {
                return {};
            }
        },
        row.member);
}

/// Checks the value of one option. Returns false if there is a violation.
template <class Settings>
bool check_row(const OptionRow<Settings>& row, const Settings& settings, Violations& violations) {
    if (std::string violation = range_violation(row, settings); !violation.empty()) {
        violations.refuse(true, std::move(violation));
        return false;
    }
    if (row.check == nullptr) return true;
    const auto accepted = [&](const std::string& value) {
        try {
            row.check(value);
            return true;
        } catch (const ConfigError& error) {
            for (const std::string& each : error.violations())
                violations.refuse(true,
                                  each.starts_with(row.name) ? each : std::string(row.name) + ": " + each);
            return false;
        }
    };
    if (const auto* text = std::get_if<std::string Settings::*>(&row.member))
        return accepted(settings.**text);
    bool all = true;
    if (const auto* list = std::get_if<std::vector<std::string> Settings::*>(&row.member))
        for (const std::string& value : settings.**list) all = accepted(value) && all;
    return all;
}

/// Checks every option by itself. Returns the settings with the default in place of each value that is
/// refused. Checks that depend on several options then use them, so no violation is reported twice.
template <class Settings>
Settings check_rows(std::span<const OptionRow<Settings>> rows, const Settings& settings,
                    Violations& violations) {
    Settings accepted = settings;
    const Settings defaults;
    for (const auto& row : rows) {
        if (check_row(row, settings, violations)) continue;
        std::visit([&](auto member) { accepted.*member = defaults.*member; }, row.member);
    }
    return accepted;
}

}  // namespace proxstream
