#include "run/toml_keys.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

#include <algorithm>
#include <cstdint>

namespace proxstream {
namespace {

constexpr Index kMostParts = 32;

/// The place behind the text in quotes that begins at `at`; the end of the line or file if it is not closed.
std::size_t behind_quotes(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const bool escapes = quote == '"';
    const std::string fence(3, quote);
    const bool several_lines = text.substr(at, fence.size()) == fence;
    at += several_lines ? fence.size() : 1;
    while (at < text.size()) {
        if (escapes && text[at] == '\\') {
            at += 2;
        } else if (several_lines && text.substr(at, fence.size()) == fence) {
            at += fence.size();
            // The text may end with one or two quotes of its own.
            for (int own = 0; own < 2 && at < text.size() && text[at] == quote; ++own) ++at;
            return at;
        } else if (!several_lines && (text[at] == quote || text[at] == '\n')) {
            return text[at] == quote ? at + 1 : at;
        } else {
            ++at;
        }
    }
    return text.size();
}

}  // namespace

void check_key_parts(std::string_view text, const std::string& source) {
    Index parts = 1;  // of what may be a key; a number has at most one dot
    std::size_t at = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"' || c == '\'') {
            at = behind_quotes(text, at);
            continue;
        }
        if (c == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) parts = 1;
        if (c == '.' && ++parts > kMostParts) {
            const auto line =
                std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
            throw DataError(
                {.source = source, .line = static_cast<std::uint64_t>(line), .column = 0, .field = ""},
                "a key has more than " + std::to_string(kMostParts) + " parts between dots",
                "at most " + std::to_string(kMostParts) + "; text with dots stands in quotes");
        }
        ++at;
    }
}

}  // namespace proxstream
