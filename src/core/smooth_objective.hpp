/// A smooth function as an inner solver sees it: value and gradient at a current point. The current point
/// moves when the solver accepts a trial point. Windows and sums of losses implement it.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/scratch.hpp"

#include <span>

namespace proxstream {

class SmoothObjective {
  public:
    virtual ~SmoothObjective() = default;

    virtual Real value() const = 0;
    virtual ConstView gradient() const = 0;
    virtual Real gradient_norm() const { return norm(gradient()); }

    /// One pass: value and gradient at y. Returns the value.
    virtual Real try_at(ConstView y, Scratch& scratch) = 0;
    virtual bool trial_finite() const = 0;
    virtual ConstView trial_gradient() const = 0;
    /// The trial point becomes the current point.
    virtual void accept_trial() = 0;

    /// Moves y to where the function may be lower, by the records' own method. False: they have none.
    virtual bool block_sweep(View /*y*/, Scratch& /*scratch*/) { return false; }

    /// Prepares a reduced model of the function around the current point x, in which only these coordinates
    /// (ascending) move. It costs a pass. False: no model is cheaper than passes.
    virtual bool reduce(std::span<const Index> /*coordinates*/, ConstView /*x*/, Scratch& /*scratch*/) {
        return false;
    }
    /// The function may have changed since its last reduced model.
    virtual void forget_reduced() {}
    /// The reduced model at x + move: its value above the tangent at x; writes the change of the gradient.
    virtual Real reduced_bend(ConstView /*move*/, View /*change*/, Scratch& /*scratch*/) { return 0; }

  protected:
    SmoothObjective() = default;
    SmoothObjective(const SmoothObjective&) = default;
    SmoothObjective(SmoothObjective&&) = default;
    SmoothObjective& operator=(const SmoothObjective&) = default;
    SmoothObjective& operator=(SmoothObjective&&) = default;
};

/// A function of which only estimates of the gradient are known; value() is NaN.
class EstimatedObjective : public SmoothObjective {
  public:
    /// As try_at(), with samples that no earlier estimate depends on.
    virtual void redraw_at(ConstView y, Scratch& scratch) = 0;
};

}  // namespace proxstream
