/// An objective seen from an anchor through its reduced model. It is exact in value and gradient there, close
/// to it around, and linear in the coordinates that the model leaves out.
#pragma once

#include "core/smooth_objective.hpp"

namespace proxstream {

class ReducedObjective final : public SmoothObjective {
  public:
    /// The objective stands at the anchor and has been reduced there. A view of the anchor is kept, and
    /// memory is taken from the frame.
    ReducedObjective(SmoothObjective& full, ConstView anchor, Scratch::Frame& frame);

    Real value() const override { return value_; }
    ConstView gradient() const override { return gradient_; }
    Real try_at(ConstView y, Scratch& scratch) override;
    bool trial_finite() const override;
    ConstView trial_gradient() const override { return trial_gradient_; }
    void accept_trial() override;

  private:
    SmoothObjective& full_;
    ConstView anchor_;
    View move_;
    View gradient_;
    View trial_gradient_;
    Real value_;
    Real trial_value_ = 0;
};

}  // namespace proxstream
