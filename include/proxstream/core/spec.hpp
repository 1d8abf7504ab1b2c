/// The textual form of a configured object: `name`, `name:1,2`, `name:0.1,size=4`. Regularisers, losses and
/// learners are all written this way, on the command line, in TOML and in model files.
#pragma once

#include "proxstream/core/types.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

/// A parsed text such as `group:0.1,size=4`: a name and its arguments. Reading an argument marks it as used;
/// finish() throws for every argument that was not read, so that no misspelt key is ignored.
///
/// \code
/// const Spec spec = Spec::parse("group:0.1,size=4");
/// const Real weight = spec.number(0, "weight");
/// const Index size = spec.count("size");
/// spec.finish();
/// \endcode
class Spec {
  public:
    static constexpr Index kByNameOnly = ~Index{0};  ///< position of arguments that can only be given by key

    /// Throws ConfigError if the text has no name, an empty argument, or a repeated key.
    static Spec parse(std::string_view text);

    /// The part before the colon.
    const std::string& name() const noexcept { return name_; }
    /// The whole text.
    const std::string& text() const noexcept { return text_; }
    /// Number of arguments given without a key.
    Index positional_count() const noexcept { return positional_.size(); }
    /// Whether an argument is given under `key`. Does not mark it as used.
    bool has(std::string_view key) const noexcept;

    /// The argument at `position` or under `key`, as a number. Throws ConfigError if it is missing, no
    /// number, or given both ways.
    Real number(Index position, std::string_view key) const;
    /// The same with a default for a missing argument.
    Real number_or(Index position, std::string_view key, Real fallback) const;
    /// A positive integer given by key; throws ConfigError if it is missing or is none.
    Index count(std::string_view key) const;
    /// The same with a default for a missing argument.
    Index count_or(std::string_view key, Index fallback) const;
    /// The argument at `position` or under `key`, as text. Parentheses around all of it, which protect a
    /// nested spec, are removed. Throws ConfigError if it is missing.
    std::string word(Index position, std::string_view key) const;
    /// The text given by key, or the default.
    std::string word_or(std::string_view key, std::string_view fallback) const;
    /// Every positional argument from `first` on, as numbers.
    std::vector<Real> numbers_from(Index first) const;
    /// A list given by key, separated by `;` or `/`: `weights=1;2;3`. Empty if the key is missing.
    std::vector<Real> numbers(std::string_view key) const;

    /// Throws ConfigError that names each argument that was not read, and the keys that were.
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

/// Removes the pair of parentheses around the whole text, if there is one. They protect a nested spec.
std::string without_shield(std::string_view text);

/// Splits the text at `separator`, except inside parentheses.
std::vector<std::string> split_outside_parentheses(std::string_view text, char separator);

/// The whole text as a number. Infinity is allowed, NaN is not; otherwise throws ConfigError that names
/// `what`.
Real parse_real(std::string_view text, std::string_view what);

/// The text as a positive number, or nullopt for "auto". Throws ConfigError that names the option otherwise.
std::optional<Real> number_or_auto(std::string_view name, std::string_view text);

/// A number in the shortest form that reads back as the same number.
std::string format_short(Real value);

/// The candidate closest to `name` in edit distance, or "" if none is near. For error messages.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// The message for an unknown name: "unknown regulariser 'l3'; did you mean 'l1'? known: l1, l2, ...".
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& candidates);

}  // namespace proxstream
