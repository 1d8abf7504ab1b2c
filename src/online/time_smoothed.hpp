/// The paper's Algorithm 1 and its extensions: keep a window of losses stationary up to rho_t = delta_t /
/// w_a.
///
/// Two windows meet in a round. The *judge* S_t measures how stationary the point x_t was that had to be
/// played before f_t was known. The *model* Q_{t+1} is what the round then solves to find x_{t+1}: the next
/// judge with a forecast in the place of the loss to come. Algorithm 1 takes Q_{t+1} = S_t, that is, it
/// forecasts the next loss by the one that will leave.
#pragma once

#include "proxstream/window/record_ring.hpp"

#include "core/stopwatch.hpp"
#include "online/played_round.hpp"
#include "online/tolerance.hpp"
#include "prox/anchored.hpp"

#include <utility>
#include <vector>

namespace proxstream {

struct TimeSmoothedOptions {
    WindowWeights window = 1;  // the judge
    ForecastRule model = {};
    Real step = 1;  // eta, the reference step
    Tolerance tolerance = Tolerance::fixed(1);
    Real hysteresis = 1;  // theta: a round that has to work goes on to theta rho
    Real switching = 0;   // kappa_0 of the penalty kappa |x - x_t|_1, kappa = kappa_0 / (w_a sqrt(n))
    Real proximal = 0;    // mu of the proximal term (mu/2) |x - x_t|^2
    Budget budget;
    /// Record gradients (and values) a round for solving, on average: what a round leaves is saved for later
    /// ones, up to what the budget of a single round could use. A round that has to work and cannot afford a
    /// pass ends on its budget.
    Real effort = kInfinity;
};

/// Records the store of a time-smoothed learner has to hold.
inline Index slots_of(const TimeSmoothedOptions& options) {
    const Index reach =
        std::max(options.window.length(), options.window.forecast_window(options.model).length());
    return reach + 1;
}

template <Regulariser G, RecordBatch B, class Inner>
class TimeSmoothed final : public Learner<typename B::Record> {
  public:
    using Record = typename B::Record;

    /// Makes the store of its window itself. Throws ConfigError if the family's losses are not those of
    /// vectors as long as the start.
    template <LossFamily F>
    TimeSmoothed(G g, F family, std::vector<Real> start, const TimeSmoothedOptions& options, Inner inner)
        : TimeSmoothed(std::move(g), checked_batch(std::move(family), start.size(), options), start, options,
                       std::move(inner)) {}
    /// `batch` holds at least slots_of(options) records. Throws ConfigError if it does not.
    TimeSmoothed(G g, B batch, std::vector<Real> start, const TimeSmoothedOptions& options, Inner inner)
        : round_(std::move(g), std::move(batch), options.window, options.model, options.step,
                 std::move(start)),
          tolerance_(options.tolerance),
          effective_length_(options.window.effective_length()),
          hysteresis_(options.hysteresis),
          anchored_(
              round_.g(),
              {.kappa = options.switching /
                        (effective_length_ * std::sqrt(static_cast<Real>(round_.iterate().point.size()))),
               .mu = options.proximal},
              round_.iterate().point.size()),
          budget_(options.budget),
          effort_(options.effort),
          inner_(std::move(inner)),
          inner_before_(inner_) {}

    /// Where forecast records are kept, for a model made with them: room for two.
    void attach_forecasts(B store) { round_.window().attach_forecasts(std::move(store)); }

    ConstView decide() const override { return round_.iterate().point; }
    void expect(const Record& forecast) override { round_.expect(forecast); }

    /// Reads the clock once for both halves: on short windows it would cost as much as the arithmetic.
    RoundReport observe(const Record& record) override {
        const Stopwatch watch(seconds_);
        RoundReport report;
        if (let_in(record, report)) move_on(report, {});
        return report;
    }
    bool enter(const Record& record, RoundReport& report) override {
        const Stopwatch watch(seconds_);
        return let_in(record, report);
    }
    void advance(RoundReport& report, ConstView start) override {
        const Stopwatch watch(seconds_);
        move_on(report, start);
    }

