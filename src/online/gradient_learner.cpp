#include "online/gradient_learner.hpp"

#include "core/stopwatch.hpp"

#include <utility>

namespace proxstream {

GradientLearner::GradientLearner(AnyRegulariser g, AnyBatch batch, std::vector<Real> start,
                                 const WindowWeights& window, Real reference_step, RulePointer rule)
    : round_(std::move(g), std::move(batch), window, ForecastRule{}, reference_step, std::move(start)),
      rule_(std::move(rule)),
      rule_before_(rule_->clone()) {}

bool GradientLearner::enter(const RecordRef& record, RoundReport& report) {
    {
        // The gradient of the loss is the rule's; the rest is measuring.
        const Stopwatch watch(seconds_);
        if (!round_.arrive(record, report)) return false;
    }
    if (!round_.judge(report)) return false;
    record_ = record;
    rule_before_->assign(*rule_);
    return true;
}

/// `start` is of no use here: the state of the rule belongs to its own path.
void GradientLearner::advance(RoundReport& report, ConstView /*start*/) {
    Iterate& iterate = round_.iterate();
    Move move(round_.g(), iterate.point, {record_, round_.window().newest_gradient()}, round_.scratch(),
              &round_.window());
    move.cost.record_gradients = 1;  // grad f_t(x_t)
    {
        const Stopwatch watch(seconds_);
        rule_->move(move);
        iterate.regulariser = move.cost.prox > 0 ? move.regulariser : iterate.regulariser;
    }
    round_.window().try_at(iterate.point, round_.scratch());
    const bool finite = round_.window().trial_finite() && all_finite(iterate.point);
    if (finite) {
        round_.window().accept_trial();
        round_.test_model();
    }
    if (!finite || !iterate.finite()) {
        rollback();
        round_.refuse(report);
    } else {
        round_.leave(report);
        report.tested_gap = report.exit_gap;
        report.status = RoundStatus::moved;
        report.steps = move.cost.prox;
        report.smallest_step = move.smallest_step;
        report.largest_step = move.largest_step;
    }
    // Of what the window counted, the gradient of the newest loss was the rule's; the rest was measuring.
    report.referee_cost = report.cost;
    --report.referee_cost.record_gradients;
    report.cost = move.cost;
}

void GradientLearner::rollback() {
    std::swap(rule_, rule_before_);
    round_.rollback();
}

RoundReport GradientLearner::revise(const std::function<void(View)>& repair) {
    RoundReport report;
    report.status = round_.revise(repair) ? RoundStatus::moved : RoundStatus::refused;
    report.referee_cost = round_.cost_since_entry();
    round_.begin_anew();
    return report;
}

RunHeader GradientLearner::facts() const {
    RunHeader facts = round_.facts();
    facts.exit_test = false;
    return facts;
}

void GradientLearner::serialise(StateArchive& archive) {
    archive.fields(Field{"round", round_}, Field{"rule", *rule_}, Field{"seconds", seconds_});
}

}  // namespace proxstream
