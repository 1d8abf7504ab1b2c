/// The cost of one player, as a function of its own play. Rounds differ by the rivals' plays. A cost
/// condenses a joint play to a record, and a window keeps only that record. An example is the total load of
/// the rivals on each link.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

#include "loss/row_ring.hpp"

#include <optional>
#include <span>
#include <vector>

namespace proxstream {

/// Where each player's play lies in the joint play: blocks, one after the other.
class JointLayout {
  public:
    JointLayout() = default;
    explicit JointLayout(std::span<const Index> dimensions) {
        for (const Index n : dimensions) begins_.push_back(begins_.back() + n);
    }

    Index players() const noexcept { return begins_.size() - 1; }
    Index dimension() const noexcept { return begins_.back(); }
    Index dimension(Index player) const { return begins_[player + 1] - begins_[player]; }
    Index begin(Index player) const { return begins_[player]; }
    ConstView block(ConstView joint, Index player) const {
        return joint.subspan(begins_[player], dimension(player));
    }
    View block(View joint, Index player) const { return joint.subspan(begins_[player], dimension(player)); }

  private:
    std::vector<Index> begins_{0};
};

/// Records of a window by age, 0 being the newest. A view.
class PlayRecords {
  public:
    PlayRecords(const RowRing& ring, Index size) : ring_(ring), size_(size) {}
    ConstView operator[](Index age) const { return {ring_.record(age).dense, size_}; }

  private:
    const RowRing& ring_;
    Index size_;
};

/// Constants of a cost that hold for all plays of the rivals; nullopt: not known.
struct CostClaims {
    std::optional<Real> smoothness = {};  // L of the cost in the own play; 0: linear
    /// D: bounds the difference of two gradients at one own play, and the norm of one gradient, both
    /// projected onto the affine hull of dom g. It bounds the variation d_t in every round (docs/theory.md,
    /// section 20).
    std::optional<Real> variation = {};
    bool convex = false;  // in the own play: a local best response is then a best response
};

/// The cost of one player. Immutable, and safe to call from several threads.
class PlayerCost {
  public:
    /// `dimension` is that of the own play, `record_size` the number of Reals of a record.
    PlayerCost(Index dimension, Index record_size) : dimension_(dimension), record_size_(record_size) {}
    virtual ~PlayerCost() = default;

    Index dimension() const noexcept { return dimension_; }
    Index record_size() const noexcept { return record_size_; }
    const std::optional<Real>& smoothness() const noexcept { return claims_.smoothness; }
    const std::optional<Real>& variation() const noexcept { return claims_.variation; }
    bool convex() const noexcept { return claims_.convex; }

    /// Writes the record of a joint play. It does not depend on the player's own block.
    virtual void condense(ConstView joint, View record, Scratch& scratch) const = 0;

    /// sum over ages of weights[age] * cost(own; records[age]), from the oldest to the newest, without
    /// records of weight 0. Overwrites `gradient`, unless it is empty. NaN where the cost is undefined.
    virtual Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                          View gradient, Scratch& scratch) const = 0;

    /// A cost that is a mean over parts (samples) can be estimated from some of them (loss/parts.hpp). 1: it
    /// has no parts.
    virtual Index parts() const { return 1; }
    /// Weighted sum of single parts, in the order given; gradient overwritten. Only called when parts() > 1.
    virtual Real parts_gradient(const PlayRecords& records, std::span<const WeightedPart> parts,
                                ConstView own, View gradient, Scratch& scratch) const;

  protected:
    CostClaims claims_;

  private:
    Index dimension_;
    Index record_size_;
};

/// A cost that is linear in its records: a window costs the sum of its records and one evaluation.
class LinearRecordCost : public PlayerCost {
  public:
    using PlayerCost::PlayerCost;

    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const final;

  protected:
    /// Of records that sum to `record` and weights that sum to `mass`; `gradient` is zero at first, or empty.
    virtual Real evaluate(ConstView record, Real mass, ConstView own, View gradient,
                          Scratch& scratch) const = 0;
};

}  // namespace proxstream
