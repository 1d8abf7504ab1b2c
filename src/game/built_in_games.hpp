/// The built-in games, and the kinds of games they are made of.
#pragma once

#include "proxstream/core/spec.hpp"

#include "game/game.hpp"

#include <string>
#include <vector>

namespace proxstream {

// Costs that are quadratic in the own play and linear in the rivals':
//   cost_i(x) = c_i.x_i + x_i' Q_i x_i / 2 + sum_j x_i' A_ij x_j.
// Q_i is symmetric and may be indefinite: then the cost is not convex. Without Q the game is bilinear.

/// Of one player; matrices row after row, empty ones are 0.
struct QuadraticTerms {
    std::vector<Real> linear = {};                 // c_i
    std::vector<Real> curvature = {};              // Q_i
    std::vector<std::vector<Real>> coupling = {};  // A_ij by j; that of i itself has to be empty
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

// Costs that are polynomials, with cosines and sines, of the joint play (game/polynomial.hpp). Their
// constants are bounds by interval arithmetic: valid, and often far too large.

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

/// `polynomial:(COST),(COST)[,..][,n=1,set=box,start=.5/0/..]`: a cost for each player, of x1, x2, .. or,
/// with n coordinates each, x1[1], x1[2], ..
GameDefinition make_polynomial(const Spec& spec);
/// `forsaken`: x (y - 0.45) + phi(x) - phi(y), phi(z) = z^2/4 - z^4/2 + z^6/6. Its equilibrium repels
/// gradient methods and a cycle around it attracts them (Hsieh, Mertikopoulos and Cevher 2021).
GameDefinition make_forsaken(const Spec& spec);
/// `trio`: three players, on a simplex, in a box and with an L1 norm; no cost is convex.
GameDefinition make_trio(const Spec& spec);

/// Firms that choose quantities of one or several products in [0, cap]. Prices fall with what all firms sell.
/// What a firm produces costs
///   c_i q + bend q^2 / (1 + q^2)
/// a product: the second term is like a fixed cost that arises once a plant runs, so costs are not convex.
/// A product's price is P(z), z being its own total and `substitution` times that of the others:
///   linear   a - b z
///   concave  a - b z^2 / 2
///   convex   a / (1 + b z)
struct CournotOptions {
    enum class Demand { linear, concave, convex };
    Index firms = 3;                 // from 2 to 1000
    Index products = 1;              // from 1 to 1000
    Demand demand = Demand::linear;  // P
    Real a = 2;                      // price of the first unit
    Real b = 1;                      // how fast the price falls
    Real substitution = 0.3;         // from 0 to 1
    Real cap = 1;                    // most that a firm can produce of each product
    Real marginal = 0.2;             // c_1; c_i = c_1 (1 + (i - 1) / firms)
    Real bend = 0.5;
};

GameDefinition make_cournot_game(std::string name, const CournotOptions& options);
/// `cournot[:firms=3,products=1,demand=linear,a=2,b=1,substitution=0.3,cap=1,marginal=0.2,bend=0.5]`.
GameDefinition make_cournot(const Spec& spec);

/// A matrix game with learned features: one player chooses the weights of a small feature map to tell
/// situations apart, the other how often each situation comes up.
///   score_k = sum_j v_j tanh(w_j.s_k),   loss_k = log(1 + exp(-y_k score_k))
/// The learner pays sum_k p_k loss_k(w, v), which is not convex in its weights; the adversary receives it.
struct FeatureSituations {
    std::vector<Real> points;  // s_k, row after row
    std::vector<Real> labels;  // y_k, 1 or -1
    Index hidden = 1;          // features

    Index inputs() const { return points.size() / labels.size(); }
    Index weights() const { return hidden * (inputs() + 1); }  // w_1, .., w_h, then v
};

/// The learner is player 0, in the set of that text. Throws ConfigError.
GameDefinition make_features_game(std::string name, const FeatureSituations& situations,
                                  const std::string& set, std::vector<Real> weights,
                                  std::vector<Real> shares);
/// `features[:situations=12,inputs=2,hidden=4,set=(box:-3,3),seed=1]`: random points whose label is the sign
/// of the product of their first two coordinates, which no linear map tells apart.
GameDefinition make_features(const Spec& spec);

/// `congestion[:NETWORK,trips=FILE,carriers=3,shares=.5/.3/.2,paths=4,cost=bpr,scale=1]`; values with commas
/// in parentheses. See game/congestion_game.hpp.
GameDefinition make_congestion(const Spec& spec);

/// `gan[:ring8,std=S,hidden=64/64,activation=tanh,latent=2,samples=1048576,loss=nonsaturating,weights=free,
/// seed=1]`: players `discriminator` and `generator`, in this order. `loss=minimax`: the generator's cost is
/// the discriminator's, negated, as far as it depends on the generator. `weights=box:B`: all weights and
/// biases within [-B, B]; `weights=l1:LAMBDA`: an L1 penalty on the weights, not on the biases.
GameDefinition make_gan_game(const Spec& spec);

}  // namespace proxstream
