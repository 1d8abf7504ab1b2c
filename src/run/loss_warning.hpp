/// Why a run may have ended with a loss above that of the best constant, from what was measured.
#pragma once

#include "run/learn_run.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// Column scales further apart than this are worth a warning.
inline constexpr Real kWideScales = 100;

/// One sentence for each likely cause, with what to set. Empty: the loss is not above the best constant, or
/// there is none. Settings without `auto`.
std::vector<std::string> above_constant(const LearnSettings& settings, const LearnRun& run,
                                        const LearnOutcome& outcome);

}  // namespace proxstream
