/// Games whose costs are quadratic in the own play and linear in everybody else's:
///   cost_i(x) = c_i.x_i + x_i' Q_i x_i / 2 + sum_j x_i' A_ij x_j.
/// Q_i is symmetric and may be indefinite: then the cost is not convex. Without Q the game is bilinear.
///
/// A record is c_i + sum_j A_ij x_j, so a window costs as much as adding its records up, and one product
/// with Q_i.
#pragma once

#include "proxstream/core/spec.hpp"

#include "game/game.hpp"

#include <span>
#include <string>
#include <vector>

namespace proxstream {

/// Of one player; matrices row after row, empty ones are 0.
struct QuadraticTerms {
    std::vector<Real> linear = {};                 // c_i
    std::vector<Real> curvature = {};              // Q_i
    std::vector<std::vector<Real>> coupling = {};  // A_ij by j; that of i itself has to be empty
};

class QuadraticCost final : public PlayerCost {
  public:
    /// `sets` are those of all players, for the constants. Throws ConfigError: a matrix of another size, one
    /// that is not symmetric, a number that is not finite.
    QuadraticCost(JointLayout layout, Index player, QuadraticTerms terms,
                  std::span<const AnyRegulariser> sets);

    Index dimension() const override { return layout_.dimension(player_); }
    Index record_size() const override { return dimension(); }
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;
    std::optional<Real> smoothness() const override { return smoothness_; }  // |Q_i|
    std::optional<Real> variation() const override { return variation_; }
    bool convex() const override { return convex_; }

  private:
    void check() const;
    void find_curvature();
    void find_variation(std::span<const AnyRegulariser> sets);

    JointLayout layout_;
    Index player_;
    QuadraticTerms terms_;
    Real smoothness_ = 0;
    std::optional<Real> variation_;
    bool convex_ = true;
};

struct QuadraticPlayer {
    std::string name;
    std::string set;  // as parse_regulariser reads it
    QuadraticTerms terms;
    std::vector<Real> start;
};

/// Throws ConfigError with everything that does not fit.
GameDefinition make_quadratic_game(std::string name, std::vector<QuadraticPlayer> players);

/// `pennies`: matching pennies. `rps`: rock, paper, scissors. Neither starts where it is at rest.
GameDefinition make_pennies(const Spec& spec);
GameDefinition make_rps(const Spec& spec);
/// `bilinear[:n=5,players=2,set=box,zero-sum=yes,seed=1]`: random matrices; x_j pays what x_i gains, pair by
/// pair.
GameDefinition make_bilinear(const Spec& spec);
/// `quadratic[:n=5,players=3,set=box,curvature=-1,seed=1]`: eigenvalues of Q_i from `curvature` to 1.
GameDefinition make_quadratic(const Spec& spec);

}  // namespace proxstream
