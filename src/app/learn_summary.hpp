/// The end of a run of `learn` on the screen: what came of it, in about ten lines, and warnings.
#pragma once

#include "run/learn_run.hpp"

namespace proxstream::app {

/// Over all rows; also over the newest, if there are more rows than that.
void print_metrics(const Metrics& metrics, Index newest = Metrics::kRecentRows);

/// Settings without `auto`.
void print_summary(const LearnSettings& settings, const LearnRun& run, const LearnOutcome& outcome);

}  // namespace proxstream::app
