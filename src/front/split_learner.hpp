/// Learners whose decisions are the splits of a network.
#pragma once

#include "online/learner_table.hpp"
#include "traffic/routing.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace proxstream {

/// The window text that stands for "auto" on splits: the ensemble of `route` and Router. Other texts are
/// returned as they are.
std::string split_window(const std::string& window);

/// The learner of that text on the routing's splits. `config` has window, tolerance, budget, start and
/// reference step; regulariser and store are set here, and "auto" is replaced by split_window(). Throws
/// ConfigError.
std::unique_ptr<AnyLearner> make_split_learner(std::string_view text,
                                               const std::shared_ptr<const Routing>& routing,
                                               LearnerConfig config);

}  // namespace proxstream
