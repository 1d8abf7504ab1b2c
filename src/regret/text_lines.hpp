/// Lines of the certificates for terminals.
#pragma once

#include "append.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace proxstream {

constexpr std::size_t kWidth = 100;  // columns

/// Words of `text` on lines of at most kWidth columns, indented.
inline void append_wrapped(std::string& out, std::string_view text, std::size_t indent) {
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find(' '), text.size());
        if (column > 0 && column + 1 + length > kWidth) {
            out += '\n';
            column = 0;
        }
        if (column == 0) {
            out.append(indent, ' ');
            column = indent;
        } else {
            out += ' ';
            ++column;
        }
        out += text.substr(0, length);
        column += length;
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    out += '\n';
}

/// Cut where a list of weights would fill the screen.
inline std::string shortened(const std::string& text, std::size_t most) {
    return text.size() <= most ? text : text.substr(0, most - 2) + "..";
}

}  // namespace proxstream
