#include "solve/reduced_objective.hpp"

#include <cmath>
#include <utility>

namespace proxstream {

ReducedObjective::ReducedObjective(SmoothObjective& full, ConstView anchor, Scratch::Frame& frame)
    : full_(full),
      anchor_(anchor),
      move_(frame.take(anchor.size())),
      gradient_(frame.take(anchor.size())),
      trial_gradient_(frame.take(anchor.size())),
      value_(full.value()) {
    copy(full.gradient(), gradient_);
}

Real ReducedObjective::try_at(ConstView y, Scratch& scratch) {
    subtract(y, anchor_, move_);
    const Real bend = full_.reduced_bend(move_, trial_gradient_, scratch);
    trial_value_ = full_.value() + (dot(full_.gradient(), move_) + bend);
    axpy(1, full_.gradient(), trial_gradient_);
    return trial_value_;
}

bool ReducedObjective::trial_finite() const {
    return std::isfinite(trial_value_) && all_finite(trial_gradient_);
}

void ReducedObjective::accept_trial() {
    value_ = trial_value_;
    std::swap(gradient_, trial_gradient_);
}

}  // namespace proxstream
