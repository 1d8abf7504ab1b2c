#include "front/split_learner.hpp"

#include "traffic/demand_batch.hpp"
#include "traffic/split_set.hpp"

#include <utility>

namespace proxstream {

std::unique_ptr<AnyLearner> make_split_learner(std::string_view text, const SplitParts& splits,
                                               LearnerParts options) {
    options.g = AnyRegulariser(SplitSet(splits.routing, splits.mu));
    options.make_batch = [routing = splits.routing](Index capacity) {
        return AnyBatch(DemandBatch(routing, capacity));
    };
    options.start = splits.start;
    options.step = splits.step;
    options.smoothness = 1 / splits.step;
    // Total cost is convex in the splits for given demand.
    options.averages = true;
    return make_learner(text, std::move(options));
}

}  // namespace proxstream
