/// The text behind "builtin:", `name,key=value,...`, which built-in streams read alike.
#pragma once

#include "proxstream/core/spec.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace proxstream {

/// The stream's name takes the place of a spec's: "drift,rows=9" is read as "drift:rows=9".
Spec builtin_spec(std::string_view text);

/// Unlike Spec::count, 0 is one too (a seed) and so is what a double cannot hold.
std::uint64_t whole_number(const Spec& spec, const std::string& key, std::uint64_t fallback);

}  // namespace proxstream
