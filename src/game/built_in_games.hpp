/// The built-in games, and the kinds of games they are made of.
#pragma once

#include "proxstream/core/spec.hpp"

#include "game/game.hpp"

#include <string>
#include <vector>

namespace proxstream {

// The makers that take a Spec are the rows of game_table.cpp, which lists their arguments. All makers throw
// ConfigError that names every mistake.

// Costs that are quadratic in the player's own play and linear in the rivals' plays:
//   cost_i(x) = c_i.x_i + x_i' Q_i x_i / 2 + sum_j x_i' A_ij x_j.
// Q_i is symmetric. An indefinite Q_i makes the cost non-convex. Without Q the game is bilinear.

/// The terms of one player. Matrices are stored by rows; an empty matrix is 0.
struct QuadraticTerms {
    std::vector<Real> linear = {};                 // c_i
    std::vector<Real> curvature = {};              // Q_i
    std::vector<std::vector<Real>> coupling = {};  // A_ij by j; A_ii must be empty
};

struct QuadraticPlayer {
    std::string name;
    std::string set;  // as parse_regulariser reads it
    QuadraticTerms terms;
    std::vector<Real> start;
};

GameDefinition make_quadratic_game(std::string name, std::vector<QuadraticPlayer> players);

GameDefinition make_pennies(const Spec& spec);
GameDefinition make_rps(const Spec& spec);
/// Random matrices. zero-sum: for each pair of players, one pays what the other gains.
GameDefinition make_bilinear(const Spec& spec);
/// Eigenvalues of Q_i from `curvature` to 1.
GameDefinition make_quadratic(const Spec& spec);

// Costs that are polynomials of the joint play, with cosines and sines (game/polynomial.hpp). Their constants
// are bounds by interval arithmetic: valid, and often far too large.

struct PolynomialPlayer {
    std::string name;
    std::vector<std::string> variables;  // its coordinates; costs of all players may use them
    std::string cost;
    std::string set;               // as parse_regulariser reads it
    std::vector<Real> start = {};  // empty: the point of its set nearest to 0
};

GameDefinition make_polynomial_game(std::string name, const std::vector<PolynomialPlayer>& players);

/// Costs of the variables x1, x2, .. or, with n coordinates a player, x1[1], x1[2], ..
GameDefinition make_polynomial(const Spec& spec);
/// x (y - 0.45) + phi(x) - phi(y), phi(z) = z^2/4 - z^4/2 + z^6/6. Its equilibrium repels gradient methods
/// and a cycle around it attracts them (Hsieh, Mertikopoulos and Cevher 2021).
GameDefinition make_forsaken(const Spec& spec);
/// Three players, on a simplex, in a box and with an L1 norm; no cost is convex.
GameDefinition make_trio(const Spec& spec);

/// Firms choose quantities q in [0, cap] of one or several products. A product's price is P(z), where z is
/// its own total and `substitution` times that of the others:
///   linear   a - b z
///   concave  a - b z^2 / 2
///   convex   a / (1 + b z)
/// Production costs c_i q + bend q^2 / (1 + q^2) for each product. The second term acts like a fixed cost, so
/// the costs are not convex.
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
GameDefinition make_cournot(const Spec& spec);

/// A matrix game with learned features. The learner chooses the weights of a small feature map that
/// classifies situations; the adversary chooses how often each situation occurs.
///   score_k = sum_j v_j tanh(w_j.s_k),   loss_k = log(1 + exp(-y_k score_k))
/// The learner pays sum_k p_k loss_k(w, v), which is not convex in its weights; the adversary receives it.
struct FeatureSituations {
    std::vector<Real> points;  // s_k, row after row
    std::vector<Real> labels;  // y_k, 1 or -1
    Index hidden = 1;          // features

    Index inputs() const { return points.size() / labels.size(); }
    Index weights() const { return hidden * (inputs() + 1); }  // w_1, .., w_h, then v
};

/// The learner is player 0; `set` is the text of its set.
GameDefinition make_features_game(std::string name, const FeatureSituations& situations,
                                  const std::string& set, std::vector<Real> weights,
                                  std::vector<Real> shares);
/// Random points. The label is the sign of the product of the first two coordinates, which no linear map can
/// classify.
GameDefinition make_features(const Spec& spec);

/// See game/congestion_game.hpp.
GameDefinition make_congestion(const Spec& spec);

/// Players `discriminator` and `generator`, in this order. loss=minimax: the generator's cost is the negated
/// cost of the discriminator, as far as it depends on the generator. weights=box:B: all weights and biases
/// within [-B, B]; weights=l1:LAMBDA: an L1 penalty on the weights, not on the biases.
GameDefinition make_gan_game(const Spec& spec);

}  // namespace proxstream
