#include "core/quoted_excerpt.hpp"

namespace proxstream {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

/// At most `most` bytes that do not end inside a character of UTF-8.
std::string_view beginning(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    const auto continues = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
    };
    std::size_t end = most;
    while (end > 0 && most - end < 3 && continues(end)) --end;
    return text.substr(0, continues(end) ? most : end);
}

}  // namespace

std::string quoted_excerpt(std::string_view text, std::size_t most) {
    std::string shown = "'";
    for (const char c : beginning(text, most)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            shown += c;
        } else {
            shown += {'\\', 'x', kHexDigits[byte >> 4U], kHexDigits[byte & 15U]};
        }
    }
    return shown + (text.size() > most ? "...'" : "'");
}

}  // namespace proxstream
