/// What every learner does first when a loss arrives: evaluate the loss, let it into the window, and measure
/// the decision.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/loss/record_ref.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "online/learner.hpp"
#include "solve/inner_solver.hpp"
#include "window/carried_window.hpp"

#include <vector>

namespace proxstream {

/// The judge's side of a round: x_t, its gap for the judge S_t, and the model Q_{t+1} that is carried to
/// x_t. Only the model is stored. The judge differs from the model of the round before by the loss that has
/// come against the one that was expected: S_t = Q_t + a_0 (f_t - its forecast).
class PlayedRound {
  public:
    /// A rule of kind `record` also needs window().attach_forecasts() before the first round.
    PlayedRound(AnyRegulariser g, AnyBatch batch, WindowWeights judge, const ForecastRule& rule, Real step,
                std::vector<Real> start);
    /// The record the stream expects after the next one; kept until that one has come.
    void expect(const RecordRef& forecast) { expected_ = RecordRef(forecast); }

    /// First part of a round: evaluates f_t at x_t and stores it.
    bool arrive(const RecordRef& record, RoundReport& report);
    /// Second part: carries the window to this round and measures x_t. Both return false if something was not
    /// finite at x_t; the round is then refused, and nothing has changed.
    bool judge(RoundReport& report);

    /// Replaces the carried gradient by a full pass at x_t, where that is finite, and tests again, so that
    /// rounding decides nothing.
    void confirm(RoundReport& report);

    /// Moves to a point that another solver found. False: something is not finite there, and the round must
    /// be undone.
    bool follow(ConstView point, Real regulariser);

    /// The losses or dom g have changed: repairs the point and evaluates the window again. False: the window
    /// is not finite there.
    bool revise(const std::function<void(View)>& repair);
    /// A new certificate starts here.
    void begin_anew();

    /// Fills the report's exit side from where the iterate stands now, its gap being the one of g alone.
    void leave(RoundReport& report);

    /// Undoes the round.
    void rollback();
    /// Makes the report one of a refused round.
    void refuse(RoundReport& report) const;

    /// P(y; grad Q(y)) at the iterate.
    void test_model();

    /// What rounding can do to a gap at a point of that norm. P is a difference divided by eta, and the
    /// gradient has the carry's drift.
    Real gap_rounding(Real point_norm) const;

    CarriedWindow& window() noexcept { return window_; }
    const CarriedWindow& window() const noexcept { return window_; }
    Iterate& iterate() noexcept { return iterate_; }
    const Iterate& iterate() const noexcept { return iterate_; }
    const AnyRegulariser& g() const noexcept { return g_; }
    Scratch& scratch() noexcept { return scratch_; }
    Real step() const noexcept { return step_; }  // eta
    Real mapping_change() const noexcept { return mapping_change_; }
    Cost& inner_cost() noexcept { return inner_cost_; }

    Cost cost_since_entry() const { return cost() - cost_before_; }

    RunHeader facts() const;

    Closing close();

    void serialise(StateArchive& archive);

  private:
    /// before_ <- the iterate, whose test follows: only the point is copied.
    void keep_iterate();

    bool forecast_is_reference() const { return rule_.kind == ForecastRule::Kind::previous; }

    Cost cost() const;

    /// R_t and its bound (A-Q): v_t = grad S_t - grad Q_t at x_t, p_{t-1} the gap x_t was left with.
    void measure_point(RoundReport& report);

    void find_reference_change();

    void note_entry(RoundReport& report);

    Real objective_rounding() const;

    /// The gap of the judge, where it is not the model's.
    struct Judged {
        explicit Judged(Index dimension) : gradient(dimension), forward(dimension), mapping(dimension) {}
        std::vector<Real> gradient, forward, mapping;
    };

    AnyRegulariser g_;
    WindowWeights reference_;  // S_t
    ForecastRule rule_;
    CarriedWindow window_;  // Q_{t+1}
    Real effective_length_ = reference_.effective_length();
    Real step_;
    Scratch scratch_;
    Iterate iterate_;
    Iterate before_;  // at the start of the round
    Judged judged_;
    std::vector<Real> reference_change_;  // v_t
    std::vector<Real> forecast_change_;
    OwnedRecord expected_;  // the forecast given by expect()
    Round round_ = 0;
    Round revised_ = 0;  // the round before the current certificate
    Index initial_records_ = 0;
    Real initial_gap_ = 0;
    Real initial_objective_ = 0;
    Real prox_scale_ = 0;
    Real mapping_change_ = 0;
    Real arrival_scale_ = 0;
    std::uint64_t prox_ = 0;
    Cost referee_cost_;
    Cost inner_cost_;
    Cost cost_before_;
};

}  // namespace proxstream
