/// Decimal numbers in text rows: std::from_chars without the words and the range it also accepts.
#pragma once

#include "proxstream/core/types.hpp"

#include <string_view>

namespace proxstream {

inline bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// One past the number that starts at `first`, or null if none does or it is too large for a double; too
/// small is 0. Accepts a leading '+'; refuses nan, inf and hexadecimal (of which "0" is read and the rest is
/// left). No blanks are skipped.
const char* parse_number(const char* first, const char* last, Real& value) noexcept;

/// The whole of `text`, blanks around it allowed.
bool parse_whole_number(std::string_view text, Real& value) noexcept;

std::string_view without_blanks(std::string_view text) noexcept;

}  // namespace proxstream
