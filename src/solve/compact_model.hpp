/// A window seen from an anchor, through a compact copy of its records: exact in value and gradient there,
/// close to it around, and linear in the coordinates the copy has left out.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/scratch.hpp"

#include "solve/stand_in_model.hpp"

#include <concepts>
#include <span>

namespace proxstream {

/// A window that may be able to look around a point cheaply.
template <class M>
concept Compactable = requires(M& model, std::span<const Index> coordinates, ConstView x, ConstView move,
                               View gradient, Scratch& scratch) {
    { model.compact(coordinates, x, scratch) } -> std::same_as<bool>;
    { model.compact_pass(move, gradient, scratch) } -> std::same_as<Real>;
    { model.compact_share() } -> std::same_as<Real>;
    model.forget_compact();
};

template <Compactable Model>
class CompactModel : public StandInModel {
  public:
    /// compact() comes first, at the anchor, of which a view is kept; the window's value and gradient have to
    /// be those there, and to stay. Room is taken from the frame.
    CompactModel(Model& model, ConstView anchor, Scratch::Frame& frame)
        : StandInModel(model.value(), model.gradient(), frame),
          model_(model),
          anchor_(anchor),
          move_(frame.take(anchor.size())) {}

    Real try_at(ConstView y, Scratch& scratch) {
        subtract(y, anchor_, move_);
        const Real bend = model_.compact_pass(move_, trial_gradient_, scratch);
        trial_value_ = model_.value() + (dot(model_.gradient(), move_) + bend);
        axpy(1, model_.gradient(), trial_gradient_);
        return trial_value_;
    }

  private:
    Model& model_;
    ConstView anchor_;
    View move_;
};

}  // namespace proxstream
