/// Checks of the figures that advice is asked about, each violation naming the figure and what is allowed.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

#include "window/window_form.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace proxstream {

inline constexpr Index kLargestBatch = 1'000'000'000;
inline constexpr Index kMostConfirmations = 1000;

/// Everything that is wrong with the figures of one question, to be said at once.
class Violations {
  public:
    void require(bool holds, std::string text) {
        if (!holds) found_.push_back(std::move(text));
    }
    void in_range(std::string_view what, Real value, bool zero_allowed) {
        require(value <= kAbsurd && (zero_allowed ? value >= 0 : value > 0),
                fmt::format("{} = {:.6g}: must be {} and at most {:g}", what, value,
                            zero_allowed ? "0 or more" : "positive", kAbsurd));
    }
    void in_range(std::string_view what, Index value, Index most) {
        require(value >= 1 && value <= most,
                fmt::format("{} = {}: must be a whole number from 1 to {}", what, value, most));
    }
    bool empty() const { return found_.empty(); }
    void settle() {
        if (!found_.empty()) throw ConfigError(std::move(found_));
    }

  private:
    std::vector<std::string> found_;
};

inline void check_step(Violations& violations, Real smoothness, Real step) {
    violations.in_range("smoothness", smoothness, true);
    violations.in_range("step", step, false);
    if (!violations.empty()) return;
    violations.require(step * smoothness < 2,
                       fmt::format("step = {:.6g}: must be below 2/L = {:.6g}: longer steps need not descend",
                                   step, 2 / smoothness));
}

}  // namespace proxstream
