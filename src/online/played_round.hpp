/// What every learner does when a loss arrives, whatever it does next: let the loss into the window, judge
/// the point that was played, and keep what a refused round needs to be undone.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/loss/record_ref.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "online/learner.hpp"
#include "solve/inner_solver.hpp"
#include "window/carried_window.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// The judge's side of a round: x_t, its gap for the judge S_t, and the model Q_{t+1} that is carried to
/// x_t. Only the model is stored; the judge differs from the model of the round before by the loss that has
/// come against the one that was expected: S_t = Q_t + a_0 (f_t - its forecast).
template <Regulariser G, RecordBatch B>
class PlayedRound {
  public:
    using Record = typename B::Record;

    /// A rule of kind `record` also needs window().attach_forecasts() before the first round.
    PlayedRound(G g, B batch, WindowWeights judge, const ForecastRule& rule, Real step,
                std::vector<Real> start)
        : g_(std::move(g)),
          reference_(std::move(judge)),
          rule_(rule.for_window(reference_)),
          window_(std::move(batch), start.size(), reference_.forecast_window(rule)),
          step_(step),
          iterate_(std::move(start)),
          before_(iterate_),
          judged_(iterate_.point.size()),
          reference_change_(iterate_.point.size()),
          forecast_change_(iterate_.point.size()) {
        if (!(step_ > 0 && step_ <= kAbsurd)) {
            throw ConfigError("step = " + std::to_string(step_) + ": must be positive and finite");
        }
        if (iterate_.point.empty()) throw ConfigError("the starting point has no coordinates");
        check_dimension(g_, iterate_.point.size());
        iterate_.regulariser = g_.value(iterate_.point, scratch_);
        if (!std::isfinite(iterate_.regulariser)) {
            throw ConfigError("the starting point lies outside the domain of the regulariser");
        }
        prox_scale_ = prox_scale(g_, iterate_.point.size());
        initial_objective_ = iterate_.regulariser;
        // S_0 = 0: the first entry gap is bounded from here (the t = 1 term the paper's Theorem 1
        // lacks).
        test_model();
        prox_ = 0;
        initial_gap_ = iterate_.gap;
    }
    /// The record the stream expects after the next one; kept until that one has come.
    void expect(const Record& forecast) { expected_ = RecordRef(forecast); }

    /// f_t enters; fills the report's entry side. False: the loss or the prox is not finite at x_t and
    /// nothing has changed.
    bool enter(const Record& record, RoundReport& report) {
        arrive(record, report);
        return judge(report);
    }
    /// The two halves of it: the gradient of the newest loss, which every learner needs, and the rest.
    void arrive(const Record& record, RoundReport& report) {
        cost_before_ = cost();
        referee_cost_ = {};
        report.round = round_ - revised_ + 1;
        window_.arrive(record, iterate_.point, scratch_);
    }
    bool judge(RoundReport& report) {
        const Arrival& arrival =
            window_.carry(iterate_.point, scratch_, expected_.ref(), reference_.newest(round_ + 2));
        expected_ = RecordRef();
        if (!arrival.finite) {
            window_.rollback();
            refuse(report);
            return false;
        }
        ++round_;
        keep_iterate();
        test_model();
        if (!iterate_.finite()) {
            rollback(report);
            return false;
        }
        mapping_change_ = distance(iterate_.mapping, before_.mapping);
        measure_point(report);
        if (!std::isfinite(report.entry_gap + report.firm_bound + report.forecast_change + report.variation +
                           arrival.value_change + arrival.outgoing_loss + window_.value())) {
            rollback(report);
            return false;
        }
        report.loss = arrival.loss;
        report.outgoing_loss = arrival.outgoing_loss;
        report.value_change = arrival.value_change;
        report.regulariser = iterate_.regulariser;
        arrival_scale_ = std::abs(arrival.loss) + std::abs(arrival.outgoing_loss);
        note_entry(report);
        report.cost = cost_since_entry();
        report.referee_cost = referee_cost_;
        return true;
    }

    /// Replaces the carried gradient by a full pass at x_t and tests again, so that rounding decides
    /// nothing. False: the pass was not finite; the round is undone.
    bool confirm(RoundReport& report) {
        window_.try_at(iterate_.point, scratch_);
        if (!window_.trial_finite()) {
            rollback(report);
            return false;
        }
        window_.accept_trial();
        test_model();
        if (!iterate_.finite()) {
            rollback(report);
            return false;
        }
        if (forecast_is_reference()) report.entry_gap = iterate_.gap;
        // The bound of C2 was made before the pass, with what had drifted until then.
        const Real gap_drift = report.gap_rounding;
        const Real objective_drift = report.objective_rounding;
        note_entry(report);
        report.gap_rounding = std::max(report.gap_rounding, gap_drift);
        report.objective_rounding = std::max(report.objective_rounding, objective_drift);
        return true;
    }

