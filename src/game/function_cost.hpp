/// A player's cost given as code: for games that are not built in.
#pragma once

#include "game/player_cost.hpp"

#include <functional>

namespace proxstream {

class FunctionCost final : public PlayerCost {
  public:
    /// Returns the cost of a joint play and overwrites `own_gradient`, the derivatives in the player's own
    /// block, unless it is empty. Must be safe to call from several threads.
    using Function = std::function<Real(ConstView joint, View own_gradient)>;

    /// The claims are not checked. Throws ConfigError for a missing function, an unknown player, an empty
    /// block and impossible claims.
    FunctionCost(const JointLayout& layout, Index player, Function function, const CostClaims& claims = {});

    /// A record has the rivals' blocks, one after the other.
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;

  private:
    JointLayout layout_;
    Index player_;
    Function function_;
};

}  // namespace proxstream
