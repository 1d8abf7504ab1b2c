#include "proxstream/io/parse_number.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace proxstream {
namespace {

/// Whether a number that std::from_chars calls out of range is so because it is too small. Its first non-zero
/// digit stands far from the point, or its exponent is far from zero: the sign of their sum tells.
bool is_tiny(const char* first, const char* last) noexcept {
    long place = 0;  // power of ten of the first non-zero digit, for a number without exponent
    bool after_point = false;
    bool significant = false;
    const char* p = first;
    for (; p != last && (*p | 0x20) != 'e'; ++p) {
        if (*p == '.') {
            after_point = true;
            continue;
        }
        significant = significant || *p != '0';
        if (after_point && !significant) --place;
        if (!after_point && significant) ++place;
    }
    if (p == last) return place <= 0;
    ++p;
    const bool negative = p != last && *p == '-';
    if (p != last && (*p == '-' || *p == '+')) ++p;
    long exponent = 0;
    for (; p != last && exponent < 1'000'000'000; ++p) exponent = 10 * exponent + (*p - '0');
    return place + (negative ? -exponent : exponent) <= 0;
}

}  // namespace

const char* parse_number(const char* first, const char* last, Real& value) noexcept {
    if (first == last) return nullptr;
    const bool signed_number = *first == '-' || *first == '+';
    const char* const digits = first + (signed_number ? 1 : 0);
    if (digits == last || !(is_digit(*digits) || *digits == '.')) return nullptr;
    Real number = 0;
    const auto [end, status] = std::from_chars(*first == '+' ? digits : first, last, number);
    if (status == std::errc::result_out_of_range && is_tiny(digits, end)) {
        number = *first == '-' ? -0.0 : 0.0;
    } else if (status != std::errc{} || !std::isfinite(number)) {
        return nullptr;
    }
    value = number;
    return end;
}

std::string_view without_blanks(std::string_view text) noexcept {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

bool parse_whole_number(std::string_view text, Real& value) noexcept {
    text = without_blanks(text);
    return parse_number(text.data(), text.data() + text.size(), value) == text.data() + text.size() &&
           !text.empty();
}

}  // namespace proxstream
