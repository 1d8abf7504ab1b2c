#include "online/sampled_steps.hpp"

namespace proxstream {

SampledSteps::SampledSteps(AnyRegulariser g, AnyBatch batch, std::vector<Real> start,
                           const SampledStepsOptions& options, RulePointer rule)
    : g_(std::move(g)),
      batch_(std::move(batch)),
      options_(options),
      // A sequence of its own, as that of other estimates.
      seed_(options.seed ^ 0x73746570730aULL),
      rule_before_(rule->clone()),
      rule_(std::move(rule)),
      now_{std::move(start), 0},
      estimate_(now_.point.size()) {
    if (batch_.capacity() <= options_.window.length()) {
        throw ConfigError("the store has room for " + std::to_string(batch_.capacity()) +
                          " records; a window of " + std::to_string(options_.window.length()) +
                          " needs one more than its length");
    }
    check_dimension(g_, now_.point.size());
    now_.regulariser = g_.value(now_.point, scratch_);
    if (!std::isfinite(now_.regulariser))
        throw ConfigError("the starting point lies outside the domain of the regulariser");
    before_ = now_;
    begin_anew();
}

bool SampledSteps::enter(const RecordRef& record, RoundReport& report) {
    cost_ = {};
    report.round = round_ - revised_ + 1;
    const auto start = std::chrono::steady_clock::now();
    batch_.push(record);
    ++round_;
    const Real loss = is_finite(record) ? first_estimate() : std::numeric_limits<Real>::quiet_NaN();
    count_seconds(start);
    if (!std::isfinite(loss)) {
        batch_.drop_newest();
        --round_;
        refuse(report);
        return false;
    }
    report.loss = loss;
    report.regulariser = now_.regulariser;
    report.cost = cost_;
    before_.regulariser = now_.regulariser;
    copy(now_.point, before_.point);
    rule_before_->assign(*rule_);
    return true;
}

void SampledSteps::advance(RoundReport& report, ConstView /*start*/) {
    const auto start = std::chrono::steady_clock::now();
    bool finite = true;
    for (Index k = 0; k < options_.steps && finite; ++k) {
        if (k > 0) finite = std::isfinite(estimate(k)) && all_finite(estimate_);
        if (!finite) break;
        Move move(g_, now_.point, {{}, estimate_}, scratch_);
        rule_->move(move);
        cost_ += move.cost;
        now_.regulariser = move.regulariser;
        report.smallest_step =
            k == 0 ? move.smallest_step : std::min(report.smallest_step, move.smallest_step);
        report.largest_step = std::max(report.largest_step, move.largest_step);
        finite = all_finite(now_.point) && !std::isnan(now_.regulariser);
    }
    count_seconds(start);
    if (!finite) {
        rollback();
        refuse(report);
        return;
    }
    report.status = RoundStatus::moved;
    report.steps = options_.steps;
    note_movement(before_.point, now_.point, report);
    report.cost = cost_;
}

void SampledSteps::rollback() {
    std::swap(rule_, rule_before_);
    std::swap(now_, before_);
    batch_.drop_newest();
    --round_;
}

RoundReport SampledSteps::revise(const std::function<void(View)>& repair) {
    RoundReport report;
    repair(now_.point);
    now_.regulariser = g_.value(now_.point, scratch_);
    report.status = std::isfinite(now_.regulariser) ? RoundStatus::moved : RoundStatus::refused;
    begin_anew();
    return report;
}

RunHeader SampledSteps::facts() const {
    RunHeader facts;
    facts.dimension = now_.point.size();
    facts.window = options_.window.length();
    facts.window_text = options_.window.text();
    facts.effective_length = options_.window.effective_length();
    facts.reference_step = options_.step;
    facts.initial_gap = initial_.mapping;
    facts.initial_objective = initial_.objective;
    facts.initial_records = initial_.records;
    facts.regulariser_infimum = infimum(g_);
    facts.prox_scale = prox_scale(g_, now_.point.size());
    NoiseFacts noise;
    noise.oracle = "samples:" + std::to_string(options_.samples);
    noise.refereed = false;
    facts.noise = std::move(noise);
    return facts;
}

Closing SampledSteps::close() {
    Closing closing;
    closing.regulariser = now_.regulariser;
    return closing;
}

void SampledSteps::serialise(StateArchive& archive) {
    archive.fields(Field{"round", round_}, Field{"revised", revised_}, Field{"records", batch_},
                   Field{"rule", *rule_}, Field{"now", now_}, Field{"initial", initial_},
                   Field{"seconds", seconds_});
}

void SampledSteps::begin_anew() {
    Scratch::Frame frame(scratch_);
    const View none = frame.take(now_.point.size());
    fill(none, 0);
    const View forward = frame.take(none.size());
    const View mapping = frame.take(none.size());
    initial_.mapping =
        prox_gradient_step(g_, now_.point, none, options_.step, {forward, mapping}, scratch_).norm;
    initial_.objective = now_.regulariser;
    initial_.records = batch_.size();
    revised_ = round_;
}

bool SampledSteps::is_finite(const RecordRef& record) {
    if (!record.is<RowBlock>()) return true;
    const RowBlock& rows = record.as<RowBlock>();
    return all_finite(rows.all_values()) && all_finite(rows.targets());
}

Real SampledSteps::first_estimate() {
    const Real loss = estimate(0);
    if (!std::isfinite(loss) || !all_finite(estimate_)) return std::numeric_limits<Real>::quiet_NaN();
    if (newest_drawn_) return loss;
    Scratch::Frame frame(scratch_);
    const View gradient = frame.take(estimate_.size());
    const Ticket ticket{seed_, round_, static_cast<std::uint32_t>(options_.steps)};
    const WeightedPart one[] = {{0, uniform_below(ticket.of_record(0), part_count(batch_, 0)), 1}};
    const Real newest = parts_gradient(batch_, one, now_.point, gradient, scratch_);
    ++cost_.oracle_calls;
    ++cost_.base_samples;
    if (!std::isfinite(newest) || !all_finite(gradient)) return std::numeric_limits<Real>::quiet_NaN();
    return drawn_mass_ > 0 ? loss : newest;
}

Real SampledSteps::estimate(Index k) {
    Scratch::Frame frame(scratch_);
    if (weights_.empty() || options_.window.varies()) options_.window.at(round_, weights_);
    const auto live = std::span<const Real>(weights_).first(std::min(weights_.size(), batch_.size()));
    const Ticket ticket{seed_, round_, static_cast<std::uint32_t>(k)};
    const auto parts = frame.take<WeightedPart>(options_.samples);
    draw_ages(live, ticket.shared(), parts);
    drawn_mass_ = parts.front().weight * static_cast<Real>(parts.size());
    newest_drawn_ = parts.front().age == 0 && drawn_mass_ > 0;
    for (Index i = 0; i < parts.size(); ++i) {
        Draw draw = ticket.of_record(parts[i].age);
        draw.sample = i;
        parts[i].part = uniform_below(draw, part_count(batch_, parts[i].age));
        if (i == 0 || parts[i].age != parts[i - 1].age) ++cost_.oracle_calls;
    }
    cost_.base_samples += parts.size();
    ++cost_.passes;
    const Real value = parts_gradient(batch_, parts, now_.point, estimate_, scratch_);
    return drawn_mass_ > 0 ? value / drawn_mass_ : value;
}

void SampledSteps::refuse(RoundReport& report) {
    report = RoundReport{};
    report.round = round_ - revised_ + 1;
    report.status = RoundStatus::refused;
    report.cost = cost_;
}

void SampledSteps::count_seconds(std::chrono::steady_clock::time_point start) {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace proxstream
