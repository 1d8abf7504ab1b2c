/// f itself as an inner solver sees it.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/smooth_objective.hpp"
#include "loss/reduced_rows.hpp"
#include "offline/sampled_loss.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace proxstream {

class ExactModel final : public SmoothObjective {
  public:
    /// Needs loss.knows_f(); the loss has to outlive it.
    explicit ExactModel(const SampledLoss& loss)
        : loss_(&loss), gradient_(loss.dimension()), trial_gradient_(loss.dimension()) {}

    Real value() const override { return value_; }
    ConstView gradient() const override { return gradient_; }
    Real try_at(ConstView y, Scratch& scratch) override {
        count_pass();
        return trial_value_ = loss_->f(y, trial_gradient_, scratch);
    }
    bool trial_finite() const override { return std::isfinite(trial_value_) && all_finite(trial_gradient_); }
    ConstView trial_gradient() const override { return trial_gradient_; }
    void accept_trial() override {
        value_ = trial_value_;
        gradient_.swap(trial_gradient_);
    }

    bool reduce(std::span<const Index> coordinates, ConstView x, Scratch& /*scratch*/) override {
        if (!loss_->reduce(coordinates, x, reduced_)) return false;
        count_pass();
        return true;
    }
    Real reduced_bend(ConstView move, View change, Scratch& scratch) override {
        if (reduced_.has_rows()) count_pass();
        return reduced_.bend(move, change, scratch);
    }

    /// Of all passes so far. It starts again at 0 when a state is restored: only differences are used.
    const Cost& cost() const noexcept { return cost_; }

    void serialise(StateArchive& archive) {
        archive.field("value", value_);
        archive.fixed("gradient", gradient_);
    }

  private:
    void count_pass() {
        ++cost_.passes;
        cost_.base_samples += loss_->components();
    }

    const SampledLoss* loss_;
    Real value_ = 0;
    Real trial_value_ = 0;
    std::vector<Real> gradient_;
    std::vector<Real> trial_gradient_;
    ReducedRows reduced_;
    Cost cost_;
};

}  // namespace proxstream
