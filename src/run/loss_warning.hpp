/// What a user should know of a run besides its figures, and what to do about it.
#pragma once

#include "run/learn_run.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// Column scales further apart than this are worth a warning.
inline constexpr Real kWideScales = 100;

/// If columns are on very different scales and nothing scales them: a warning, with the cure.
std::string scales_warning(const LearnSettings& settings, const Problem& problem);

/// One line for each warning, with the cure. Settings without `auto`.
std::vector<std::string> warnings(const LearnSettings& settings, const LearnRun& run,
                                  const LearnOutcome& outcome);

}  // namespace proxstream
