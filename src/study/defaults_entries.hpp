/// What the default is compared with: fixed windows and rivals, for rows and for networks.
#pragma once

#include "study/stream_comparison.hpp"
#include "study/study.hpp"

#include <string>
#include <vector>

namespace proxstream {

inline constexpr const char* kDefaultEntry = "default";
inline constexpr const char* kMiddleWindow = "window 64";
inline constexpr const char* kAdagradEntry = "adagrad";

/// The default, fixed windows, and the rivals; learners that the learner table does not have are left out.
std::vector<Entry> row_entries(StudyPreset preset);

struct RouteEntry {
    std::string name;
    std::string text;  // as --learner and --rivals take it
    bool draws = false;
};
/// The same for networks; the first is the default.
std::vector<RouteEntry> route_entries(StudyPreset preset);

bool is_fixed_window(std::string_view entry);
/// Whether the default is measured against it: not the default itself, nor an entry that knows the future.
bool is_rival(std::string_view entry);

}  // namespace proxstream
