#include "online/played_round.hpp"

#include <fmt/format.h>

namespace proxstream {

PlayedRound::PlayedRound(AnyRegulariser g, AnyBatch batch, WindowWeights judge, const ForecastRule& rule,
                         Real step, std::vector<Real> start)
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
        throw ConfigError(fmt::format("step = {:g}: must be positive and at most {:g}", step_, kAbsurd));
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

bool PlayedRound::arrive(const RecordRef& record, RoundReport& report) {
    cost_before_ = cost();
    referee_cost_ = {};
    report.round = round_ - revised_ + 1;
    if (window_.arrive(record, iterate_.point, scratch_)) return true;
    refuse(report);
    return false;
}

bool PlayedRound::judge(RoundReport& report) {
    const Arrival& arrival =
        window_.carry(iterate_.point, scratch_, expected_.ref(), reference_.newest(round_ + 2));
    expected_ = RecordRef();
    ++round_;
    keep_iterate();
    test_model();
    mapping_change_ = distance(iterate_.mapping, before_.mapping);
    measure_point(report);
    if (!iterate_.finite() ||
        !std::isfinite(report.entry_gap + report.firm_bound + report.forecast_change + report.variation +
                       arrival.value_change + arrival.outgoing_loss + window_.value())) {
        rollback();
        refuse(report);
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

void PlayedRound::confirm(RoundReport& report) {
    window_.try_at(iterate_.point, scratch_);
    if (!window_.trial_finite()) return;
    window_.accept_trial();
    test_model();
    if (forecast_is_reference()) report.entry_gap = iterate_.gap;
    // The bound of C2 was made before the pass, with what had drifted until then.
    const Real gap_drift = report.gap_rounding;
    const Real objective_drift = report.objective_rounding;
    note_entry(report);
    report.gap_rounding = std::max(report.gap_rounding, gap_drift);
    report.objective_rounding = std::max(report.objective_rounding, objective_drift);
}

bool PlayedRound::follow(ConstView point, Real regulariser) {
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

bool PlayedRound::revise(const std::function<void(View)>& repair) {
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

void PlayedRound::begin_anew() {
    before_ = iterate_;
    initial_gap_ = iterate_.gap;
    initial_objective_ = window_.value() + iterate_.regulariser;
    initial_records_ = window_.records();
    revised_ = round_;
}

void PlayedRound::leave(RoundReport& report) {
    report.exit_gap = iterate_.gap;
    report.objective_exit = window_.value() + iterate_.regulariser;
    note_movement(before_.point, iterate_.point, report);
    const Real exit_norm = report.changed == 0 ? report.point_norm : norm(iterate_.point);
    report.gap_rounding = std::max(report.gap_rounding, gap_rounding(exit_norm));
    report.objective_rounding = std::max(report.objective_rounding, objective_rounding());
    report.gradient_norm = std::max(report.gradient_norm, window_.gradient_norm());
    report.cost = cost_since_entry();
}

void PlayedRound::rollback() {
    window_.rollback();
    std::swap(iterate_, before_);
    --round_;
}

void PlayedRound::test_model() {
    test_at(iterate_, window_.gradient(), g_, step_, scratch_);
    ++prox_;
}

Real PlayedRound::gap_rounding(Real point_norm) const {
    constexpr Real kRelative = 0x1p-43;
    const Real scale = (point_norm + prox_scale_) / step_ + window_.gradient_norm() + window_.newest_norm();
    return kRelative * scale + window_.gradient_drift();
}

RunHeader PlayedRound::facts() const {
    RunHeader facts;
    facts.dimension = iterate_.point.size();
    facts.window = reference_.length();
    facts.window_text = reference_.text();
    facts.effective_length = reference_.effective_length();
    facts.model = rule_.text();
    facts.reference_step = step_;
    facts.exit_test = true;
    facts.initial_gap = initial_gap_;
    facts.initial_objective = initial_objective_;
    facts.initial_records = initial_records_;
    facts.regulariser_infimum = infimum(g_);
    facts.prox_scale = prox_scale_;
    return facts;
}

Closing PlayedRound::close() {
    Closing closing;
    closing.regulariser = iterate_.regulariser;
    window_.close(iterate_.point, closing, scratch_);
    return closing;
}

void PlayedRound::serialise(StateArchive& archive) {
    archive.fields(Field{"round", round_}, Field{"revised", revised_},
                   Field{"initial records", initial_records_}, Field{"initial gap", initial_gap_},
                   Field{"initial objective", initial_objective_}, Field{"window", window_},
                   Field{"iterate", iterate_});
    bool expects = static_cast<bool>(expected_);
    archive.field("expected", expects);
    if (archive.reading()) expected_ = expects ? window_.blank_record() : OwnedRecord();
    if (expects) archive.section("expected", expected_);
}

void PlayedRound::keep_iterate() {
    copy(iterate_.point, before_.point);
    before_.forward.swap(iterate_.forward);
    before_.mapping.swap(iterate_.mapping);
    before_.gap = iterate_.gap;
    before_.regulariser = iterate_.regulariser;
    before_.forward_regulariser = iterate_.forward_regulariser;
}

Cost PlayedRound::cost() const {
    Cost total = window_.cost() + inner_cost_;
    total.prox += prox_;
    return total;
}

void PlayedRound::measure_point(RoundReport& report) {
    if (forecast_is_reference()) {
        copy(window_.change(), reference_change_);
        report.entry_gap = iterate_.gap;
    } else {
        find_reference_change();
        step_along(window_.gradient_before(), 1, reference_change_, judged_.gradient);
        report.entry_gap = prox_gradient_step(g_, iterate_.point, judged_.gradient, step_,
                                              {judged_.forward, judged_.mapping}, scratch_)
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

void PlayedRound::find_reference_change() {
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

void PlayedRound::note_entry(RoundReport& report) {
    report.forecast_gap = iterate_.gap;
    report.tested_gap = iterate_.gap;
    report.objective_entry = window_.value() + iterate_.regulariser;
    report.point_norm = norm(iterate_.point);
    report.gap_rounding = gap_rounding(report.point_norm);
    report.objective_rounding = objective_rounding();
    report.gradient_norm = std::max({report.gradient_norm, window_.newest_norm(), window_.gradient_norm()});
}

Real PlayedRound::objective_rounding() const {
    constexpr Real kRelative = 0x1p-43;
    const Real scale = std::abs(window_.value()) + std::abs(iterate_.regulariser) + arrival_scale_;
    return kRelative * scale + window_.value_drift();
}

void PlayedRound::refuse(RoundReport& report) const {
    report = RoundReport{};
    report.round = round_ - revised_ + 1;
    report.status = RoundStatus::refused;
    report.cost = cost_since_entry();
    report.referee_cost = referee_cost_;
}

}  // namespace proxstream
