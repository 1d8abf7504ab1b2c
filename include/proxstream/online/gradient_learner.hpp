/// Online first-order baselines: one prox step a round along a direction made from gradients at x_t. The
/// window around them only measures, so that their ledgers hold the same figures as everyone's; what it costs
/// is the referee's account.
#pragma once

#include "proxstream/online/played_round.hpp"

#include <chrono>
#include <concepts>
#include <utility>
#include <vector>

namespace proxstream {

/// What an update rule sees of a round.
template <class Record>
struct Played {
    const Record& record;
    ConstView point;     // x_t
    ConstView gradient;  // grad f_t(x_t)
    Cost& cost;          // evaluations beyond that gradient are charged here
    Scratch& scratch;
};

/// direction(played, out) writes a search direction and returns the step to take along it; the learner then
/// plays prox_{step g}(x_t - step out). undo() forgets the last call.
template <class R, class Record>
concept UpdateRule = requires(R& rule, const Played<Record>& played, View out) {
    { rule.direction(played, out) } -> std::same_as<Real>;
    rule.undo();
};

template <Regulariser G, RecordBatch B, UpdateRule<typename B::Record> Rule>
class GradientLearner final : public Learner<typename B::Record> {
  public:
    using Record = typename B::Record;

    GradientLearner(G g, B batch, std::vector<Real> start, Index window, Real reference_step, Rule rule)
        : round_(std::move(g), std::move(batch), window, reference_step, std::move(start)),
          rule_(std::move(rule)),
          direction_(round_.iterate().point.size()) {}

    ConstView decide() const override { return round_.iterate().point; }

    RoundReport observe(const Record& record) override {
        RoundReport report;
        if (!round_.enter(record, report)) return report;
        const auto start = std::chrono::steady_clock::now();
        Iterate& iterate = round_.iterate();
        Cost own{.record_gradients = 1, .record_values = 0, .passes = 0, .prox = 1};
        const Real step = rule_.direction(
            Played<Record>{record, iterate.point, round_.window().newest_gradient(), own, round_.scratch()},
            direction_);
        step_along(iterate.point, -step, direction_, iterate.point);
        iterate.regulariser = round_.g().prox(iterate.point, step, iterate.point, round_.scratch());
        seconds_ += round_.arrival_seconds() +
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

        round_.window().try_at(iterate.point, round_.scratch());
        if (!round_.window().trial_finite() || !all_finite(iterate.point)) {
            rule_.undo();
            round_.undo(report);
            return report;
        }
        round_.window().accept_trial();
        round_.judge();
        round_.leave(report);
        report.status = RoundStatus::moved;
        report.steps = 1;
        report.smallest_step = report.largest_step = step;
        // Of what the window counted, the newest loss's gradient was the rule's; the rest was measuring.
        report.referee_cost = report.cost;
        --report.referee_cost.record_gradients;
        report.cost = own;
        return report;
    }

    LearnerFacts facts() const override {
        LearnerFacts facts = round_.facts();
        facts.promises_exit = false;
        facts.counts_steps = false;
        return facts;
    }

    std::vector<Real> closing_losses() override {
        return round_.window().values(round_.iterate().point, round_.scratch());
    }
    Real closing_regulariser() const override { return round_.iterate().regulariser; }
    double seconds() const override { return seconds_; }

  private:
    PlayedRound<G, B> round_;
    Rule rule_;
    std::vector<Real> direction_;
    double seconds_ = 0;
};

}  // namespace proxstream
