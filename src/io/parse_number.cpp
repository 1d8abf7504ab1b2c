#include "io/parse_number.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
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

// Powers of ten that a double holds exactly.
constexpr std::array<Real, 23> kTens{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::array<std::uint64_t, 9> kWholeTens{1,       10,        100,        1'000,      10'000,
                                                  100'000, 1'000'000, 10'000'000, 100'000'000};

/// A run of digits as a number. `value` is right if `count` is at most kMostDigits.
struct Digits {
    std::uint64_t value = 0;
    long count = 0;
};
constexpr long kMostDigits = 19;

/// Eight bytes of text, as they come on machines that keep the lowest byte first.
constexpr bool kBytesAtOnce = std::endian::native == std::endian::little;
struct EightBytes {
    explicit EightBytes(const char* p) noexcept {
        std::memcpy(&bytes, p, sizeof(bytes));
        // Digits become 0..9, anything else more: adding 0x76 then sets the top bit, or it was set.
        bytes ^= 0x3030303030303030U;
        others = ((bytes + 0x7676767676767676U) | bytes) & 0x8080808080808080U;
    }
    /// Digits it begins with.
    unsigned count() const noexcept {
        return others == 0 ? 8U : static_cast<unsigned>(std::countr_zero(others)) / 8;
    }
    /// The value of the first `count` digits, count >= 1. The first digit is the lowest byte: a shift drops
    /// the bytes behind the run and adds leading zeros. Then pairs, fours and eights are combined.
    std::uint64_t value(unsigned count) const noexcept {
        std::uint64_t sum = bytes << (64 - 8 * count);
        sum = (sum * 10 + (sum >> 8U)) & 0x00FF00FF00FF00FFU;
        sum = (sum * 100 + (sum >> 16U)) & 0x0000FFFF0000FFFFU;
        return (sum * 10'000 + (sum >> 32U)) & 0x00000000FFFFFFFFU;
    }
    std::uint64_t bytes = 0;
    std::uint64_t others = 0;  // a bit for each byte that is no digit
};

/// Adds the digits at `p` and returns one past them. It reads eight at a time, without a branch on their
/// number, because the lengths of neighbouring numbers are hard to predict.
[[gnu::always_inline]] inline const char* take_digits(const char* p, const char* last,
                                                      Digits& digits) noexcept {
    if constexpr (kBytesAtOnce) {
        while (last - p >= 8) {
            const EightBytes text(p);
            const unsigned count = text.count();
            if (count == 0) return p;
            digits.value = digits.value * kWholeTens[count] + text.value(count);
            digits.count += count;
            p += count;
            if (count < 8) return p;
        }
    }
    for (; p != last && is_digit(*p); ++p) {
        digits.value = 10 * digits.value + static_cast<std::uint64_t>(*p - '0');
        ++digits.count;
    }
    return p;
}

/// Reads the number with std::from_chars. Its digits start at `digits`, behind a sign at `first`.
[[gnu::noinline]] const char* parse_with_library(const char* first, const char* digits, const char* last,
                                                 Real& value) noexcept {
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

/// Reads the exponent behind an 'e'. Null if there is none, or if it is too large for kTens.
const char* take_exponent(const char* p, const char* last, long& exponent) noexcept {
    const bool negative = p != last && *p == '-';
    if (p != last && (*p == '-' || *p == '+')) ++p;
    Digits power;
    p = take_digits(p, last, power);
    if (power.count == 0 || power.count > kMostDigits || power.value > 1000) return nullptr;
    exponent += negative ? -static_cast<long>(power.value) : static_cast<long>(power.value);
    return p;
}

/// Changes the sign without a branch, because signs are hard to predict.
Real with_sign(Real number, bool negative) noexcept {
    constexpr unsigned kSignBit = 63;
    return std::bit_cast<Real>(std::bit_cast<std::uint64_t>(number) ^
                               (static_cast<std::uint64_t>(negative) << kSignBit));
}

/// Numbers whose digits make a whole number up to 2^53 and whose power of ten is one of kTens need no more
/// than this. Both are doubles, so the one product or quotient is the nearest double to the text.
[[gnu::noinline]] const char* parse_any(const char* first, const char* last, Real& value) noexcept {
    if (first == last) return nullptr;
    const bool negative = *first == '-';
    const char* const start = first + (static_cast<int>(negative) | static_cast<int>(*first == '+'));
    if (start == last || !(is_digit(*start) || *start == '.')) return nullptr;
    Digits digits;
    const char* p = take_digits(start, last, digits);
    long exponent = 0;
    if (p != last && *p == '.') {
        const long whole = digits.count;
        p = take_digits(p + 1, last, digits);
        exponent = whole - digits.count;
    }
    const bool powered = p != last && (*p | 0x20) == 'e';
    if (powered && digits.count > 0) p = take_exponent(p + 1, last, exponent);
    constexpr long kMostTens = static_cast<long>(kTens.size()) - 1;
    if (p == nullptr || digits.count == 0 || digits.count > kMostDigits ||
        digits.value > (std::uint64_t{1} << 53U) || exponent < -kMostTens || exponent > kMostTens) {
        return parse_with_library(first, start, last, value);
    }
    const auto whole = static_cast<Real>(digits.value);
    const Real number = exponent < 0 ? whole / kTens[static_cast<Index>(-exponent)]
                                     : whole * kTens[static_cast<Index>(exponent)];
    value = with_sign(number, negative);
    return p;
}

}  // namespace

/// The usual number of a row is a digit, a point and up to seven digits. std::from_chars takes twice as long
/// for it, so it is read here in one go. parse_any() reads everything else.
const char* parse_number(const char* first, const char* last, Real& value) noexcept {
    constexpr std::ptrdiff_t kLongest = 11;  // sign, digit, point and eight more bytes
    if (kBytesAtOnce && last - first >= kLongest) {
        const bool negative = *first == '-';
        const char* const p = first + static_cast<int>(negative);
        const EightBytes behind(p + 2);
        const unsigned count = behind.count();
        if (is_digit(*p) && p[1] == '.' && count > 0 && count < 8 && (p[2 + count] | 0x20) != 'e') {
            const auto whole = static_cast<std::uint64_t>(*p - '0');
            const auto digits = static_cast<std::int64_t>(whole * kWholeTens[count] + behind.value(count));
            value = with_sign(static_cast<Real>(digits) / kTens[count], negative);
            return p + 2 + count;
        }
    }
    return parse_any(first, last, value);
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
