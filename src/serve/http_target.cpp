#include "serve/http_target.hpp"

#include <algorithm>
#include <cstddef>

namespace proxstream {

namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Length of the character of UTF-8 that begins at `at`; 0: none does, or it is a control character.
std::size_t character(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
    const unsigned first = byte(0);
    if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return 0;
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(k) & 0xc0U) != 0x80) return 0;
    }
    // Longer than need be, surrogates, beyond the last.
    const unsigned second = byte(1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
        return 0;
    }
    return length;
}

bool decode(std::string_view text, bool plus_is_space, std::string& decoded) {
    decoded.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0) return false;
            decoded += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
        }
    }
    for (std::size_t i = 0; i < decoded.size();) {
        const std::size_t length = character(decoded, i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

}  // namespace

std::optional<HttpTarget> parse_http_target(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!target.starts_with(scheme)) continue;
        target.remove_prefix(scheme.size());
        target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
        break;
    }
    target = target.substr(0, target.find('#'));
    const std::size_t mark = std::min(target.find('?'), target.size());
    HttpTarget result;
    if (!decode(target.substr(0, mark), false, result.path)) return std::nullopt;
    if (!result.path.starts_with('/')) return std::nullopt;
    target.remove_prefix(std::min(mark + 1, target.size()));
    while (!target.empty()) {
        const std::size_t end = std::min(target.find('&'), target.size());
        const std::string_view item = target.substr(0, end);
        target.remove_prefix(std::min(end + 1, target.size()));
        if (item.empty()) continue;
        const std::size_t equals = std::min(item.find('='), item.size());
        std::string name;
        std::string value;
        if (!decode(item.substr(0, equals), true, name)) return std::nullopt;
        if (!decode(item.substr(std::min(equals + 1, item.size())), true, value)) return std::nullopt;
        result.query[name] = value;
    }
    return result;
}

}  // namespace proxstream
