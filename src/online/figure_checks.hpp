/// Checks of the figures that advice is asked about, each violation naming the figure and what is allowed.
#pragma once

#include "proxstream/core/types.hpp"

#include "core/violations.hpp"
#include "window/window_form.hpp"

#include <string_view>

namespace proxstream {

inline constexpr Index kLargestBatch = 1'000'000'000;
inline constexpr Index kMostConfirmations = 1000;

inline void check_range(Violations& violations, std::string_view what, Real value, bool zero_allowed) {
    violations.require(value <= kAbsurd && (zero_allowed ? value >= 0 : value > 0),
                       "{} = {:.6g}: must be {} and at most {:g}", what, value,
                       zero_allowed ? "0 or more" : "positive", kAbsurd);
}

inline void check_range(Violations& violations, std::string_view what, Index value, Index most) {
    violations.require(value >= 1 && value <= most, "{} = {}: must be a whole number from 1 to {}", what,
                       value, most);
}

inline void check_step(Violations& violations, Real smoothness, Real step) {
    check_range(violations, "smoothness", smoothness, true);
    check_range(violations, "step", step, false);
    if (!violations.empty()) return;
    violations.require(step * smoothness < 2,
                       "step = {:.6g}: must be below 2/L = {:.6g}: longer steps need not descend", step,
                       2 / smoothness);
}

}  // namespace proxstream
