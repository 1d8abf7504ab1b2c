#include "front/header_of.hpp"

#include "proxstream/core/error.hpp"

#include <string>

namespace proxstream {

RunHeader header_of(const LearnerFacts& facts, Index dimension) {
    if (facts.dimension != 0 && dimension != facts.dimension) {
        throw ConfigError("the header has n = " + std::to_string(dimension) +
                          "; the learner's decisions have " + std::to_string(facts.dimension) +
                          " coordinates");
    }
    RunHeader header;
    header.dimension = dimension;
    header.name = facts.name;
    header.window = facts.window;
    header.window_text = facts.window_text;
    header.effective_length = facts.effective_length;
    header.model = facts.model;
    header.hysteresis = facts.hysteresis;
    header.switching = facts.switching;
    header.proximal = facts.proximal;
    header.reference_step = facts.step;
    if (facts.steps.smoothness > 0) header.smoothness = facts.steps.smoothness;
    header.step_rule = !facts.counts_steps      ? StepRule::none
                       : facts.steps.lambda > 0 ? StepRule::backtracking
                                                : StepRule::fixed;
    if (facts.steps.lambda > 0) header.acceptance = facts.steps.lambda;
    header.initial_gap = facts.initial_gap;
    header.initial_objective = facts.initial_objective;
    header.initial_records = facts.initial_records;
    header.regulariser_infimum = facts.infimum_regulariser;
    header.prox_scale = facts.prox_scale;
    header.exit_test = facts.promises_exit;
    header.measured = facts.measured;
    header.noise = facts.noise;
    header.play = facts.play;
    for (const LearnerFacts& member : facts.members) header.members.push_back(header_of(member, dimension));
    return header;
}

}  // namespace proxstream
