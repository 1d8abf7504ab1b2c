#include "rounding.hpp"

#include "core/rounding.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

RoundingBounds::RoundingBounds(const RunHeader& header)
    : relative_(relative_rounding(header.dimension + header.window)),
      curvature_(std::max(1 / header.reference_step, header.smoothness.value_or(0))),
      prox_(header.prox_scale / header.reference_step),
      accepts_steps_(header.step_rule != StepRule::none),
      noisy_(header.noise.has_value()),
      span_(std::max<Round>(header.window, 1)),
      underflow_(lost_to_underflow(header.dimension + header.window)) {}

void RoundingBounds::Sizes::add(const Sizes& other) {
    point = std::max(point, other.point);
    gradient = std::max(gradient, other.gradient);
    value = std::max(value, other.value);
    curvature = std::max(curvature, other.curvature);
    walked += other.walked;
}

void RoundingBounds::judge(RoundReport& report) {
    if (filled_ == span_) {
        before_ = now_;
        now_ = {};
        filled_ = 0;
    }
    ++filled_;
    const Real walked = std::max(report.movement, report.jump + report.path);
    const auto finite = [](Real value) { return std::isfinite(value) ? std::abs(value) : 0; };
    now_.add({.point = report.point_norm + walked,
              .gradient = report.gradient_norm,
              .value = std::max({std::abs(report.loss), std::abs(report.outgoing_loss),
                                 finite(report.objective_entry), finite(report.objective_exit)}) +
                       finite(report.regulariser),
              .curvature = accepts_steps_ && report.smallest_step > 0 ? 1 / report.smallest_step : Real{0},
              .walked = walked});
    ++carried_;
    Sizes sizes = now_;
    sizes.add(before_);
    // A loss that came at another point has changed its gradient by at most L times the way since then.
    const Real curvature = std::max(curvature_, sizes.curvature);
    const Real gradient = sizes.gradient + curvature * sizes.walked;
    const Real drift = 40 * kUnitRoundoff * static_cast<Real>(carried_);
    report.gap_rounding = relative_ * (curvature * sizes.point + gradient + prox_) + drift * gradient;
    report.objective_rounding = relative_ * (sizes.value + gradient * sizes.point) + drift * sizes.value;
    // Where nothing differs from 0, nothing was lost: a gradient that underflows to 0 is not reported as 0.
    const bool differs = sizes.point > 0 || gradient > 0;
    if (differs) report.gap_rounding += std::sqrt(underflow_) * (1 + curvature);
    if (differs || sizes.value > 0) report.objective_rounding += underflow_ * (1 + curvature);
    // An accepted step, and the pass that confirms a quiet round, evaluate the whole window.
    const std::uint64_t passes = noisy_ ? report.referee_cost.passes : report.cost.passes;
    if (report.steps > 0 || (report.status == RoundStatus::quiet && passes > 0)) carried_ = 0;
}

void RoundingBounds::Sizes::serialise(StateArchive& archive) {
    archive.fields(Field{"point", point}, Field{"gradient", gradient}, Field{"value", value},
                   Field{"curvature", curvature}, Field{"walked", walked});
}

void RoundingBounds::serialise(StateArchive& archive) {
    archive.fields(Field{"sizes now", now_}, Field{"sizes before", before_}, Field{"rounds filled", filled_},
                   Field{"rounds carried", carried_});
}

}  // namespace proxstream
