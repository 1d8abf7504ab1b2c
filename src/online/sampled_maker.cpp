/// The learner that steps along estimates, from its text.
#include "online/learner_arguments.hpp"
#include "online/sampled_steps.hpp"
#include "online/update_rules.hpp"
#include "window/carried_window.hpp"

#include <string>
#include <utility>

namespace proxstream {
namespace {

RulePointer sampled_rule(const Spec& spec, const LearnerConfig& parts) {
    const Index dimension = parts.start.size();
    const std::string rule = spec.word_or("rule", "sgd");
    const bool adaptive = rule == "adam" || rule == "optimistic-adam";
    const Real step = positive_or(spec, Spec::kByNameOnly, "step", adaptive ? 0.01 : parts.step);
    const auto decay = [&spec](const char* key, Real fallback) {
        return fraction_or(spec, Spec::kByNameOnly, key, fallback);
    };
    if (rule == "sgd") return momentum(dimension, step, 0);
    if (rule == "momentum") return momentum(dimension, step, decay("beta1", 0.9));
    if (rule == "optimistic") return optimistic(dimension, step);
    if (rule == "extragradient") return extragradient(dimension, step);
    const AdamOptions options{step, decay("beta1", 0.9), decay("beta2", 0.999), 1e-8};
    if (rule == "adam") return adam(dimension, options);
    if (rule == "optimistic-adam") return optimistic_adam(dimension, options);
    throw ConfigError(unknown_name(
        "rule", rule, {"sgd", "momentum", "adam", "optimistic-adam", "optimistic", "extragradient"}));
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
    RulePointer rule = sampled_rule(spec, parts);
    AnyBatch batch = parts.make_batch(CarriedWindow::slots(options.window.length()));
    return std::make_unique<SampledSteps>(std::move(parts.g), std::move(batch), std::move(parts.start),
                                          options, std::move(rule));
}

}  // namespace proxstream
