#include "io/field_text.hpp"

#include <charconv>

namespace proxstream {

std::string describe_bad_number(std::string_view text) {
    const std::string_view trimmed = without_blanks(text);
    if (trimmed.empty()) return "the field is empty";
    // A text that std::from_chars reads to its end, though it was refused, can only be too large.
    const std::string_view digits = trimmed.substr(trimmed[0] == '+' || trimmed[0] == '-' ? 1 : 0);
    const bool numeric = digits.find_first_not_of("+-.0123456789eE") == std::string_view::npos &&
                         digits.find_first_of("+-") != 0 &&
                         digits.find_first_of("0123456789") != std::string_view::npos;
    Real value = 0;
    const char* const last = trimmed.data() + trimmed.size();
    const bool large = numeric && std::from_chars(digits.data(), last, value).ptr == last;
    return quoted_excerpt(trimmed) + (large ? " is too large for a number" : " is not a number");
}

bool has_decimal_comma(std::string_view text) {
    text = without_blanks(text);
    return text.find(',') != std::string_view::npos && !text.empty() && is_digit(text.back()) &&
           text.find_first_not_of("+-.,0123456789") == std::string_view::npos;
}

std::string count_of(std::uint64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string bare_name(std::string_view text) {
    std::string bare = lower_case(text.substr(0, text.find('(')));
    std::erase_if(bare, [](char c) { return !is_digit(c) && (c < 'a' || c > 'z'); });
    return bare;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    std::uint64_t value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (text.empty() || error != std::errc{} || end != last) return std::nullopt;
    return value;
}

}  // namespace proxstream
