#include "window/oracle_window.hpp"

namespace proxstream {

OracleWindow::OracleWindow(AnyBatch batch, Index dimension, WindowWeights weights, AnyOracle oracle,
                           const EstimatorOptions& options, std::uint64_t seed)
    : batch_(std::move(batch)),
      window_(std::move(weights)),
      oracle_(std::move(oracle)),
      options_(options),
      // A sequence of its own: other draws of the run name their places with the same few numbers.
      seed_(seed ^ 0x6f7261636c65ULL),
      current_(dimension, options_.kind == EstimatorOptions::Kind::paper ? window_.length() : 0),
      before_(current_),
      trial_(current_) {
    if (window_.varies()) {
        throw ConfigError("window " + window_.text() +
                          ": its weights change from round to round, and its noise with them");
    }
    window_.at(1, weights_);
}

bool OracleWindow::begin_round(ConstView x, Scratch& scratch) {
    ++round_;
    pass_ = 0;
    if (options_.kind == EstimatorOptions::Kind::paper) {
        before_ = current_;
        enter_newest(x, scratch);
    } else {
        redraw_at(x, scratch);
        accept_trial();
    }
    return all_finite(current_.gradient);
}

void OracleWindow::rollback() {
    --round_;
    if (options_.kind == EstimatorOptions::Kind::paper) std::swap(current_, before_);
}

Real OracleWindow::try_at(ConstView y, Scratch& scratch) {
    if (options_.kind != EstimatorOptions::Kind::spider || current_.differences >= options_.restart) {
        redraw_at(y, scratch);
        return value();
    }
    oracle_->difference(view(), next_call(options_.samples, scratch), y, current_.point, trial_.gradient);
    axpy(1, current_.gradient, trial_.gradient);
    copy(y, trial_.point);
    trial_.differences = current_.differences + 1;
    return value();
}

void OracleWindow::redraw_at(ConstView y, Scratch& scratch) {
    if (options_.kind == EstimatorOptions::Kind::paper) {
        ask_all(y, scratch);
    } else {
        oracle_->estimate(view(), next_call(answer_samples(), scratch), y, trial_.gradient);
        ++cost_.passes;
    }
    copy(y, trial_.point);
    trial_.differences = 0;
}

std::optional<Real> OracleWindow::full_level() const {
    return oracle_->level(weights_, samples_each(count_records(weights_)));
}

void OracleWindow::serialise(StateArchive& archive) {
    archive.fields(Field{"round", round_}, Field{"records", batch_}, Field{"estimate", current_});
}

std::span<const Real> OracleWindow::live_weights() const {
    return std::span(weights_).first(std::min(weights_.size(), batch_.size()));
}

OracleCall OracleWindow::next_call(std::uint64_t samples, Scratch& scratch) {
    return {{seed_, round_, pass_++}, samples, cost_, scratch};
}

std::uint64_t OracleWindow::samples_each(std::uint64_t records) const {
    if (options_.kind != EstimatorOptions::Kind::spider) return oracle_->samples();
    const std::uint64_t answers = std::max<std::uint64_t>(records, 1);
    return (options_.batch + answers - 1) / answers;
}

View OracleWindow::answer_of(Estimate& estimate, Index age) const {
    const Index n = estimate.gradient.size();
    return View(estimate.answers).subspan((round_ - age) % window_.length() * n, n);
}

void OracleWindow::enter_newest(ConstView x, Scratch& scratch) {
    const View slot = answer_of(current_, 0);
    View change = trial_.gradient;
    const bool leaves = round_ > window_.length();
    copy(slot, trial_.point);
    oracle_->answer(batch_, 0, next_call(oracle_->samples(), scratch), x, slot);
    if (leaves) {
        subtract(slot, trial_.point, change);
    } else {
        copy(slot, change);
    }
    scaled(weights_.front(), change, change);
    step_along(before_.gradient, 1, change, current_.gradient);
    copy(x, current_.point);
}

void OracleWindow::ask_all(ConstView y, Scratch& scratch) {
    const OracleCall call = next_call(oracle_->samples(), scratch);
    const std::span<const Real> weights = live_weights();
    fill(trial_.gradient, 0);
    for (Index age = weights.size(); age-- > 0;) {
        const View answer = answer_of(trial_, age);
        oracle_->answer(batch_, age, call, y, answer);
        axpy(weights[age], answer, trial_.gradient);
    }
    ++cost_.passes;
}

}  // namespace proxstream
