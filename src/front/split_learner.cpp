#include "front/split_learner.hpp"

#include "traffic/demand_batch.hpp"
#include "traffic/split_set.hpp"

#include <utility>

namespace proxstream {

namespace {

/// Chosen on the built-in networks, one week of Abilene and two data-centre pods (docs/routing.md). A window
/// of the last demand alone works to a tight tolerance, which makes it nearly a new solution every period. A
/// window of the whole history works to a loose one: it moves seldom, and holds what earlier bursts taught.
/// Short windows solve to their test; longer ones save up for a pass every other period. Four times that
/// effort took 1.7 times the time and was no better. No first-order member. All members weigh the same at
/// first, and its slow start would keep a mean of splits from the optimum in the second period.
constexpr const char* kSplitEnsemble =
    "auto:windows=4/32/256,"
    "also=(time-smoothed:tolerance=auto:0.03)/(time-smoothed:window=4096,tolerance=auto:50),"
    "steps=50,effort=128";

}  // namespace

std::string split_window(const std::string& window) {
    return window == "auto" ? kSplitEnsemble : window;
}

std::unique_ptr<AnyLearner> make_split_learner(std::string_view text,
                                               const std::shared_ptr<const Routing>& routing,
                                               LearnerConfig config) {
    config.window = split_window(config.window);
    config.g = AnyRegulariser(SplitSet(routing));
    config.make_batch = [routing](Index capacity) { return AnyBatch(DemandBatch(routing, capacity)); };
    config.tolerance = config.tolerance.starting(Tolerance::Start::solve);
    config.smoothness = 1 / config.step;
    // The mean of good splits may be a bad one where losses are not convex: one member is drawn there.
    config.averages = routing->costs.convex();
    return make_learner(text, std::move(config));
}

}  // namespace proxstream
