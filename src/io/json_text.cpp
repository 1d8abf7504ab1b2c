#include "io/json_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace proxstream {
namespace {

/// Bytes of the UTF-8 character that `text` starts with; 0 if it starts with none.
Index character_length(std::string_view text) {
    const auto byte = [&](Index i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const Index length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    for (Index i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) return 0;
    }
    // Neither an overlong form, nor half of a UTF-16 pair, nor beyond Unicode.
    const unsigned second = byte(1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
    if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
    return length;
}

}  // namespace

void JsonText::separate() {
    if (out_.empty()) return;
    const char last = out_.back();
    if (last != '[' && last != '{' && last != ':') out_ += ',';
}

void JsonText::open(char bracket) {
    separate();
    out_ += bracket;
}

void JsonText::close(char bracket) {
    out_ += bracket;
}

void JsonText::key(std::string_view name) {
    separate();
    quote(name);
    out_ += ':';
}

void JsonText::number(Real value) {
    if (!std::isfinite(value)) return null();
    separate();
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    out_.append(buffer.data(), end);
}

void JsonText::number(Real value, int digits) {
    if (!std::isfinite(value)) return null();
    separate();
    std::array<char, 64> buffer;
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits)
            .ptr;
    out_.append(buffer.data(), end);
}

void JsonText::integer(Index value) {
    separate();
    out_ += std::to_string(value);
}

void JsonText::flag(bool value) {
    separate();
    out_ += value ? "true" : "false";
}

void JsonText::null() {
    separate();
    out_ += "null";
}

void JsonText::text(std::string_view value) {
    separate();
    quote(value);
}

void JsonText::json(std::string_view value) {
    separate();
    // All that has to be escaped can only stand in strings.
    for (Index i = 0; i < value.size(); ++i) {
        const std::string_view three = value.substr(i, 3);
        if (value[i] == '<') {
            out_ += "\\u003c";
        } else if (three == "\xE2\x80\xA8" || three == "\xE2\x80\xA9") {
            (out_ += "\\u202") += three.back() == '\xA8' ? '8' : '9';
            i += 2;
        } else {
            out_ += value[i];
        }
    }
}

void JsonText::quote(std::string_view value) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out_ += '"';
    while (!value.empty()) {
        const Index length = character_length(value);
        const std::string_view character = value.substr(0, length);
        const char c = value.front();
        const auto code = static_cast<unsigned char>(c);
        if (length == 0) {
            out_ += "\\ufffd";
        } else if (c == '"' || c == '\\') {
            (out_ += '\\') += c;
        } else if (code < 0x20 || code == 0x7F || c == '<') {
            ((out_ += "\\u00") += kHex[code >> 4U]) += kHex[code & 15U];
        } else if (character == "\xE2\x80\xA8" || character == "\xE2\x80\xA9") {
            (out_ += "\\u202") += character.back() == '\xA8' ? '8' : '9';
        } else {
            out_ += character;
        }
        value.remove_prefix(length == 0 ? 1 : length);
    }
    out_ += '"';
}

}  // namespace proxstream
