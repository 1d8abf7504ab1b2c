/// The learner that steps along estimates, from its text.
#include "online/game_rules.hpp"
#include "online/learner_arguments.hpp"
#include "online/sampled_steps.hpp"
#include "online/update_rules.hpp"

#include <string>
#include <utility>

namespace proxstream {
namespace {

using Batch = AnyBatch;

template <class Rule>
std::unique_ptr<AnyLearner> stepping(LearnerConfig parts, const SampledStepsOptions& options, Rule rule) {
    Batch batch = parts.make_batch(CarriedWindow<Batch>::slots(options.window.length()));
    return std::make_unique<SampledSteps<AnyRegulariser, Batch, Rule>>(
        std::move(parts.g), std::move(batch), std::move(parts.start), options, std::move(rule));
}

}  // namespace

std::unique_ptr<AnyLearner> make_sampled_steps(const Spec& spec, LearnerConfig parts) {
    const SampledStepsOptions options{
        .window = is_auto(parts.window) ? WindowWeights(1) : WindowWeights::parse(parts.window),
        .samples = spec.count_or("samples", 64),
        .steps = spec.count_or("steps", 1),
        .step = parts.step,
        .seed = parts.seed};
    constexpr Index kMost = 10'000'000;
    require(spec, options.samples <= kMost && options.steps <= kMost,
            "samples and steps must be at most 10000000");
    const Index dimension = parts.start.size();
    const std::string rule = spec.word_or("rule", "sgd");
    const bool adaptive = rule == "adam" || rule == "optimistic-adam";
    const Real step = positive_or(spec, Spec::kByNameOnly, "step", adaptive ? 0.01 : parts.step);
    const auto decay = [&spec](const char* key, Real fallback) {
        return fraction_or(spec, Spec::kByNameOnly, key, fallback);
    };
    if (rule == "sgd") return stepping(std::move(parts), options, Momentum(dimension, step, 0));
    if (rule == "momentum")
        return stepping(std::move(parts), options, Momentum(dimension, step, decay("beta1", 0.9)));
    if (rule == "optimistic") return stepping(std::move(parts), options, Optimistic(dimension, step));
    if (rule == "extragradient") return stepping(std::move(parts), options, Extragradient(dimension, step));
    const AdamOptions adam{step, decay("beta1", 0.9), decay("beta2", 0.999), 1e-8};
    if (rule == "adam") return stepping(std::move(parts), options, Adam(dimension, adam));
    if (rule == "optimistic-adam")
        return stepping(std::move(parts), options, OptimisticAdam(dimension, adam));
    throw ConfigError(unknown_name(
        "rule", rule, {"sgd", "momentum", "adam", "optimistic-adam", "optimistic", "extragradient"}));
}

}  // namespace proxstream
