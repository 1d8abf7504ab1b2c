/// The result of a comparison as text: a table of 80 columns, a sentence, and CSV.
#pragma once

#include "run/compare_run.hpp"

#include <string>

namespace proxstream {

/// The table. The least loss of a learner that did not fail is marked.
std::string compare_table(const CompareOutcome& outcome);

/// A sentence on the first learner, under the name `first`: "the automatic window is 1.2 % above the best
/// (rls)". Empty if there is nothing to compare it with.
std::string compare_verdict(const CompareOutcome& outcome, const std::string& first);

/// All figures with full digits, a line for each learner; an unknown figure is empty.
std::string compare_csv(const CompareOutcome& outcome);

}  // namespace proxstream
