/// What a player pays, given as code: the way to any game that is not built in.
#pragma once

#include "game/joint_layout.hpp"
#include "game/player_cost.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace proxstream {

/// What the author of a cost knows of it; nobody checks it, and certificates say that it was claimed.
struct CostClaims {
    std::optional<Real> smoothness = {};  // as PlayerCost
    std::optional<Real> variation = {};
    bool convex = false;
};

class FunctionCost final : public PlayerCost {
  public:
    /// Returns the cost of a joint play and overwrites `own_gradient`, the derivatives in the player's own
    /// block, unless it is empty: then only the value is wanted. Has to be safe to call from several threads.
    using Function = std::function<Real(ConstView joint, View own_gradient)>;

    /// Throws ConfigError: no function, no such player, a block without coordinates, claims that no cost
    /// can keep.
    FunctionCost(JointLayout layout, Index player, Function function, const CostClaims& claims = {});

    Index dimension() const override { return layout_.dimension(player_); }
    /// The rivals' blocks, one behind the other.
    Index record_size() const override { return layout_.dimension() - dimension(); }
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;
    std::optional<Real> smoothness() const override { return claims_.smoothness; }
    std::optional<Real> variation() const override { return claims_.variation; }
    bool convex() const override { return claims_.convex; }

  private:
    JointLayout layout_;
    Index player_;
    Function function_;
    CostClaims claims_;
};

}  // namespace proxstream
