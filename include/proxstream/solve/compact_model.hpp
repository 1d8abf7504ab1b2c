/// A window seen through a compact copy of its records: exact in value and gradient at the anchor, close to
/// it around, and linear in the coordinates the copy has left out.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/scratch.hpp"
#include "proxstream/solve/stand_in_model.hpp"

#include <concepts>
#include <span>

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
class CompactModel : public StandInModel {
  public:
    /// The window's value and gradient have to be those at the anchor, of which a view is kept; compact()
    /// comes first. Room is taken from the frame.
    CompactModel(Model& model, ConstView anchor, Scratch::Frame& frame, Scratch& scratch)
        : StandInModel(model.value(), model.gradient(), frame),
          model_(model),
          anchor_(anchor),
          correction_(frame.take(anchor.size())) {
        missing_ = model_.value() - model_.compact_pass(anchor_, correction_, scratch);
        subtract(model_.gradient(), correction_, correction_);
    }

    Real try_at(ConstView y, Scratch& scratch) {
        trial_value_ = model_.compact_pass(y, trial_gradient_, scratch) + missing_;
        Scratch::Frame frame(scratch);
        const View move = frame.take(y.size());
        subtract(y, anchor_, move);
        trial_value_ += dot(correction_, move);
        axpy(1, correction_, trial_gradient_);
        return trial_value_;
    }

  private:
    Model& model_;
    ConstView anchor_;
    View correction_;   // what the copy's gradient misses at the anchor
    Real missing_ = 0;  // and its value
};

}  // namespace proxstream
