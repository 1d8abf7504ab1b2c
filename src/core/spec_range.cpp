#include "core/spec_range.hpp"

#include "proxstream/core/error.hpp"

#include <fmt/format.h>

namespace proxstream {

Index count_within(const Spec& spec, std::string_view key, Index fallback, Index low, Index high) {
    const Index value = spec.count_or(key, fallback);
    if (value >= low && value <= high) return value;
    throw ConfigError(
        fmt::format("'{}': {} = {} must lie between {} and {}", spec.text(), key, value, low, high));
}

Real number_within(const Spec& spec, std::string_view key, Real fallback, Real low, Real high) {
    const Real value = spec.number_or(Spec::kByNameOnly, key, fallback);
    if (value >= low && value <= high) return value;
    throw ConfigError(
        fmt::format("'{}': {} = {:g} must lie between {:g} and {:g}", spec.text(), key, value, low, high));
}

}  // namespace proxstream
