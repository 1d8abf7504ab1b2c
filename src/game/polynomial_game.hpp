/// Games whose costs are polynomials, with cosines and sines, of the joint play.
///
/// As a function of the own play such a cost is a sum of products of own factors; rivals are in their
/// coefficients alone. A record is those coefficients, so a window costs as much as adding its records up,
/// and one evaluation.
#pragma once

#include "proxstream/core/spec.hpp"

#include "game/game.hpp"
#include "game/polynomial.hpp"

#include <span>
#include <string>
#include <vector>

namespace proxstream {

class PolynomialCost final : public PlayerCost {
  public:
    /// Variables of `cost` are coordinates of the joint play. `sets` are those of all players, for the
    /// constants: bounds by interval arithmetic, valid and often far too large. Throws ConfigError.
    PolynomialCost(JointLayout layout, Index player, const Polynomial& cost,
                   std::span<const AnyRegulariser> sets);

    Index dimension() const override { return layout_.dimension(player_); }
    Index record_size() const override { return products_.size(); }
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;
    std::optional<Real> smoothness() const override { return smoothness_; }
    std::optional<Real> variation() const override { return variation_; }
    /// Shown by Gershgorin's circles, so "no" may be wrong.
    bool convex() const override { return convex_; }

  private:
    /// Factors of the own play, by its own coordinates, and what rivals multiply them by.
    struct Product {
        std::vector<Factor> factors;
        Polynomial coefficient;
    };
    void find_constants(std::span<const AnyRegulariser> sets);

    JointLayout layout_;
    Index player_;
    std::vector<Product> products_;
    Index most_factors_ = 0;
    std::optional<Real> smoothness_, variation_;
    bool convex_ = false;
};

/// A player as it is written down.
struct PolynomialPlayer {
    std::string name;
    std::vector<std::string> variables;  // its coordinates; costs of all players may use them
    std::string cost;
    std::string set;               // as parse_regulariser reads it
    std::vector<Real> start = {};  // empty: the point of its set nearest to 0
};

/// Throws ConfigError with everything that does not fit.
GameDefinition make_polynomial_game(std::string name, const std::vector<PolynomialPlayer>& players);

/// `polynomial:(COST),(COST)[,..][,n=1,set=box,start=.5/0/..]`: a cost a player, of x1, x2, .. or, with n
/// coordinates each, x1[1], x1[2], ..
GameDefinition make_polynomial(const Spec& spec);
/// `forsaken`: x (y - 0.45) + phi(x) - phi(y), phi(z) = z^2/4 - z^4/2 + z^6/6. Its equilibrium repels
/// gradient methods and a cycle around it attracts them (Hsieh, Mertikopoulos and Cevher 2021).
GameDefinition make_forsaken(const Spec& spec);
/// `trio`: three players, on a simplex, in a box and with an L1 norm; no cost is convex.
GameDefinition make_trio(const Spec& spec);

}  // namespace proxstream
