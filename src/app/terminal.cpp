#include "app/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace proxstream::app {
namespace {

bool colours_wanted() {
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(fileno(stderr)) != 0 && (refused == nullptr || *refused == '\0') && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
}

std::string_view code(Tint tint) {
    switch (tint) {
        case Tint::good:
            return "32";
        case Tint::bad:
            return "1;31";
        case Tint::warning:
            return "33";
        case Tint::strong:
            return "1";
        default:
            return "2";
    }
}

}  // namespace

bool shows_colours() {
    static const bool shown = colours_wanted();
    return shown;
}

std::string tinted(Tint tint, std::string_view text) {
    if (!shows_colours()) return std::string(text);
    return "\033[" + std::string(code(tint)) + 'm' + std::string(text) + "\033[0m";
}

std::string wrapped(std::string_view text, std::size_t indent) {
    constexpr std::size_t kColumns = 80;
    std::string out;
    std::size_t column = indent;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find(' '), text.size());
        if (column > indent && column + 1 + length > kColumns) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            out += ' ';
            ++column;
        }
        out += text.substr(0, length);
        column += length;
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return out;
}

}  // namespace proxstream::app