    /// Somebody else has moved to `point`: the model is evaluated there. False: it is not finite, and the
    /// round has to be taken back.
    bool follow(ConstView point, Real regulariser) {
        const bool moved = !std::equal(point.begin(), point.end(), iterate_.point.begin());
        if (!moved && !window_.due_for_pass()) return true;
        copy(point, iterate_.point);
        iterate_.regulariser = regulariser;
        window_.try_at(iterate_.point, scratch_);
        if (!window_.trial_finite()) return false;
        window_.accept_trial();
        test_model();
        return iterate_.finite();
    }

    /// The losses or dom g have changed: the point is repaired and everything worked out anew. False: the
    /// window is not finite there.
    bool revise(const std::function<void(View)>& repair) {
        cost_before_ = cost();
        referee_cost_ = {};
        expected_ = RecordRef();
        repair(iterate_.point);
        iterate_.regulariser = g_.value(iterate_.point, scratch_);
        window_.try_at(iterate_.point, scratch_);
        if (!window_.trial_finite() || !std::isfinite(iterate_.regulariser)) return false;
        window_.accept_trial();
        test_model();
        return iterate_.finite();
    }
    /// From here on a certificate begins anew.
    void begin_anew() {
        before_ = iterate_;
        initial_gap_ = iterate_.gap;
        initial_objective_ = window_.value() + iterate_.regulariser;
        initial_records_ = window_.records();
        revised_ = round_;
    }

    /// Fills the report's exit side from where the iterate stands now, its gap being the one of g alone.
    void leave(RoundReport& report) {
        report.exit_gap = iterate_.gap;
        report.objective_exit = window_.value() + iterate_.regulariser;
        note_movement(before_.point, iterate_.point, report);
        const Real exit_norm = report.changed == 0 ? report.point_norm : norm(iterate_.point);
        report.gap_rounding = std::max(report.gap_rounding, gap_rounding(exit_norm));
        report.objective_rounding = std::max(report.objective_rounding, objective_rounding());
        report.gradient_norm = std::max(report.gradient_norm, window_.gradient_norm());
        report.cost = cost_since_entry();
    }

    /// The round did not happen.
    void rollback(RoundReport& report) {
        rollback();
        refuse(report);
    }
    void rollback() {
        window_.rollback();
        std::swap(iterate_, before_);
        --round_;
    }

    /// P(y; grad Q(y)) at the iterate.
    void test_model() {
        test_at(iterate_, window_.gradient(), g_, step_, scratch_);
        ++prox_;
    }

    /// What rounding can do to a gap at a point of that norm: P is a difference divided by eta, and the
    /// gradient has the carry's drift.
    Real gap_rounding(Real point_norm) const {
        constexpr Real kRelative = 0x1p-43;
        const Real scale =
            (point_norm + prox_scale_) / step_ + window_.gradient_norm() + window_.newest_norm();
        return kRelative * scale + window_.gradient_drift();
    }

    CarriedWindow<B>& window() noexcept { return window_; }
    const CarriedWindow<B>& window() const noexcept { return window_; }
    Iterate& iterate() noexcept { return iterate_; }
    const Iterate& iterate() const noexcept { return iterate_; }
    const G& g() const noexcept { return g_; }
    Scratch& scratch() noexcept { return scratch_; }
    Real step() const noexcept { return step_; }  // eta
    Real mapping_change() const noexcept { return mapping_change_; }
    Cost& inner_cost() noexcept { return inner_cost_; }

    Cost cost_since_entry() const { return cost() - cost_before_; }

    LearnerFacts facts() const {
        LearnerFacts facts;
        facts.dimension = iterate_.point.size();
        facts.window = reference_.length();
        facts.window_text = reference_.text();
        facts.effective_length = reference_.effective_length();
        facts.model = rule_.text();
        facts.step = step_;
        facts.initial_gap = initial_gap_;
        facts.initial_objective = initial_objective_;
        facts.initial_records = initial_records_;
        facts.infimum_regulariser = infimum(g_);
        facts.prox_scale = prox_scale_;
        return facts;
    }

    Closing close() {
        Closing closing;
        closing.regulariser = iterate_.regulariser;
        window_.close(iterate_.point, closing, scratch_);
        return closing;
    }

    void serialise(StateArchive& archive) {
        archive.field("round", round_);
        archive.field("revised", revised_);
        archive.field("initial records", initial_records_);
        archive.field("initial residual", initial_gap_);
        archive.field("initial objective", initial_objective_);
        archive.section("window", window_);
        archive.section("iterate", iterate_);
        archive.section("iterate before", before_);
        bool expects = static_cast<bool>(expected_);
        archive.field("expected", expects);
        if (archive.reading()) expected_ = expects ? window_.blank_record() : OwnedRecord();
        if (expects) archive.section("expected", expected_);
    }

