#include "proxstream/core/spec.hpp"

#include "proxstream/core/error.hpp"

#include "core/lower_case.hpp"
#include "core/quoted_excerpt.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace proxstream {
namespace {

constexpr Index kMostKeyed = 100;  // they are searched one by one
constexpr Index kMostUnread = 10;  // arguments that a message lists

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

Index edit_distance(std::string_view a, std::string_view b) {
    std::vector<Index> row(b.size() + 1);
    std::iota(row.begin(), row.end(), Index{0});
    for (Index i = 0; i < a.size(); ++i) {
        Index diagonal = std::exchange(row[0], i + 1);
        for (Index j = 0; j < b.size(); ++j) {
            const Index replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string without_shield(std::string_view text) {
    text = trim(text);
    if (!text.starts_with('(')) return std::string(text);
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')' && --depth == 0) {
            // The pair that opens the text has to close it: (a)/(b) is shielded by nothing.
            return std::string(i + 1 == text.size() ? trim(text.substr(1, i - 1)) : text);
        }
    }
    return std::string(text);
}

std::vector<std::string> split_outside_parentheses(std::string_view text, char separator) {
    std::vector<std::string> parts;
    Index begin = 0;
    int depth = 0;
    for (Index i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == separator && depth == 0)) {
            parts.emplace_back(trim(text.substr(begin, i - begin)));
            begin = i + 1;
        } else if (text[i] == '(') {
            ++depth;
        } else if (text[i] == ')') {
            --depth;
        }
    }
    return parts;
}

Real parse_real(std::string_view text, std::string_view what) {
    std::string_view digits = trim(text);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    Real value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status != std::errc{} || end != digits.data() + digits.size() || digits.empty() ||
        std::isnan(value)) {
        throw ConfigError(std::string(what) + ": " + quoted_excerpt(text, kSpecExcerpt) + " is not a number");
    }
    return value;
}

Spec Spec::parse(std::string_view text) {
    Spec spec;
    spec.text_ = std::string(trim(text));
    const auto colon = spec.text_.find(':');
    spec.name_ = std::string(trim(std::string_view(spec.text_).substr(0, colon)));
    if (spec.name_.empty()) spec.refuse("a name is missing");
    if (colon == std::string::npos) return spec;
    for (const std::string& part :
         split_outside_parentheses(std::string_view(spec.text_).substr(colon + 1), ',')) {
        // A key stands before any parenthesis: an equals sign inside one belongs to a nested spec.
        const auto equals = part.find_first_of("=(");
        const bool has_key = equals != std::string::npos && part[equals] == '=';
        Argument argument;
        if (has_key) argument.key = std::string(trim(std::string_view(part).substr(0, equals)));
        argument.value = std::string(trim(has_key ? std::string_view(part).substr(equals + 1) : part));
        if (argument.value.empty()) spec.refuse("an argument is empty");
        if (!has_key) {
            spec.positional_.push_back(std::move(argument));
            continue;
        }
        if (argument.key.empty()) spec.refuse("an argument has a value but no key");
        if (spec.keyed_.size() == kMostKeyed)
            spec.refuse("more than " + std::to_string(kMostKeyed) + " arguments have a key");
        if (spec.has(argument.key)) spec.refuse(quoted_excerpt(argument.key) + " is given twice");
        spec.keyed_.push_back(std::move(argument));
    }
    return spec;
}

void Spec::refuse(const std::string& why) const {
    throw ConfigError(quoted_excerpt(text_, kSpecExcerpt) + ": " + why);
}

bool Spec::has(std::string_view key) const noexcept {
    return std::any_of(keyed_.begin(), keyed_.end(), [&](const Argument& a) { return a.key == key; });
}

const Spec::Argument* Spec::find(std::string_view key) const {
    known_keys_.emplace_back(key);
    for (const Argument& argument : keyed_) {
        if (argument.key == key) {
            argument.used = true;
            return &argument;
        }
    }
    return nullptr;
}

const Spec::Argument* Spec::find(Index position, std::string_view key) const {
    const Argument* keyed = find(key);
    if (position >= positional_.size()) return keyed;
    if (keyed != nullptr) refuse("'" + std::string(key) + "' is given by position and by name");
    positional_[position].used = true;
    return &positional_[position];
}

Real Spec::to_number(const Argument& argument) const {
    return parse_real(argument.value, quoted_excerpt(text_, kSpecExcerpt) +
                                          (argument.key.empty() ? "" : ", " + argument.key));
}

