/// What one player pays, as a function of its own play. What differs from round to round is how the others
/// played; a cost says what of a joint play it has to remember, and that record is all a window keeps: the
/// load rivals put on every link, say, and not who sent it along which path.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

#include "loss/row_ring.hpp"

#include <optional>
#include <span>

namespace proxstream {

/// Records of a window by age, 0 being the newest. A view.
class PlayRecords {
  public:
    PlayRecords(const RowRing& ring, Index size) : ring_(ring), size_(size) {}
    ConstView operator[](Index age) const { return {ring_.record(age).dense, size_}; }

  private:
    const RowRing& ring_;
    Index size_;
};

/// The cost of one player. Immutable, and safe to call from several threads.
class PlayerCost {
  public:
    virtual ~PlayerCost() = default;

    virtual Index dimension() const = 0;    // of the player's own play
    virtual Index record_size() const = 0;  // Reals a record takes
    /// What is remembered of a joint play, the players' blocks one behind the other. The player's own block
    /// has no say in it.
    virtual void condense(ConstView joint, View record, Scratch& scratch) const = 0;

    /// sum over ages of weights[age] * cost(own; records[age]), from the oldest to the newest; a record of
    /// weight 0 is not evaluated. `gradient`, in the own play, is overwritten; empty: it is not wanted. A
    /// cost that is undefined somewhere returns NaN there.
    virtual Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                          View gradient, Scratch& scratch) const = 0;

    /// A cost that is a mean over parts (samples) can be estimated from a few of them (loss/parts.hpp). 1: it
    /// is not.
    virtual Index parts() const { return 1; }
    /// Weighted sum of single parts, in the order given; gradient overwritten. Only called when parts() > 1.
    virtual Real parts_gradient(const PlayRecords& records, std::span<const WeightedPart> parts,
                                ConstView own, View gradient, Scratch& scratch) const;

    /// L of the cost in the own play, whatever the rivals play within their sets; 0: linear; nullopt: nobody
    /// knows.
    virtual std::optional<Real> smoothness() const { return std::nullopt; }
    /// D: what two gradients at one own play can differ by, and what one gradient can measure, whatever the
    /// rivals play within their sets, both without what lies across the affine hull of dom g
    /// (project_direction): a bound on the variation d_t in every round (docs/theory.md, section 20).
    /// nullopt: nobody knows.
    virtual std::optional<Real> variation() const { return std::nullopt; }
    /// Convex in the own play whatever the rivals play: a local best response is then a best response.
    virtual bool convex() const { return false; }
};

}  // namespace proxstream
