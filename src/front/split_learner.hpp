/// Learners whose decisions are the splits of a network.
#pragma once

#include "online/learner_table.hpp"
#include "traffic/routing.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct SplitParts {
    std::shared_ptr<const Routing> routing;
    std::vector<Real> start;
    Real step = 1;  // reference step
};

/// The window text that stands for "auto" on splits: the ensemble of `route` and Router. Other texts are
/// returned as they are.
std::string split_window(const std::string& window);

/// The learner of that text on the routing's splits. `options` has the window, tolerance and budget; its
/// regulariser, store, start and steps are set here, and "auto" is replaced by split_window(). Throws
/// ConfigError.
std::unique_ptr<AnyLearner> make_split_learner(std::string_view text, const SplitParts& splits,
                                               LearnerConfig options);

}  // namespace proxstream