    void rollback() override {
        rollback_inner();
        savings_ = savings_before_;
        tolerance_.rollback();
        round_.rollback();
    }

    RoundReport revise(const std::function<void(View)>& repair) override {
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
        const auto solve = [&](const auto& g) {
            if (round_.iterate().gap <= report.tolerance) return;
            inner = inner_.solve(round_.window(), g, round_.step(), report.target_gap, budget_,
                                 round_.iterate(), round_.inner_cost(), round_.scratch());
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
        note_steps(inner, report);
        report.exit_gap = round_.iterate().gap;
        report.cost = round_.cost_since_entry();
        round_.begin_anew();
        return report;
    }

    LearnerFacts facts() const override {
        LearnerFacts facts = round_.facts();
        facts.promises_exit = tolerance_.promises_exit();
        facts.steps = inner_.step_claim();
        facts.hysteresis = hysteresis_;
        facts.switching = anchored_.weights().kappa;
        facts.proximal = anchored_.weights().mu;
        return facts;
    }

    Closing close() override { return round_.close(); }
    double seconds() const override { return seconds_; }

    void serialise(StateArchive& archive) override {
        archive.section("round", round_);
        archive.section("tolerance", tolerance_);
        archive.field("savings", savings_);
        archive.field("savings before", savings_before_);
        keep_inner();
        archive.section("inner", inner_);
        archive.section("inner before", inner_before_);
        archive.field("seconds", seconds_);
    }

  private:
    template <LossFamily F>
    static B checked_batch(F family, Index dimension, const TimeSmoothedOptions& options) {
        if (family.dimension() != dimension) {
            throw ConfigError("the losses are functions of " + std::to_string(family.dimension()) +
                              " coordinates; the starting point has " + std::to_string(dimension));
        }
        return make_batch(std::move(family), slots_of(options));
    }

    bool let_in(const Record& record, RoundReport& report) {
        if (!round_.enter(record, report)) return false;
        const Real change = round_.mapping_change();
        report.tolerance = tolerance_.next(effective_length_, change > report.gap_rounding ? change : 0);
        report.target_gap = hysteresis_ * report.tolerance;
        savings_before_ = savings_;
        inner_kept_ = false;
        return true;
    }

    void move_on(RoundReport& report, ConstView start) {
        const bool anchored = anchored_.weights().any();
        if (anchored) test_anchored();
        if (needs_confirmation(report)) {
            if (!round_.confirm(report)) {
                tolerance_.rollback();
                return;
            }
            if (anchored) test_anchored();
        }
        if (anchored) {
            solve_model(anchored_, report, start);
        } else {
            solve_model(round_.g(), report, start);
        }
    }

    /// Puts the anchor at the iterate, and the penalised gap in place of that of g alone.
    void test_anchored() {
        anchored_.centre(round_.iterate().point);
        test_at(round_.iterate(), round_.window().gradient(), anchored_, round_.step(), round_.scratch());
        ++round_.inner_cost().prox;
    }
    /// What counts for the regret is the gap of g alone: same gradient, one more prox.
    void leave_anchor() {
        round_.iterate().regulariser = round_.g().value(round_.iterate().point, round_.scratch());
        round_.test_model();
    }

    /// A quiet round leaves the solver alone, and its curvature pairs need no copy.
    void keep_inner() {
        if (!inner_kept_) inner_before_ = inner_;
        inner_kept_ = true;
    }
    void rollback_inner() {
        if (inner_kept_) inner_ = inner_before_;
    }

    /// A carried gradient may decide unless it is old, or so close to the tolerance that its rounding would.
    bool needs_confirmation(const RoundReport& report) const {
        if (!round_.window().carried()) return false;
        return round_.window().due_for_pass() ||
               std::abs(round_.iterate().gap - report.tolerance) <= report.gap_rounding;
    }

    /// `g` is the regulariser, with the price on leaving x_t or without; the iterate has its gap.
    template <class Penalised>
    void solve_model(const Penalised& g, RoundReport& report, ConstView start) {
        constexpr bool kAnchored = std::is_same_v<Penalised, Anchored<G>>;
        Iterate& iterate = round_.iterate();
        Cost& cost = round_.inner_cost();
        const Cost entry_cost = effort_ < kInfinity ? round_.cost_since_entry() : Cost{};
        InnerReport inner;
        const bool active = iterate.gap > report.tolerance;
        if (active) {
            const Budget budget = affordable();
            if (!start.empty() && budget.max_steps > 0) start_from(g, start, report);
            keep_inner();
            inner = inner_.solve(round_.window(), g, round_.step(), report.target_gap, budget, iterate, cost,
                                 round_.scratch());
        }
        const auto rollback = [&] {
            rollback_inner();
            savings_ = savings_before_;
            tolerance_.rollback();
            round_.rollback(report);
        };
        // Squares overflow before the numbers do; a report may not hold an infinity.
        const bool finite = inner.status != SolveStatus::not_finite && iterate.finite() &&
                            std::isfinite(inner.squared_gaps + inner.path);
        if (!finite) return rollback();
        report.status = !tolerance_.promises_exit()                     ? RoundStatus::moved
                        : inner.status == SolveStatus::budget_exhausted ? RoundStatus::budget_exhausted
                        : active                                        ? RoundStatus::solved
                                                                        : RoundStatus::quiet;
        note_steps(inner, report);
        report.tested_gap = iterate.gap;
        if constexpr (kAnchored) {
            report.penalty = g.penalty(iterate.point);
            leave_anchor();
            if (!iterate.finite()) return rollback();
        }
        round_.leave(report);
        spend(report.cost, entry_cost);
    }

    Real pass_cost() const {
        return static_cast<Real>(std::max<std::uint64_t>(round_.window().pass_cost(), 1));
    }

    /// The budget of this round, cut to what has been saved.
    Budget affordable() const {
        if (effort_ == kInfinity) return budget_;
        Budget cut = budget_;
        const Real passes = std::floor((savings_ + effort_) / pass_cost());
        cut.max_steps =
            static_cast<std::uint64_t>(std::clamp<Real>(passes, 0, static_cast<Real>(budget_.max_steps)));
        return cut;
    }
    /// What a round cost beyond letting the loss in is what effort pays for.
    void spend(const Cost& cost, const Cost& entry_cost) {
        if (effort_ == kInfinity) return;
        const Real roof = std::max(effort_, static_cast<Real>(budget_.max_steps) * pass_cost());
        const Real spent = static_cast<Real>(cost.record_gradients - entry_cost.record_gradients +
                                             cost.record_values - entry_cost.record_values);
        savings_ = std::clamp<Real>(savings_ + effort_ - spent, -roof, roof);
    }

    /// Starts the loop from another point where the model is lower: any start keeps the regret bound, and the
    /// fall on the way there is part of E_T (docs/theory.md, cross-start).
    template <class Penalised>
    void start_from(const Penalised& g, ConstView start, RoundReport& report) {
        Iterate& iterate = round_.iterate();
        CarriedWindow<B>& window = round_.window();
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

    PlayedRound<G, B> round_;
    Tolerance tolerance_;
    Real effective_length_;
    Real hysteresis_;
    Anchored<G> anchored_;
    Budget budget_;
    Real effort_;
    Real savings_ = 0;
    Real savings_before_ = 0;
    Inner inner_;
    Inner inner_before_;      // as the round found it,
    bool inner_kept_ = true;  // unless this says that it is inner_ itself
    double seconds_ = 0;
};

template <Regulariser G, LossFamily F, class Inner>
TimeSmoothed(G, F, std::vector<Real>, TimeSmoothedOptions, Inner)
    -> TimeSmoothed<G, decltype(make_batch(std::declval<F>(), Index{})), Inner>;

}  // namespace proxstream
