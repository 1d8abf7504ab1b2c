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
#include "solve/inner_solver.hpp"

#include <utility>
#include <vector>

namespace proxstream {

struct TimeSmoothedOptions {
    WindowWeights window = 1;  // the judge
    ForecastRule model = {};
    Real step = 1;  // eta, the reference step
    Tolerance tolerance = Tolerance::fixed(1);
    Real hysteresis = 1;  // theta: a round that takes steps ends at theta rho
    Real switching = 0;   // kappa_0 of the penalty kappa |x - x_t|_1, kappa = kappa_0 / (w_a sqrt(n))
    Real proximal = 0;    // mu of the proximal term (mu/2) |x - x_t|^2
    Budget budget;
    /// Record gradients (and values) a round for solving, on average. What a round leaves is saved for later
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

class TimeSmoothed final : public AnyLearner {
  public:
    /// Makes the store of its window itself. Throws ConfigError if the family's losses are not those of
    /// vectors as long as the start.
    template <LossFamily F>
    TimeSmoothed(AnyRegulariser g, F family, std::vector<Real> start, const TimeSmoothedOptions& options,
                 InnerSolver inner)
        : TimeSmoothed(std::move(g), checked_batch(std::move(family), start.size(), options), start, options,
                       std::move(inner)) {}
    /// `batch` holds at least slots_of(options) records. Throws ConfigError if it does not.
    TimeSmoothed(AnyRegulariser g, AnyBatch batch, std::vector<Real> start,
                 const TimeSmoothedOptions& options, InnerSolver inner);

    /// Where forecast records are kept, for a model made with them: room for two.
    void attach_forecasts(AnyBatch store) { round_.window().attach_forecasts(std::move(store)); }

    ConstView decide() const override { return round_.iterate().point; }
    void expect(const RecordRef& forecast) override { round_.expect(forecast); }

    /// Reads the clock once for both halves: on short windows it would cost as much as the arithmetic.
    RoundReport observe(const RecordRef& record) override;
    bool enter(const RecordRef& record, RoundReport& report) override;
    void advance(RoundReport& report, ConstView start) override;

    void rollback() override;

    RoundReport revise(const std::function<void(View)>& repair) override;

    RunHeader facts() const override;

    Closing close() override { return round_.close(); }
    double seconds() const override { return seconds_; }

    void serialise(StateArchive& archive) override;

  private:
    template <LossFamily F>
    static AnyBatch checked_batch(F family, Index dimension, const TimeSmoothedOptions& options) {
        if (family.dimension() != dimension) {
            throw ConfigError("the losses are functions of " + std::to_string(family.dimension()) +
                              " coordinates; the starting point has " + std::to_string(dimension));
        }
        return AnyBatch(make_batch(std::move(family), slots_of(options)));
    }

    bool let_in(const RecordRef& record, RoundReport& report);

    void move_on(RoundReport& report, ConstView start);

    /// Puts the anchor at the iterate, and the penalised gap in place of that of g alone.
    void test_anchored();
    /// What counts for the regret is the gap of g alone: same gradient, one more prox.
    void leave_anchor();

    /// A carried gradient may decide unless it is old, or so close to the tolerance that its rounding would.
    bool needs_confirmation(const RoundReport& report) const;

    InnerProblem inner_problem(RegulariserRef g, Real target_gap, const Budget& budget);
    /// `g` is the regulariser, with the price on leaving x_t or without; the iterate has its gap.
    void solve_model(RegulariserRef g, RoundReport& report, ConstView start);

    Real pass_cost() const;

    /// The budget of this round, cut to what has been saved.
    Budget affordable() const;
    /// What a round cost beyond letting the loss in is what effort pays for.
    void spend(const Cost& cost, const Cost& entry_cost);

    /// Starts the loop from another point where the model is lower. Any start keeps the regret bound, and the
    /// fall on the way there is part of E_T (docs/theory.md, cross-start).
    void start_from(RegulariserRef g, ConstView start, RoundReport& report);

    PlayedRound round_;
    Tolerance tolerance_;
    Real effective_length_;
    Real hysteresis_;
    Anchored<AnyRegulariser> anchored_;
    Budget budget_;
    Real effort_;
    Real savings_ = 0;
    InnerSolver inner_;
    // At the start of the last round; a quiet round does not use the solver, and needs no copy.
    Real savings_before_ = 0;
    InnerSolver inner_before_;
    bool inner_used_ = false;
    double seconds_ = 0;
};

}  // namespace proxstream
