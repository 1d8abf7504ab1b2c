#include "online/noisy_smoothed.hpp"

namespace proxstream {

NoisySmoothed::NoisySmoothed(AnyRegulariser g, AnyBatch batch, std::vector<Real> start, AnyOracle oracle,
                             const NoisySmoothedOptions& options)
    : store_(std::make_shared<AnyBatch>(std::move(batch))),
      referee_(std::move(g), AnyBatch(SharedBatch(store_)), options.window, ForecastRule{}, options.step,
               start),
      window_(AnyBatch(SharedBatch(store_)), start.size(), options.window, std::move(oracle),
              options.estimator, options.seed),
      options_(options),
      tolerance_(options.delta / options.window.effective_length()),
      iterate_(std::move(start)),
      before_(iterate_),
      inner_(options.smoothness, options.confirm) {
    iterate_.regulariser = referee_.iterate().regulariser;
}

bool NoisySmoothed::enter(const RecordRef& record, RoundReport& report) {
    store_->push(record);
    begun_ = false;
    cost_before_ = cost();
    before_ = iterate_;
    const bool finite =
        options_.refereed ? referee_.arrive(record, report) && referee_.judge(report) : look(report);
    charge(report);
    if (!finite) {
        store_->drop_newest();
        return false;
    }
    ++round_;
    report.tolerance = report.target_gap = tolerance_;
    return true;
}

void NoisySmoothed::advance(RoundReport& report, ConstView /*start*/) {
    InnerReport inner;
    try {
        inner = move(report);
    } catch (...) {
        rollback();  // the sampler of a user may throw
        throw;
    }
    if (inner.status == SolveStatus::not_finite || !std::isfinite(inner.squared_gaps + inner.path) ||
        !all_finite(iterate_.point) || !iterate_.finite() ||
        (options_.refereed && !referee_.follow(iterate_.point, iterate_.regulariser))) {
        refuse(report);
        return;
    }
    report.status = inner.status == SolveStatus::budget_exhausted ? RoundStatus::budget_exhausted
                    : inner.steps > 0                             ? RoundStatus::solved
                                                                  : RoundStatus::quiet;
    static_cast<StepSums&>(report) = static_cast<const StepSums&>(inner);
    report.certified_decrease = 0;  // that was for exact gradients
    if (options_.refereed) {
        referee_.leave(report);
        report.kept_noise = distance(window_.gradient(), exact_gradient());
    } else {
        note_movement(before_.point, iterate_.point, report);
    }
    report.tested_gap = iterate_.gap;
    charge(report);
}

void NoisySmoothed::rollback() {
    if (options_.refereed) referee_.rollback();
    if (begun_) window_.rollback();
    store_->drop_newest();
    std::swap(iterate_, before_);
    --round_;
}

RunHeader NoisySmoothed::facts() const {
    RunHeader facts = referee_.facts();
    note_steps(inner_.step_claim(), facts);
    const EstimatorOptions& estimator = window_.options();
    NoiseFacts noise;
    noise.oracle = options_.oracle_text.empty() ? window_.oracle().name() : options_.oracle_text;
    noise.variant = estimator.kind == EstimatorOptions::Kind::paper ? "paper" : "fresh";
    noise.estimator = estimator.kind == EstimatorOptions::Kind::spider ? "spider" : "sample";
    noise.confirm = options_.confirm;
    if (const std::optional<Real> level = window_.full_level()) noise.sigma = facts.effective_length * *level;
    // A spider's later estimates gather the noise of their differences: only its fresh ones are bounded.
    noise.bounded = window_.oracle().bounded() && estimator.kind != EstimatorOptions::Kind::spider;
    noise.independent = window_.oracle().independent();
    noise.origin = options_.noise_origin;
    noise.confidence = options_.confidence;
    noise.refereed = options_.refereed;
    facts.noise = std::move(noise);
    return facts;
}

Closing NoisySmoothed::close() {
    if (options_.refereed) return referee_.close();
    Closing closing;
    closing.regulariser = iterate_.regulariser;
    return closing;
}

void NoisySmoothed::serialise(StateArchive& archive) {
    archive.fields(Field{"round", round_}, Field{"store", *store_}, Field{"referee", referee_},
                   Field{"window", window_}, Field{"iterate", iterate_}, Field{"seconds", seconds_});
    archive.require(round_ == 0 || store_->size() > 0, "the records of its rounds");
}

InnerReport NoisySmoothed::move(RoundReport& report) {
    const auto start = std::chrono::steady_clock::now();
    begun_ = true;
    InnerReport inner;
    if (window_.begin_round(iterate_.point, scratch_)) {
        test_at(iterate_, window_.gradient(), referee_.g(), options_.step, scratch_);
        ++inner_cost_.prox;
        report.first_gap = iterate_.gap;
        report.noise_level = window_.level().value_or(0);
        if (options_.refereed) report.first_noise = distance(window_.gradient(), exact_gradient());
        inner = inner_.solve(window_,
                             {.objective = window_,
                              .g = referee_.g(),
                              .reference_step = options_.step,
                              .tolerance = tolerance_,
                              .budget = options_.budget,
                              .scratch = scratch_,
                              .cost = inner_cost_},
                             iterate_);
    } else {
        inner.status = SolveStatus::not_finite;
    }
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return inner;
}

bool NoisySmoothed::look(RoundReport& report) {
    report.round = round_ + 1;
    report.loss = store_->value(0, iterate_.point, scratch_);
    report.regulariser = iterate_.regulariser;
    if (std::isfinite(report.loss)) return true;
    report = RoundReport{};
    report.round = round_ + 1;
    report.status = RoundStatus::refused;
    return false;
}

void NoisySmoothed::refuse(RoundReport& report) {
    rollback();
    report = RoundReport{};
    report.round = round_ + 1;
    report.status = RoundStatus::refused;
    charge(report);
}

void NoisySmoothed::charge(RoundReport& report) {
    report.cost = cost() - cost_before_;
    report.referee_cost = {};
    if (options_.refereed) {
        report.referee_cost = referee_.cost_since_entry();
    } else {
        report.referee_cost.record_values = 1;
    }
}

}  // namespace proxstream
