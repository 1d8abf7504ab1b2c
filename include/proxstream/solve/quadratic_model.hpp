/// A quadratic function by its value and gradient at a point and its matrix: what inner solvers see of a
/// window of quadratic losses, at n^2 a candidate, however many rows there are.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/core/scratch.hpp"

#include <cmath>
#include <utility>

namespace proxstream {

class QuadraticModel {
  public:
    /// Views of `matrix` and `anchor` are kept, and room is taken from the frame.
    QuadraticModel(Real value, ConstView gradient, ConstView anchor, ConstView matrix, Scratch::Frame& frame)
        : anchor_(anchor),
          matrix_(matrix),
          anchor_value_(value),
          anchor_gradient_(frame.take(anchor.size())),
          gradient_(frame.take(anchor.size())),
          trial_gradient_(frame.take(anchor.size())),
          value_(value) {
        copy(gradient, anchor_gradient_);
        copy(gradient, gradient_);
    }

    Real value() const noexcept { return value_; }
    ConstView gradient() const noexcept { return gradient_; }
    Real try_at(ConstView y, Scratch& scratch) {
        const Index n = y.size();
        Scratch::Frame frame(scratch);
        const View move = frame.take(n);
        subtract(y, anchor_, move);
        for (Index i = 0; i < n; ++i) {
            trial_gradient_[i] = dot(matrix_.subspan(i * n, n), move);
        }
        const Real bend = dot(trial_gradient_, move);
        trial_value_ = anchor_value_ + (dot(anchor_gradient_, move) + bend / 2);
        axpy(1, anchor_gradient_, trial_gradient_);
        return trial_value_;
    }
    bool trial_finite() const { return std::isfinite(trial_value_) && all_finite(trial_gradient_); }
    ConstView trial_gradient() const noexcept { return trial_gradient_; }
    void accept_trial() {
        value_ = trial_value_;
        std::swap(gradient_, trial_gradient_);
    }

  private:
    ConstView anchor_;
    ConstView matrix_;
    Real anchor_value_;
    View anchor_gradient_;
    View gradient_;
    View trial_gradient_;
    Real value_;
    Real trial_value_ = 0;
};

}  // namespace proxstream
