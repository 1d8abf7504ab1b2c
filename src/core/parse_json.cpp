#include "core/parse_json.hpp"

#include <algorithm>

namespace proxstream {

JsonShape shape_of_json(std::string_view text) noexcept {
    JsonShape shape;
    Index depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            if (c == '\\') ++at;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            shape.depth = std::max(shape.depth, ++depth);
        } else if (c == ']' || c == '}') {
            depth -= std::min<Index>(depth, 1);
        } else if (c == ',') {
            ++shape.elements;
        }
    }
    return shape;
}

}  // namespace proxstream
