/// f as inner solvers see a model: its value and gradient where they stand, and passes at other points.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"

#include "loss/compact_rows.hpp"
#include "loss/row_scores.hpp"
#include "offline/sampled_loss.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace proxstream {

class ExactModel {
  public:
    /// Needs loss.knows_f(); the loss has to outlive it.
    explicit ExactModel(const SampledLoss& loss)
        : loss_(&loss), gradient_(loss.dimension()), trial_gradient_(loss.dimension()) {}

    Real value() const noexcept { return value_; }
    ConstView gradient() const noexcept { return gradient_; }

    /// One pass. Its result becomes value() and gradient() only when accepted.
    Real try_at(ConstView y, Scratch& scratch) {
        trial_value_ = loss_->f(y, trial_gradient_, scratch);
        ++cost_.passes;
        cost_.base_samples += loss_->components();
        return trial_value_;
    }
    bool trial_finite() const { return std::isfinite(trial_value_) && all_finite(trial_gradient_); }
    ConstView trial_gradient() const noexcept { return trial_gradient_; }
    void accept_trial() {
        value_ = trial_value_;
        gradient_.swap(trial_gradient_);
    }

    /// As windows do (window/carried_window.hpp).
    bool compact(std::span<const Index> coordinates, ConstView x, Scratch& /*scratch*/) {
        if (!loss_->compact(coordinates, x, compact_)) return false;
        ++cost_.passes;
        cost_.base_samples += loss_->components();
        return true;
    }
    void forget_compact() { compact_.clear(); }
    Real compact_pass(ConstView move, View gradient, Scratch& scratch) {
        ++cost_.passes;
        cost_.base_samples += loss_->components();
        return compact_.bend(move, gradient, scratch);
    }
    Real compact_share() const noexcept { return compact_.share(); }

    bool know_scores(Scratch& /*scratch*/) {
        if (!scores_known_) scores_known_ = loss_->know_scores(scores_);
        return scores_known_;
    }
    Index score_count() const noexcept { return scores_.rows(); }
    void score(ConstView y, View scores, Scratch& scratch) {
        ++cost_.passes;
        cost_.base_samples += loss_->components();
        scores_.score(y, scores, scratch);
    }
    Real value_at_scores(ConstView scores, View slopes, Scratch& scratch) const {
        return scores_.evaluate(scores, slopes, scratch);
    }
    void gradient_along(ConstView slopes, View gradient, Scratch& scratch) {
        ++cost_.passes;
        cost_.base_samples += loss_->components();
        scores_.gradient(slopes, gradient, scratch);
    }

    /// Of all passes so far.
    const Cost& cost() const noexcept { return cost_; }

    /// Counts of costs start over: whoever looks at them looks at differences.
    void serialise(StateArchive& archive) {
        archive.field("value", value_);
        archive.fixed("gradient", gradient_);
    }

  private:
    const SampledLoss* loss_;
    Real value_ = 0;
    Real trial_value_ = 0;
    std::vector<Real> gradient_;
    std::vector<Real> trial_gradient_;
    CompactRows compact_;
    RowScores scores_;
    bool scores_known_ = false;
    Cost cost_;
};

}  // namespace proxstream
