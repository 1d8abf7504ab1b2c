#include "front/learner_settings.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "online/selector.hpp"
#include "solve/inner_table.hpp"

namespace proxstream {

LearnerConfig learner_config(const LearnerSettings& settings) {
    return {.g = parse_regulariser("zero"),
            .make_batch = {},
            .start = {},
            .window = settings.window,
            .selection = settings.selection == "auto" ? std::string() : settings.selection,
            .model = ForecastRule::parse(settings.model),
            .hysteresis = settings.hysteresis,
            .switching = settings.switching,
            .tolerance = Tolerance::parse(settings.tolerance),
            .budget = {settings.max_steps, settings.max_seconds},
            .effort = settings.effort > 0 ? settings.effort : kInfinity,
            .inner = settings.inner};
}

NoiseParts noise_parts(const OracleSettings& settings) {
    return {.oracle = settings.oracle,
            .confirm = settings.confirm,
            .confidence = settings.confidence,
            .refereed = settings.referee,
            .force = settings.force};
}

void check_window(const std::string& window) {
    measured_window(window);
}

void check_selection(const std::string& selection) {
    if (selection != "auto") Selection::parse(selection);
}

void check_model(const std::string& model) {
    ForecastRule::parse(model);
}

void check_step(const std::string& step) {
    number_or_auto("step", step);
}

void check_tolerance(const std::string& tolerance) {
    Tolerance::parse(tolerance);
}

void check_inner(const std::string& inner) {
    // The learner that uses spider checks its text.
    if (Spec::parse(inner).name() != "spider") parse_inner(inner, 1);
}

}  // namespace proxstream
