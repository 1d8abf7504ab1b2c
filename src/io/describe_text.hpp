/// Pieces of input shown inside error messages.
#pragma once

#include <string>
#include <string_view>

namespace proxstream {

/// 'text', cut to about 40 characters, with what cannot be printed written as \xNN.
std::string quoted_excerpt(std::string_view text);

/// Why `text` is not a usable number, as "'abc' is not a number" or "the field is empty".
std::string describe_bad_number(std::string_view text);

}  // namespace proxstream
