#include "online/learner_arguments.hpp"

#include "prox/anchored.hpp"

#include <string>

namespace proxstream {

void require(const Spec& spec, bool holds, const std::string& what) {
    if (!holds) throw ConfigError("'" + spec.text() + "': " + what);
}

Real positive_or(const Spec& spec, Index position, const char* key, Real fallback) {
    const Real value = spec.number_or(position, key, fallback);
    require(spec, value > 0, std::string(key) + " must be positive");
    return value;
}

Real fraction_or(const Spec& spec, Index position, const char* key, Real fallback) {
    const Real value = spec.number_or(position, key, fallback);
    require(spec, value >= 0 && value < 1, std::string(key) + " must lie in [0, 1)");
    return value;
}

bool is_auto(std::string_view window) {
    return Spec::parse(window).name() == "auto";
}

void read_solver_arguments(const Spec& spec, LearnerConfig& parts) {
    if (spec.has("model")) parts.model = ForecastRule::parse(spec.word(Spec::kByNameOnly, "model"));
    parts.hysteresis = spec.number_or(Spec::kByNameOnly, "hysteresis", parts.hysteresis);
    parts.switching = spec.number_or(Spec::kByNameOnly, "switching", parts.switching);
    if (spec.has("proximal")) parts.proximal.take_text(spec.word(Spec::kByNameOnly, "proximal"));
    parts.effort = spec.number_or(Spec::kByNameOnly, "effort", parts.effort);
    if (spec.has("inner")) parts.inner = spec.word(Spec::kByNameOnly, "inner");
    if (spec.has("oracle")) parts.noise.oracle = spec.word(Spec::kByNameOnly, "oracle");
    parts.noise.variant = spec.word_or("variant", parts.noise.variant);
    parts.noise.confirm = spec.count_or("confirm", parts.noise.confirm);
    if (spec.has("tolerance")) {
        parts.tolerance =
            Tolerance::parse(spec.word(Spec::kByNameOnly, "tolerance")).starting(parts.tolerance.start());
    }
    require(spec, parts.effort > 0, "effort must be positive");
    require(spec, parts.hysteresis > 0 && parts.hysteresis <= 1, "hysteresis must lie in (0, 1]");
    require(spec, parts.switching >= 0 && parts.switching < kInfinity,
            "switching must be finite and not negative");
    require(spec, parts.switching == 0 || supports_switching(parts.g),
            "this regulariser has no known prox together with a switching penalty; separable ones and "
            "simplices have");
}

}  // namespace proxstream
