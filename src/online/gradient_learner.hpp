/// Online first-order baselines: prox steps along directions made from single losses' gradients. The window
/// around them only measures, so that their ledgers hold the same figures as everyone's; what measuring costs
/// is the referee's account.
#pragma once

#include "core/stopwatch.hpp"
#include "online/played_round.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace proxstream {

/// What an update rule sees of a round, and the one thing it does: prox steps.
template <Regulariser G, RecordBatch B>
class Move {
  public:
    static constexpr bool kReplays = true;

    Move(PlayedRound<G, B>& round, const RecordRef& newest) : newest_record(newest), round_(round) {}

    const RecordRef newest_record;
    Cost cost{.record_gradients = 1, .record_values = 0, .passes = 0, .prox = 0};  // grad f_t(x_t) is in it

    ConstView point() const noexcept { return round_.iterate().point; }
    ConstView newest_gradient() const noexcept { return round_.window().newest_gradient(); }  // grad f_t(x_t)
    Index losses_in_window() const noexcept { return round_.window().size(); }
    Scratch& scratch() noexcept { return round_.scratch(); }

    /// The gradient at point() of the loss `age` rounds old.
    void gradient(Index age, View out) {
        round_.window().record_gradient(age, point(), out, round_.scratch());
        ++cost.record_gradients;
    }
    /// Takes from a direction what lies across the affine hull of dom g. A prox would undo that part, unless
    /// the direction is rescaled coordinate by coordinate first: then it drowns what tells coordinates apart.
    void keep_within(View direction) const { project_direction(round_.g(), direction); }
    /// point <- base, a point of the rule's own: the next step begins there.
    void restart_from(ConstView base) { copy(base, round_.iterate().point); }
    /// point <- prox_{step g}(point - step direction).
    void step(Real step, ConstView direction) { this->step(step, direction, step); }
    /// The same with another step in the prox: a direction that is rescaled asks for it.
    void step(Real step, ConstView direction, Real prox_step) {
        Iterate& iterate = round_.iterate();
        step_along(iterate.point, -step, direction, iterate.point);
        iterate.regulariser = round_.g().prox(iterate.point, prox_step, iterate.point, round_.scratch());
        ++cost.prox;
        smallest_ = cost.prox == 1 ? step : std::min(smallest_, step);
        largest_ = std::max(largest_, step);
    }

    /// point <- prox_{prox_step g}(target).
    void jump_to(ConstView target, Real prox_step) {
        Iterate& iterate = round_.iterate();
        iterate.regulariser = round_.g().prox(target, prox_step, iterate.point, round_.scratch());
        ++cost.prox;
        smallest_ = largest_ = prox_step;
    }

    void report_to(RoundReport& report) const {
        report.status = RoundStatus::moved;
        report.steps = cost.prox;
        report.smallest_step = smallest_;
        report.largest_step = largest_;
        charge(report);
    }
    void charge(RoundReport& report) const {
        // Of what the window counted, the newest loss's gradient was the rule's; the rest was measuring.
        report.referee_cost = report.cost;
        --report.referee_cost.record_gradients;
        report.cost = cost;
    }

  private:
    PlayedRound<G, B>& round_;
    Real smallest_ = 0;
    Real largest_ = 0;
};

/// move(m) takes one or more steps; undo() forgets the last call.
template <class R, class G, class B>
concept UpdateRule = requires(R& rule, Move<G, B>& move) {
    rule.move(move);
    rule.rollback();
};

template <Regulariser G, RecordBatch B, UpdateRule<G, B> Rule>
class GradientLearner final : public Learner<typename B::Record> {
  public:
    using Record = typename B::Record;

    GradientLearner(G g, B batch, std::vector<Real> start, const WindowWeights& window, Real reference_step,
                    Rule rule)
        : round_(std::move(g), std::move(batch), window, ForecastRule{}, reference_step, std::move(start)),
          rule_(std::move(rule)) {}

    ConstView decide() const override { return round_.iterate().point; }

    bool enter(const Record& record, RoundReport& report) override {
        advanced_ = false;
        {
            // Of letting a loss in, its gradient is the rule's; the rest is measuring.
            const Stopwatch watch(seconds_);
            round_.arrive(record, report);
        }
        if (!round_.judge(report)) return false;
        record_ = record;
        return true;
    }

    /// Somebody else's point is of no use here: the rule's own state belongs to its own path.
    void advance(RoundReport& report, ConstView /*start*/) override {
        Move<G, B> move(round_, record_);
        {
            const Stopwatch watch(seconds_);
            rule_.move(move);
        }

        round_.window().try_at(round_.iterate().point, round_.scratch());
        if (!round_.window().trial_finite() || !all_finite(round_.iterate().point)) {
            rule_.rollback();
            round_.rollback(report);
            move.charge(report);
            return;
        }
        round_.window().accept_trial();
        round_.test_model();
        if (!round_.iterate().finite()) {
            rule_.rollback();
            round_.rollback(report);
            move.charge(report);
            return;
        }
        round_.leave(report);
        report.tested_gap = report.exit_gap;
        move.report_to(report);
        advanced_ = true;
    }

    void rollback() override {
        if (advanced_) rule_.rollback();
        advanced_ = false;
        round_.rollback();
    }

    RoundReport revise(const std::function<void(View)>& repair) override {
        RoundReport report;
        const bool finite = round_.revise(repair);
        report.status = finite ? RoundStatus::moved : RoundStatus::refused;
        report.referee_cost = round_.cost_since_entry();
        round_.begin_anew();
        return report;
    }

    LearnerFacts facts() const override {
        LearnerFacts facts = round_.facts();
        facts.promises_exit = false;
        facts.counts_steps = false;
        return facts;
    }

    Closing close() override { return round_.close(); }
    double seconds() const override { return seconds_; }

    void serialise(StateArchive& archive) override {
        archive.section("round", round_);
        archive.section("rule", rule_);
        archive.field("advanced", advanced_);
        archive.field("seconds", seconds_);
    }

  private:
    PlayedRound<G, B> round_;
    Rule rule_;
    RecordRef record_;  // the newest, between enter() and advance()
    bool advanced_ = false;
    double seconds_ = 0;
};

}  // namespace proxstream
