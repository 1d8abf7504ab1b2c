/// The chart of `compare`: losses over time, relative to the first learner.
#pragma once

#include "run/compare_run.hpp"

#include <string>

namespace proxstream::app {

/// Whether the program has charts: they are in the studies, which it may have been built without.
bool has_compare_chart();

/// Writes the sliding mean loss of each learner over that of the first one, as SVG.
void write_compare_chart(const std::string& path, const CompareOutcome& outcome, const std::string& subtitle);

}  // namespace proxstream::app
