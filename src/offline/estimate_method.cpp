#include "offline/estimate_method.hpp"

#include "proxstream/core/linalg.hpp"

namespace proxstream {
namespace {

/// B of an expectation of which no accuracy is asked.
constexpr Index kPlainAnchor = 4096;

}  // namespace

EstimateMethod::EstimateMethod(const ArgumentReader& arguments)
    : problem_(arguments.problem()),
      point_(problem_.start),
      previous_(point_),
      trial_(point_.size()),
      setup_cost_(arguments.setup_cost()),
      largest_batch_(arguments.largest_batch()),
      parameters_(arguments.parameters()) {}

StepStatus EstimateMethod::advance(Cost& cost) {
    if (iteration_ == 0) cost += setup_cost_;
    const ConstView estimate = find_estimate(cost);
    if (estimate.empty()) {
        copy(previous_, point_);
        return StepStatus::not_finite;
    }
    const Move move = next_move();
    step_along(point_, -move.step, estimate, trial_);
    problem_.g.prox(trial_, move.prox_step > 0 ? move.prox_step : move.step, trial_, scratch_);
    ++cost.prox;
    if (move.share < 1) {
        for (Index i = 0; i < trial_.size(); ++i) {
            trial_[i] = (1 - move.share) * point_[i] + move.share * trial_[i];
        }
    }
    if (!all_finite(trial_)) return StepStatus::not_finite;
    previous_.swap(point_);
    point_.swap(trial_);
    ++iteration_;
    return StepStatus::moved;
}

void EstimateMethod::exchange(Checkpoint& checkpoint) {
    checkpoint.fixed("point", point_);
    checkpoint.fixed("previous", previous_);
    checkpoint.exchange("iteration", iteration_);
    exchange_rest(checkpoint);
}

AnchorBatch read_anchor(ArgumentReader& arguments, Real factor, std::string_view theorem) {
    AnchorBatch anchor;
    const Real epsilon = arguments.parts().epsilon;
    if (arguments.is_sum()) {
        const std::uint64_t n = arguments.components();
        anchor.samples = arguments.count("anchor", n, "all components");
        anchor.whole = anchor.samples >= n;
    } else if (epsilon > 0 && !arguments.gives("anchor")) {
        anchor.sigma0 = arguments.sigma0();
        const Real wanted = factor * anchor.sigma0 * anchor.sigma0 / (epsilon * epsilon);
        anchor.samples =
            arguments.count("anchor", count_of(wanted),
                            format_short(factor) + " sigma_0^2 / epsilon^2, " + std::string(theorem));
    } else {
        if (arguments.gives("sigma0")) anchor.sigma0 = arguments.sigma0();
        anchor.samples = arguments.count("anchor", kPlainAnchor,
                                         "a constant: no epsilon is wanted that it could follow from");
    }
    arguments.takes(anchor.samples);
    return anchor;
}

}  // namespace proxstream
