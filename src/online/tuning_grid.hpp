/// The values among which a comparison chooses a learner's learning rate, or its other single parameter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// The learner's text with each value of its grid. The text alone if it names the parameter itself, or if
/// there is none to choose.
std::vector<std::string> tuning_candidates(std::string_view learner);

}  // namespace proxstream
