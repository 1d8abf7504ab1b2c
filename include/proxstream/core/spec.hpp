/// The one textual form of a configured thing: `name`, `name:1,2`, `name:0.1,size=4`. Regularisers, losses
/// and learners are all named this way, on the command line, in TOML and in model files.
#pragma once

#include "proxstream/core/types.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

/// A parsed spec. Reading an argument marks it as used; finish() refuses what nobody read.
class Spec {
  public:
    static constexpr Index kByNameOnly = ~Index{0};  // for arguments that have no position

    /// Throws ConfigError if the text has no name, an empty argument, or a repeated key.
    static Spec parse(std::string_view text);

    const std::string& name() const noexcept { return name_; }
    const std::string& text() const noexcept { return text_; }
    Index positional_count() const noexcept { return positional_.size(); }
    bool has(std::string_view key) const noexcept;

    /// The argument at `position`, or under `key` (either spelling is accepted, not both).
    Real number(Index position, std::string_view key) const;
    Real number_or(Index position, std::string_view key, Real fallback) const;
    Index count(std::string_view key) const;  // a positive integer given by key
    Index count_or(std::string_view key, Index fallback) const;
    /// The argument's text; outer parentheses, which shield a nested spec, are taken off.
    std::string word(Index position, std::string_view key) const;
    std::string word_or(std::string_view key, std::string_view fallback) const;
    /// Every positional argument from `first` on, as numbers.
    std::vector<Real> numbers_from(Index first) const;
    /// A list given by key, separated by `;` or `/`: `weights=1;2;3`.
    std::vector<Real> numbers(std::string_view key) const;

    /// Throws ConfigError naming each argument that was not read and the keys that were.
    void finish() const;

  private:
    struct Argument {
        std::string key;  // empty for positional arguments
        std::string value;
        mutable bool used = false;
    };
    const Argument* find(Index position, std::string_view key) const;
    const Argument* find(std::string_view key) const;
    [[noreturn]] void refuse(const std::string& why) const;
    Real to_number(const Argument& argument) const;

    std::string text_;
    std::string name_;
    std::vector<Argument> positional_;
    std::vector<Argument> keyed_;
    mutable std::vector<std::string> known_keys_;
};

/// The text without the pair of parentheses around all of it, if there is one: they shield a nested spec.
std::string without_shield(std::string_view text);

/// Splits at `separator`, outside parentheses.
std::vector<std::string> split_outside_parentheses(std::string_view text, char separator);

/// The whole text as a number (infinity is one, NaN is not); throws ConfigError naming `what` otherwise.
Real parse_real(std::string_view text, std::string_view what);

/// A number in its shortest round-trip form.
std::string format_short(Real value);

/// The candidate closest to `name` in edit distance, or "" when none is near. For error messages.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "unknown regulariser 'l3'; did you mean 'l1'? known: l1, l2, ..."
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& candidates);

}  // namespace proxstream
