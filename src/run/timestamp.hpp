/// Parses times in tables, and makes features of them.
#pragma once

#include "proxstream/core/types.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace proxstream {

/// Seconds since 1970 on the clock that the text shows: 2024-01-31, 2024-01-31 13:45,
/// 2024-01-31T13:45:00.5+01:00. An offset is ignored, because hours and weekdays are local. Returns nothing
/// if the text is not a time.
std::optional<Real> parse_timestamp(std::string_view text);

/// Two sine waves of the hour, seven weekdays, and the years since `origin`.
inline constexpr Index kTimeFeatures = 12;
inline constexpr std::array<std::string_view, kTimeFeatures> kTimeFeatureNames{
    "hour.sin", "hour.cos", "hour.sin2", "hour.cos2", "mon", "tue",
    "wed",      "thu",      "fri",       "sat",       "sun", "years"};
void time_features(Real seconds, Real origin, View features);

}  // namespace proxstream
