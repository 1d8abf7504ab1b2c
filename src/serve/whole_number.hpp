/// Whole numbers in requests.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace proxstream {

/// None unless the text has digits only, and the number fits into 64 bits.
inline std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, number);
    if (status != std::errc{} || stop != end) return std::nullopt;
    return number;
}

}  // namespace proxstream
