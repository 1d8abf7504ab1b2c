#include "online/update_rule.hpp"

#include "window/carried_window.hpp"

#include <algorithm>

namespace proxstream {

Index Move::losses_in_window() const {
    return window_ == nullptr ? 0 : window_->size();
}

void Move::gradient(Index age, View out) {
    window_->record_gradient(age, point_, out, scratch_);
    ++cost.record_gradients;
}

void Move::step(Real step, ConstView direction, Real prox_step) {
    step_along(point_, -step, direction, point_);
    apply_prox(point_, prox_step, step);
}

void Move::jump_to(ConstView target, Real prox_step) {
    apply_prox(target, prox_step, prox_step);
}

void Move::jump_to(ConstView target, ConstView prox_steps) {
    regulariser = g_.weighted_prox(target, prox_steps, point_, scratch_);
    const auto [least, most] = std::minmax_element(prox_steps.begin(), prox_steps.end());
    count_prox(*least);
    largest_step = std::max(largest_step, *most);
}

void Move::apply_prox(ConstView target, Real prox_step, Real step) {
    regulariser = g_.prox(target, prox_step, point_, scratch_);
    count_prox(step);
}

void Move::count_prox(Real step) {
    ++cost.prox;
    smallest_step = cost.prox == 1 ? step : std::min(smallest_step, step);
    largest_step = std::max(largest_step, step);
}

}  // namespace proxstream
