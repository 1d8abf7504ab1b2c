/// What every stand-in for a window has: value and gradient where its steps stand, and those of the point
/// that is being tried. How a point is tried is the stand-in's own.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/scratch.hpp"

#include <cmath>
#include <utility>

namespace proxstream {

class StandInModel {
  public:
    Real value() const noexcept { return value_; }
    ConstView gradient() const noexcept { return gradient_; }
    bool trial_finite() const { return std::isfinite(trial_value_) && all_finite(trial_gradient_); }
    ConstView trial_gradient() const noexcept { return trial_gradient_; }
    void accept_trial() {
        value_ = trial_value_;
        std::swap(gradient_, trial_gradient_);
    }

  protected:
    /// Begins where the window has this value and gradient. Room is taken from the frame.
    StandInModel(Real value, ConstView gradient, Scratch::Frame& frame)
        : trial_gradient_(frame.take(gradient.size())),
          gradient_(frame.take(gradient.size())),
          value_(value) {
        copy(gradient, gradient_);
    }

    View trial_gradient_;
    Real trial_value_ = 0;

  private:
    View gradient_;
    Real value_;
};

}  // namespace proxstream
