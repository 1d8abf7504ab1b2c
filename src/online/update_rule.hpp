/// The interface of the update rules of first-order learners, and what a rule sees of a round.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/core/scratch.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/loss/record_ref.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <memory>

namespace proxstream {

class CarriedWindow;

/// What an update rule sees of a round, and what it can do: prox steps.
class Move {
  public:
    struct Newest {
        RecordRef record;    // f_t; none where the gradient is an estimate of a window's
        ConstView gradient;  // grad f_t(x_t)
    };
    Move(const AnyRegulariser& g, View point, const Newest& newest, Scratch& scratch,
         const CarriedWindow* window = nullptr)
        : newest_(newest), g_(g), point_(point), scratch_(scratch), window_(window) {}

    const RecordRef& newest_record() const noexcept { return newest_.record; }
    ConstView newest_gradient() const noexcept { return newest_.gradient; }
    ConstView point() const noexcept { return point_; }
    Scratch& scratch() const noexcept { return scratch_; }
    /// Earlier losses that can be used again; 0 where there is no window.
    Index losses_in_window() const;
    /// The gradient at point() of the loss that is `age` rounds old.
    void gradient(Index age, View out);

    /// Removes from a direction the part that is orthogonal to the affine hull of dom g. The prox would undo
    /// it, but not if the direction is rescaled coordinate by coordinate first.
    void keep_within(View direction) const { project_direction(g_, direction); }
    /// point <- base: the next step starts there.
    void restart_from(ConstView base) { copy(base, point_); }
    /// point <- prox_{step g}(point - step direction).
    void step(Real step, ConstView direction) { this->step(step, direction, step); }
    /// The same with another step in the prox, for a direction that is rescaled.
    void step(Real step, ConstView direction, Real prox_step);
    /// point <- prox_{prox_step g}(target).
    void jump_to(ConstView target, Real prox_step);
    /// The same with a step for each coordinate; needs a g that supports_weighted_prox().
    void jump_to(ConstView target, ConstView prox_steps);

    Cost cost;             // the rule adds what it evaluates
    Real regulariser = 0;  // g(point), after a step
    Real smallest_step = 0;
    Real largest_step = 0;

  private:
    void apply_prox(ConstView target, Real prox_step, Real step);
    void count_prox(Real step);

    Newest newest_;
    const AnyRegulariser& g_;
    View point_;
    Scratch& scratch_;
    const CarriedWindow* window_;
};

class UpdateRule {
  public:
    virtual ~UpdateRule() = default;
    /// Takes one or more steps.
    virtual void move(Move& move) = 0;
    virtual void serialise(StateArchive& archive) = 0;
    /// Whether the point is part of the rule: it is not moved when the learner is restarted.
    virtual bool fixed() const { return false; }

    // Learners copy the state of a rule in order to undo a round.
    virtual std::unique_ptr<UpdateRule> clone() const = 0;
    /// `other` is a rule of the same type.
    virtual void assign(const UpdateRule& other) = 0;
};
using RulePointer = std::unique_ptr<UpdateRule>;

/// Base of a rule of type R that can be copied.
template <class R>
class CopiedRule : public UpdateRule {
  public:
    std::unique_ptr<UpdateRule> clone() const final {
        return std::make_unique<R>(static_cast<const R&>(*this));
    }
    void assign(const UpdateRule& other) final { static_cast<R&>(*this) = static_cast<const R&>(other); }
};

}  // namespace proxstream