Real Spec::number(Index position, std::string_view key) const {
    const Argument* argument = find(position, key);
    if (argument == nullptr) refuse("the argument '" + std::string(key) + "' is missing");
    return to_number(*argument);
}

Real Spec::number_or(Index position, std::string_view key, Real fallback) const {
    const Argument* argument = find(position, key);
    return argument == nullptr ? fallback : to_number(*argument);
}

Index Spec::count(std::string_view key) const {
    if (!has(key)) {
        known_keys_.emplace_back(key);
        refuse("the argument '" + std::string(key) + "=' is missing");
    }
    return count_or(key, 0);
}

Index Spec::count_or(std::string_view key, Index fallback) const {
    const Argument* argument = find(key);
    if (argument == nullptr) return fallback;
    Index value = 0;
    const char* end = argument->value.data() + argument->value.size();
    const auto [stop, status] = std::from_chars(argument->value.data(), end, value);
    if (status != std::errc{} || stop != end || value == 0) {
        refuse(std::string(key) + " = " + quoted_excerpt(argument->value) + " is not a positive integer");
    }
    return value;
}

std::string Spec::word(Index position, std::string_view key) const {
    const Argument* argument = find(position, key);
    if (argument == nullptr) refuse("the argument '" + std::string(key) + "' is missing");
    return without_shield(argument->value);
}

std::string Spec::word_or(std::string_view key, std::string_view fallback) const {
    const Argument* argument = find(key);
    return argument == nullptr ? std::string(fallback) : argument->value;
}

std::vector<Real> Spec::numbers_from(Index first) const {
    std::vector<Real> values;
    for (Index i = first; i < positional_.size(); ++i) {
        positional_[i].used = true;
        values.push_back(to_number(positional_[i]));
    }
    return values;
}

std::vector<Real> Spec::numbers(std::string_view key) const {
    std::vector<Real> values;
    const Argument* argument = find(key);
    if (argument == nullptr) return values;
    std::string list = argument->value;
    std::replace(list.begin(), list.end(), '/', ';');
    for (const std::string& part : split_outside_parentheses(list, ';')) {
        values.push_back(parse_real(part, quoted_excerpt(text_, kSpecExcerpt) + ", " + std::string(key)));
    }
    return values;
}

void Spec::finish() const {
    std::string unread;
    Index count = 0;
    const auto note = [&](const Argument& argument) {
        if (argument.used || ++count > kMostUnread) return;
        if (!unread.empty()) unread += ", ";
        unread += quoted_excerpt(argument.key.empty() ? argument.value : argument.key + "=");
        const std::string near = nearest_name(argument.key, known_keys_);
        if (!argument.key.empty() && !near.empty()) unread += " (did you mean '" + near + "='?)";
    };
    std::for_each(positional_.begin(), positional_.end(), note);
    std::for_each(keyed_.begin(), keyed_.end(), note);
    if (count > kMostUnread) unread += " and " + std::to_string(count - kMostUnread) + " more";
    if (count > 0) refuse("not understood: " + unread);
}

std::string format_short(Real value) {
    char buffer[32];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    constexpr std::size_t kLongest = 100;  // typing errors are in short names; the search takes O(size^2)
    std::string best;
    if (name.size() > kLongest) return best;
    Index best_distance = std::max<Index>(2, name.size() / 3) + 1;
    const std::string wanted = lower_case(name);
    for (const std::string& candidate : candidates) {
        if (candidate.size() > kLongest) continue;
        const Index distance = edit_distance(wanted, lower_case(candidate));
        if (distance < best_distance && distance < name.size()) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& candidates) {
    constexpr std::size_t kMostShown = 4000;  // bytes; all options of a verb fit in
    std::string message = "unknown " + std::string(kind) + " " + quoted_excerpt(name);
    if (const std::string near = nearest_name(name, candidates); !near.empty()) {
        message += "; did you mean '" + near + "'? known:";
    } else {
        message += "; known:";
    }
    for (Index i = 0; i < candidates.size(); ++i) {
        message += i == 0 ? " " : ", ";
        if (message.size() + candidates[i].size() > kMostShown)
            return message + "and " + std::to_string(candidates.size() - i) + " more";
        message += candidates[i];
    }
    return message;
}

std::optional<Real> number_or_auto(std::string_view name, std::string_view text) {
    if (text == "auto") return std::nullopt;
    const Real value = parse_real(text, name);
    if (!(value > 0 && value < kInfinity)) {
        throw ConfigError(std::string(name) + " = " + std::string(text.substr(0, kSpecExcerpt)) +
                          ": must be positive and finite, or auto");
    }
    return value;
}

}  // namespace proxstream
