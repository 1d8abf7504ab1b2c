/// JSON from clients: parsed with strict rules; errors name the field that is wrong.
#pragma once

#include "core/json.hpp"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace proxstream {

using Json = nlohmann::json;

inline constexpr std::size_t kDeepestBody = 32;

/// Throws DataError that names the field for numbers that JSON does not have (NaN, Infinity, 1e999), for
/// members that come twice, and for more than kDeepestBody levels.
Json parse_body(std::string_view text);

/// The form that is compared and stored: one line, sorted members, the shortest numbers with the same bits.
std::string canonical(const Json& json);

inline constexpr const char* kBody = "body";  // a source

/// Throws DataError. `source` is what the field belongs to: body, record, line.
[[noreturn]] void refuse_field(const char* source, const std::string& field, const std::string& problem,
                               const std::string& expected);

/// The path of a member of the object at `place`; the outermost object's place is empty.
std::string inside(const std::string& place, const std::string& name);

/// Throws DataError unless it is an object whose members all have one of these names.
void require_members(const char* source, const Json& object, const std::string& place,
                     std::initializer_list<const char*> names);

}  // namespace proxstream
