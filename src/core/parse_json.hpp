/// JSON from files: bounded, because copies of a document recurse into it.
#pragma once

#include "proxstream/core/types.hpp"

#include "core/json.hpp"

#include <string_view>

namespace proxstream {

struct JsonShape {
    Index depth = 0;     // of lists and objects in each other
    Index elements = 1;  // at most, of all of them together
};
JsonShape shape_of_json(std::string_view text) noexcept;

/// Whether lists and objects nest deeper than 100, which no format of ours does.
inline bool nests_deeply(std::string_view text) noexcept {
    return shape_of_json(text).depth > 100;
}

/// The document; discarded if it is not JSON or nests deeply.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
    return nests_deeply(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace proxstream
