#include "online/time_smoothed.hpp"

namespace proxstream {

TimeSmoothed::TimeSmoothed(AnyRegulariser g, AnyBatch batch, std::vector<Real> start,
                           const TimeSmoothedOptions& options, InnerSolver inner)
    : round_(std::move(g), std::move(batch), options.window, options.model, options.step, std::move(start)),
      tolerance_(options.tolerance),
      effective_length_(options.window.effective_length()),
      hysteresis_(options.hysteresis),
      anchored_(round_.g(),
                {.kappa = options.switching /
                          (effective_length_ * std::sqrt(static_cast<Real>(round_.iterate().point.size()))),
                 .mu = options.proximal},
                round_.iterate().point.size()),
      budget_(options.budget),
      effort_(options.effort),
      inner_(std::move(inner)),
      inner_before_(inner_) {}

RoundReport TimeSmoothed::observe(const RecordRef& record) {
    const Stopwatch watch(seconds_);
    RoundReport report;
    if (let_in(record, report)) move_on(report, {});
    return report;
}

bool TimeSmoothed::enter(const RecordRef& record, RoundReport& report) {
    const Stopwatch watch(seconds_);
    return let_in(record, report);
}

void TimeSmoothed::advance(RoundReport& report, ConstView start) {
    const Stopwatch watch(seconds_);
    move_on(report, start);
}

void TimeSmoothed::rollback() {
    if (inner_used_) std::swap(inner_, inner_before_);
    savings_ = savings_before_;
    tolerance_.rollback();
    round_.rollback();
}

RoundReport TimeSmoothed::revise(const std::function<void(View)>& repair) {
    const Stopwatch watch(seconds_);
    RoundReport report;
    if (!round_.revise(repair)) {
        report.status = RoundStatus::refused;
        report.cost = round_.cost_since_entry();
        return report;
    }
    report.tolerance = tolerance_.current(effective_length_);
    report.target_gap = hysteresis_ * report.tolerance;
    InnerReport inner;
    inner_before_ = inner_;
    const auto solve = [&](RegulariserRef g) {
        if (round_.iterate().gap <= report.tolerance) return;
        inner = inner_.solve(inner_problem(g, report.target_gap, budget_), round_.iterate());
    };
    if (anchored_.weights().mu > 0) {
        // A window without a minimiser would let the repaired point run away here, too.
        test_anchored();
        solve(anchored_);
        leave_anchor();
    } else {
        solve(round_.g());
    }
    const bool finite = inner.status != SolveStatus::not_finite && round_.iterate().finite();
    report.status = !finite                                         ? RoundStatus::refused
                    : inner.status == SolveStatus::budget_exhausted ? RoundStatus::budget_exhausted
                    : inner.steps > 0                               ? RoundStatus::solved
                                                                    : RoundStatus::quiet;
    if (!finite) std::swap(inner_, inner_before_);
    static_cast<StepSums&>(report) = static_cast<const StepSums&>(inner);
    report.exit_gap = round_.iterate().gap;
    report.cost = round_.cost_since_entry();
    round_.begin_anew();
    return report;
}

RunHeader TimeSmoothed::facts() const {
    RunHeader facts = round_.facts();
    facts.exit_test = tolerance_.promises_exit();
    note_steps(inner_.step_claim(), facts);
    facts.hysteresis = hysteresis_;
    facts.switching = anchored_.weights().kappa;
    facts.proximal = anchored_.weights().mu;
    return facts;
}

void TimeSmoothed::serialise(StateArchive& archive) {
    archive.fields(Field{"round", round_}, Field{"tolerance", tolerance_}, Field{"savings", savings_},
                   Field{"inner", inner_}, Field{"seconds", seconds_});
}

bool TimeSmoothed::let_in(const RecordRef& record, RoundReport& report) {
    if (!round_.arrive(record, report) || !round_.judge(report)) return false;
    const Real change = round_.mapping_change();
    report.tolerance = tolerance_.next(effective_length_, change > report.gap_rounding ? change : 0);
    report.target_gap = hysteresis_ * report.tolerance;
    savings_before_ = savings_;
    inner_used_ = false;
    return true;
}

void TimeSmoothed::move_on(RoundReport& report, ConstView start) {
    const bool anchored = anchored_.weights().any();
    if (anchored) test_anchored();
    if (needs_confirmation(report)) {
        round_.confirm(report);
        if (anchored) test_anchored();
    }
    if (anchored) {
        solve_model(anchored_, report, start);
    } else {
        solve_model(round_.g(), report, start);
    }
}

void TimeSmoothed::test_anchored() {
    anchored_.centre(round_.iterate().point);
    test_at(round_.iterate(), round_.window().gradient(), anchored_, round_.step(), round_.scratch());
    ++round_.inner_cost().prox;
}

void TimeSmoothed::leave_anchor() {
    round_.iterate().regulariser = round_.g().value(round_.iterate().point, round_.scratch());
    round_.test_model();
}

bool TimeSmoothed::needs_confirmation(const RoundReport& report) const {
    if (!round_.window().carried()) return false;
    return round_.window().due_for_pass() ||
           std::abs(round_.iterate().gap - report.tolerance) <= report.gap_rounding;
}

InnerProblem TimeSmoothed::inner_problem(RegulariserRef g, Real target_gap, const Budget& budget) {
    return {.objective = round_.window(),
            .g = g,
            .reference_step = round_.step(),
            .tolerance = target_gap,
            .budget = budget,
            .scratch = round_.scratch(),
            .cost = round_.inner_cost()};
}

void TimeSmoothed::solve_model(RegulariserRef g, RoundReport& report, ConstView start) {
    Iterate& iterate = round_.iterate();
    const Cost entry_cost = effort_ < kInfinity ? round_.cost_since_entry() : Cost{};
    InnerReport inner;
    const bool active = iterate.gap > report.tolerance;
    if (active) {
        const Budget budget = affordable();
        if (!start.empty() && budget.max_steps > 0) start_from(g, start, report);
        inner_before_ = inner_;
        inner_used_ = true;
        inner = inner_.solve(inner_problem(g, report.target_gap, budget), iterate);
    }
    // A solver that met a value that is not finite has ended where it stands, as if its budget had ended.
    report.status = !tolerance_.promises_exit()              ? RoundStatus::moved
                    : inner.status != SolveStatus::converged ? RoundStatus::budget_exhausted
                    : active                                 ? RoundStatus::solved
                                                             : RoundStatus::quiet;
    static_cast<StepSums&>(report) = static_cast<const StepSums&>(inner);
    report.tested_gap = iterate.gap;
    if (anchored_.weights().any()) {
        report.penalty = anchored_.penalty(iterate.point);
        leave_anchor();
    }
    // A broken prox; or squares that overflow before the numbers do.
    if (!iterate.finite() || !std::isfinite(inner.squared_gaps + inner.path)) {
        rollback();
        round_.refuse(report);
        return;
    }
    round_.leave(report);
    spend(report.cost, entry_cost);
}

Real TimeSmoothed::pass_cost() const {
    return static_cast<Real>(std::max<std::uint64_t>(round_.window().pass_cost(), 1));
}

Budget TimeSmoothed::affordable() const {
    if (effort_ == kInfinity) return budget_;
    Budget cut = budget_;
    const Real passes = std::floor((savings_ + effort_) / pass_cost());
    cut.max_steps =
        static_cast<std::uint64_t>(std::clamp<Real>(passes, 0, static_cast<Real>(budget_.max_steps)));
    return cut;
}

void TimeSmoothed::spend(const Cost& cost, const Cost& entry_cost) {
    if (effort_ == kInfinity) return;
    const Real roof = std::max(effort_, static_cast<Real>(budget_.max_steps) * pass_cost());
    const Real spent = static_cast<Real>(cost.record_gradients - entry_cost.record_gradients +
                                         cost.record_values - entry_cost.record_values);
    savings_ = std::clamp<Real>(savings_ + effort_ - spent, -roof, roof);
}

void TimeSmoothed::start_from(RegulariserRef g, ConstView start, RoundReport& report) {
    Iterate& iterate = round_.iterate();
    CarriedWindow& window = round_.window();
    Scratch& scratch = round_.scratch();
    const Real regulariser = g.value(start, scratch);
    const Real here = window.value() + iterate.regulariser;
    if (!std::isfinite(regulariser) || !(window.value_at(start, scratch) + regulariser < here)) return;
    const Real there = window.try_at(start, scratch);
    if (!window.trial_finite() || !(there + regulariser < here)) return;
    window.accept_trial();
    report.jump = distance(start, iterate.point);
    copy(start, iterate.point);
    iterate.regulariser = regulariser;
    test_at(iterate, window.gradient(), g, round_.step(), scratch);
    ++round_.inner_cost().prox;
}

}  // namespace proxstream
