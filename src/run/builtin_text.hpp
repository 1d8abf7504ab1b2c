/// Reads the text after "builtin:", `name,key=value,...`.
#pragma once

#include "proxstream/core/spec.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace proxstream {

/// "drift,rows=9" is read as "drift:rows=9".
Spec builtin_spec(std::string_view text);

/// Unlike Spec::count, accepts 0 (a seed) and integers above 2^53.
std::uint64_t whole_number(const Spec& spec, const std::string& key, std::uint64_t fallback);

}  // namespace proxstream