  private:
    /// The iterate becomes the one before. Its test is about to be made anew, so only the point is copied.
    void keep_iterate() {
        copy(iterate_.point, before_.point);
        before_.forward.swap(iterate_.forward);
        before_.mapping.swap(iterate_.mapping);
        before_.gap = iterate_.gap;
        before_.regulariser = iterate_.regulariser;
        before_.forward_regulariser = iterate_.forward_regulariser;
    }

    bool forecast_is_reference() const { return rule_.kind == ForecastRule::Kind::previous; }

    Cost cost() const {
        Cost total = window_.cost() + inner_cost_;
        total.prox += prox_;
        return total;
    }

    /// R_t and its bound (A-Q): v_t = grad S_t - grad Q_t at x_t, p_{t-1} the gap x_t was left with.
    void measure_point(RoundReport& report) {
        if (forecast_is_reference()) {
            copy(window_.change(), reference_change_);
            report.entry_gap = iterate_.gap;
        } else {
            find_reference_change();
            step_along(window_.gradient_before(), 1, reference_change_, judged_.gradient);
            report.entry_gap = prox_gradient_step(g_, iterate_.point, judged_.gradient, step_,
                                                  judged_.forward, judged_.mapping, scratch_)
                                   .norm;
            ++referee_cost_.prox;
        }
        // Pi v_t: what lies across the affine hull of dom g never shows in a gap (docs/theory.md,
        // section 1).
        project_direction(g_, reference_change_);
        const Real change = norm(reference_change_);
        report.variation = effective_length_ * change;
        report.firm_bound = norm_of_sum(before_.mapping, Real{1} / 2, reference_change_) + change / 2;
        if (forecast_is_reference()) {
            report.forecast_change = change;
            return;
        }
        copy(window_.change(), forecast_change_);
        project_direction(g_, forecast_change_);
        report.forecast_change = norm(forecast_change_);
    }

    void find_reference_change() {
        const Real share = reference_.newest(round_);
        scaled(share, window_.newest_gradient(), reference_change_);
        Scratch::Frame frame(scratch_);
        const View forecast = frame.take(reference_change_.size());
        switch (rule_.kind) {
            case ForecastRule::Kind::previous:
            case ForecastRule::Kind::automatic:  // resolved when the round was made
            case ForecastRule::Kind::zero:
                return;
            case ForecastRule::Kind::mean: {
                // S_t = a_0 f_t + (1 - a_0 / mass) Q_t; a judge of one record keeps nothing of the model.
                const Real kept = reference_.mass() - share;
                const Real lost = kept > 0 ? share / reference_.mass() : 1;
                axpy(-lost, window_.gradient_before(), reference_change_);
                return;
            }
            case ForecastRule::Kind::season:
                if (rule_.lag >= window_.records()) return;  // there is no such record yet: it counts as 0
                window_.record_gradient(rule_.lag, iterate_.point, forecast, scratch_);
                break;
            case ForecastRule::Kind::record:
                if (!window_.past_forecast_gradient(iterate_.point, forecast, scratch_)) return;
                break;
        }
        ++referee_cost_.record_gradients;
        axpy(-share, forecast, reference_change_);
    }

    void note_entry(RoundReport& report) {
        report.forecast_gap = iterate_.gap;
        report.tested_gap = iterate_.gap;
        report.objective_entry = window_.value() + iterate_.regulariser;
        report.point_norm = norm(iterate_.point);
        report.gap_rounding = gap_rounding(report.point_norm);
        report.objective_rounding = objective_rounding();
        report.gradient_norm =
            std::max({report.gradient_norm, window_.newest_norm(), window_.gradient_norm()});
    }

    Real objective_rounding() const {
        constexpr Real kRelative = 0x1p-43;
        const Real scale = std::abs(window_.value()) + std::abs(iterate_.regulariser) + arrival_scale_;
        return kRelative * scale + window_.value_drift();
    }

    void refuse(RoundReport& report) {
        report = RoundReport{};
        report.round = round_ - revised_ + 1;
        report.status = RoundStatus::refused;
        report.cost = cost_since_entry();
        report.referee_cost = referee_cost_;
    }

    /// The gap of the judge, where it is not the model's.
    struct Judged {
        explicit Judged(Index dimension) : gradient(dimension), forward(dimension), mapping(dimension) {}
        std::vector<Real> gradient, forward, mapping;
    };

    G g_;
    WindowWeights reference_;  // S_t
    ForecastRule rule_;
    CarriedWindow<B> window_;  // Q_{t+1}
    Real effective_length_ = reference_.effective_length();
    Real step_;
    Scratch scratch_;
    Iterate iterate_;
    Iterate before_;  // as the round found it
    Judged judged_;
    std::vector<Real> reference_change_;  // v_t
    std::vector<Real> forecast_change_;
    OwnedRecord expected_;  // the forecast given by expect()
    Round round_ = 0;
    Round revised_ = 0;  // the round after which everything began anew
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
