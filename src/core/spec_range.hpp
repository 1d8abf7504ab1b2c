/// Arguments of a spec by name, within a range. Throw ConfigError with the value and the range.
#pragma once

#include "proxstream/core/spec.hpp"

namespace proxstream {

Index count_within(const Spec& spec, std::string_view key, Index fallback, Index low, Index high);
Real number_within(const Spec& spec, std::string_view key, Real fallback, Real low, Real high);

}  // namespace proxstream
