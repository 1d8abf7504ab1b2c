/// A window seen through a compact copy of its records: exact in value and gradient at the anchor, close to
/// it around, and linear in the coordinates the copy has left out.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/scratch.hpp"

#include <cmath>
#include <concepts>
#include <span>
#include <utility>

namespace proxstream {

/// A window that may be able to look at points that are 0 but for a few coordinates cheaply.
template <class M>
concept Compactable = requires(M& model, std::span<const Index> coordinates, ConstView y, View gradient,
                               Scratch& scratch) {
    { model.compact(coordinates, scratch) } -> std::same_as<bool>;
    { model.compact_pass(y, gradient, scratch) } -> std::same_as<Real>;
    { model.compact_share() } -> std::same_as<Real>;
    model.forget_compact();
};

template <Compactable Model>
class CompactModel {
  public:
    /// The window's value and gradient have to be those at the anchor, of which a view is kept; compact()
    /// comes first. Room is taken from the frame.
    CompactModel(Model& model, ConstView anchor, Scratch::Frame& frame, Scratch& scratch)
        : model_(model),
          anchor_(anchor),
          correction_(frame.take(anchor.size())),
          gradient_(frame.take(anchor.size())),
          trial_gradient_(frame.take(anchor.size())),
          value_(model.value()) {
        missing_ = value_ - model_.compact_pass(anchor_, correction_, scratch);
        subtract(model_.gradient(), correction_, correction_);
        copy(model_.gradient(), gradient_);
    }

    Real value() const noexcept { return value_; }
    ConstView gradient() const noexcept { return gradient_; }
    Real try_at(ConstView y, Scratch& scratch) {
        trial_value_ = model_.compact_pass(y, trial_gradient_, scratch) + missing_;
        Scratch::Frame frame(scratch);
        const View move = frame.take(y.size());
        subtract(y, anchor_, move);
        trial_value_ += dot(correction_, move);
        axpy(1, correction_, trial_gradient_);
        return trial_value_;
    }
    bool trial_finite() const { return std::isfinite(trial_value_) && all_finite(trial_gradient_); }
    ConstView trial_gradient() const noexcept { return trial_gradient_; }
    void accept_trial() {
        value_ = trial_value_;
        std::swap(gradient_, trial_gradient_);
    }

  private:
    Model& model_;
    ConstView anchor_;
    View correction_;   // what the copy's gradient misses at the anchor
    Real missing_ = 0;  // and its value
    View gradient_;
    View trial_gradient_;
    Real value_;
    Real trial_value_ = 0;
};

}  // namespace proxstream
