/// Bounds the depth of a TOML file before it is parsed.
#pragma once

#include <string>
#include <string_view>

namespace proxstream {

/// Throws DataError for a key of more than 32 parts, such as a.b.c. Each part is a table in a table, and the
/// library destroys nested tables by recursion. It limits nested values itself.
void check_key_parts(std::string_view text, const std::string& source);

}  // namespace proxstream
