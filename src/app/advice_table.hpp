/// Advice on several windows as a table a human can read, and the command that takes it.
#pragma once

#include "proxstream/online/advice.hpp"

#include "run/learn_settings.hpp"

#include <vector>

namespace proxstream::app {

struct AdviceRow {
    AdviceInput input;
    Advice advice;
};

/// A line a window; marked where exact gradients would cost less.
void print_advice(const std::vector<AdviceRow>& table);

/// The command line of `learn` for the row with the smallest regret bound, of those where sampling pays; data
/// and model as in `settings`.
void print_command(const std::vector<AdviceRow>& table, const LearnSettings& settings);

/// Whether an option says something about data or model, and not about learning.
bool describes_problem(const OptionRow<LearnSettings>& row);

}  // namespace proxstream::app
