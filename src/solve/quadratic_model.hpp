/// A quadratic function by its value and gradient at a point and its matrix: what inner solvers see of a
/// window of quadratic losses, at n^2 a candidate, however many rows there are.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/scratch.hpp"

#include "solve/stand_in_model.hpp"

namespace proxstream {

class QuadraticModel : public StandInModel {
  public:
    /// Views of `matrix` and `anchor` are kept, and room is taken from the frame.
    QuadraticModel(Real value, ConstView gradient, ConstView anchor, ConstView matrix, Scratch::Frame& frame)
        : StandInModel(value, gradient, frame),
          anchor_(anchor),
          matrix_(matrix),
          anchor_value_(value),
          anchor_gradient_(frame.take(anchor.size())) {
        copy(gradient, anchor_gradient_);
    }

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

  private:
    ConstView anchor_;
    ConstView matrix_;
    Real anchor_value_;
    View anchor_gradient_;
};

}  // namespace proxstream
