#include "proxstream/run/header_of.hpp"

namespace proxstream {

RunHeader header_of(const LearnerFacts& facts, Index dimension) {
    RunHeader header;
    header.dimension = dimension;
    header.window = facts.window;
    header.reference_step = facts.step;
    if (facts.steps.smoothness > 0) header.smoothness = facts.steps.smoothness;
    header.step_rule = !facts.counts_steps      ? StepRule::none
                       : facts.steps.lambda > 0 ? StepRule::backtracking
                                                : StepRule::fixed;
    if (facts.steps.lambda > 0) header.acceptance = facts.steps.lambda;
    header.initial_residual = facts.initial_residual;
    header.initial_regulariser = facts.initial_regulariser;
    header.regulariser_infimum = facts.infimum_regulariser;
    header.exit_test = facts.promises_exit;
    return header;
}

}  // namespace proxstream
