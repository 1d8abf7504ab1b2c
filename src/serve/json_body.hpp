/// JSON from strangers: what a body may be, and where it is wrong.
#pragma once

#include "core/json.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace proxstream {

using Json = nlohmann::json;

inline constexpr std::size_t kDeepestBody = 32;

/// The text as JSON. Throws DataError that names the field for what JSON has no numbers for (NaN, Infinity,
/// 1e999), for members that come twice, and for nesting that no body needs.
Json parse_body(std::string_view text);

/// As it is compared and stored: one line, members in order, numbers in the shortest form that gives the same
/// bits.
std::string canonical(const Json& json);

}  // namespace proxstream
