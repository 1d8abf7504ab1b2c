/// Firms that choose quantities of one or several products in [0, cap]. Prices fall with what all of them
/// sell; what a firm produces costs
///   c_i q + bend q^2 / (1 + q^2)
/// a product: something like a fixed cost that has to be borne once a plant runs, so costs are not convex.
///
/// A product's price is P(z), z being its own total and `substitution` times that of the others:
///   linear   a - b z
///   concave  a - b z^2 / 2
///   convex   a / (1 + b z)
/// A record is what rivals sell of each product together.
#pragma once

#include "proxstream/core/spec.hpp"

#include "game/game.hpp"

namespace proxstream {

struct CournotOptions {
    enum class Demand { linear, concave, convex };
    Index firms = 3;                 // from 2 to 1000
    Index products = 1;              // from 1 to 1000
    Demand demand = Demand::linear;  // P
    Real a = 2;                      // what the first unit brings
    Real b = 1;                      // how fast the price falls
    Real substitution = 0.3;         // from 0 to 1
    Real cap = 1;                    // what a firm can produce of each product
    Real marginal = 0.2;             // c_1; c_i = c_1 (1 + (i - 1) / firms)
    Real bend = 0.5;
};

class CournotCost final : public PlayerCost {
  public:
    /// Options as make_cournot_game has checked them.
    CournotCost(const CournotOptions& options, Index firm);

    Index dimension() const override { return options_.products; }
    Index record_size() const override { return options_.products; }
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;
    std::optional<Real> smoothness() const override { return smoothness_; }
    std::optional<Real> variation() const override { return variation_; }
    Real marginal() const noexcept { return marginal_; }

  private:
    struct Price {
        Real value, slope, bend;
    };
    Price price(Real z) const;
    void find_constants();

    CournotOptions options_;
    Index firm_;
    Real marginal_;
    Real smoothness_ = 0;
    Real variation_ = 0;
};

/// Throws ConfigError that names every option that cannot be used.
GameDefinition make_cournot_game(const CournotOptions& options);
/// `cournot[:firms=3,products=1,demand=linear,a=2,b=1,substitution=0.3,cap=1,marginal=0.2,bend=0.5]`
GameDefinition make_cournot(const Spec& spec);

}  // namespace proxstream
