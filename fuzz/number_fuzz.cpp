/// Numbers, counts and times in fields of text, against the standard library. The first byte chooses.
#include "fuzz_support.hpp"
#include "io/field_text.hpp"
#include "io/parse_number.hpp"
#include "run/timestamp.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace proxstream;

namespace {

bool same_bits(Real a, Real b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void check_number(std::string_view text) {
    Real value = 0;
    const char* const last = text.data() + text.size();
    const char* const end = parse_number(text.data(), last, value);
    if (end == nullptr) return;
    fuzz::require(std::isfinite(value) && end <= last && end > text.data());
    const char* const begin = text.data() + (text[0] == '+' ? 1 : 0);
    Real expected = 0;
    const auto result = std::from_chars(begin, last, expected);
    fuzz::require(result.ptr == end);
    if (result.ec == std::errc{}) fuzz::require(same_bits(value, expected));
    const std::string digits(text.data(), end);
    const Real twin = std::strtod(digits.c_str(), nullptr);
    // Too small for a double is 0.
    fuzz::require(result.ec == std::errc{} ? same_bits(value, twin)
                                           : value == 0 && std::abs(twin) < std::numeric_limits<Real>::min());
}

/// A field that is a number is one that parse_number reads to its end.
void check_field(std::string_view text) {
    Real whole = 0;
    const std::string_view inner = without_blanks(text);
    Real expected = 0;
    const char* const last = inner.data() + inner.size();
    const bool is_number = !inner.empty() && parse_number(inner.data(), last, expected) == last;
    fuzz::require(parse_whole_number(text, whole) == is_number);
    if (is_number) fuzz::require(same_bits(whole, expected));
    if (const auto count = parse_count(text)) fuzz::require(std::to_string(*count).size() <= text.size());
}

/// A time written in the longest form is the same time.
void check_time(std::string_view text) {
    const std::optional<Real> seconds = parse_timestamp(text);
    if (!seconds) return;
    const Real whole = std::floor(*seconds);
    const std::chrono::sys_seconds time{std::chrono::seconds(static_cast<std::int64_t>(whole))};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    const int year = static_cast<int>(date.year());
    fuzz::require(year >= 0 && year <= 10000);
    if (year > 9999) return;
    std::array<char, 64> written{};
    std::snprintf(written.data(), written.size(), "%04d-%02u-%02uT%02d:%02d:%02d", year,
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()));
    fuzz::require(parse_timestamp(written.data()) == whole);
    std::array<Real, kTimeFeatures> features{};
    time_features(*seconds, 0, features);
    fuzz::require(all_finite(features));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    if (choices.byte() % 2 == 0) {
        check_number(choices.rest());
        check_field(choices.rest());
    } else {
        check_time(choices.rest());
    }
    return 0;
}
