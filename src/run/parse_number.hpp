/// Decimal numbers in text rows. Written by hand for the common case only: a short decimal is a whole number
/// below 2^53 times or divided by a power of ten below 10^23, both exact doubles, so one rounding gives the
/// correctly rounded value. Everything else goes to std::from_chars. bench/parser_bench.cpp has the gain.
#pragma once

#include "proxstream/core/types.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace proxstream {

/// One past the number that starts at `first`, or null if none does or it is too large for a double. Refuses
/// nan, inf and hexadecimal (of which "0" is read and the rest left over). No blanks are skipped.
inline const char* parse_number(const char* first, const char* last, Real& value) noexcept;

namespace detail {

inline constexpr Real kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool is_digit(char c) noexcept {
    return static_cast<unsigned char>(c - '0') < 10;
}

const char* parse_any_number(const char* first, const char* last, bool negative, Real& value) noexcept;

}  // namespace detail

inline const char* parse_number(const char* first, const char* last, Real& value) noexcept {
    if (first == last) return nullptr;
    const bool negative = *first == '-';
    if (negative || *first == '+') ++first;
    const char* p = first;
    std::uint64_t digits = 0;
    while (p != last && detail::is_digit(*p)) digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
    const char* point = p;
    if (p != last && *p == '.') {
        ++p;
        while (p != last && detail::is_digit(*p))
            digits = 10 * digits + static_cast<std::uint64_t>(*p++ - '0');
    }
    const bool has_point = p != point;
    const auto decimals = has_point ? p - point - 1 : 0;
    const auto count = p - first - (has_point ? 1 : 0);
    const bool exponent = p != last && (*p | 0x20) == 'e';
    if (count == 0) return nullptr;
    // 15 digits stay below 2^53; more of them (or an exponent) are rare enough for the general routine.
    if (count > 15 || exponent) return detail::parse_any_number(first, last, negative, value);
    const Real magnitude = static_cast<Real>(digits) / detail::kPowersOfTen[decimals];
    value = negative ? -magnitude : magnitude;
    return p;
}

/// The whole of `text`, blanks around it allowed.
bool parse_whole_number(std::string_view text, Real& value) noexcept;

std::string_view without_blanks(std::string_view text) noexcept;

}  // namespace proxstream
