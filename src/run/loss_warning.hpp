/// Warnings at the end of a run, each with what to do about it.
#pragma once

#include "run/learn_run.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// A ratio of column scales above this causes a warning.
inline constexpr Real kWideScales = 100;

/// A warning if the scales of columns differ much and nothing standardises them; else empty.
std::string scales_warning(const LearnSettings& settings, const Problem& problem);

/// One line for each warning. The settings must have no `auto` left.
std::vector<std::string> warnings(const LearnSettings& settings, const LearnRun& run,
                                  const LearnOutcome& outcome);

}  // namespace proxstream
