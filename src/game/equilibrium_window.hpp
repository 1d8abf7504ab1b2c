/// How long windows have to be for a smoothed local equilibrium of a wanted accuracy: R_i^2 <= epsilon of
/// every player. Pure arithmetic on the corrected theorem (docs/theory.md, section 20), with the paper's
/// formula beside it.
#pragma once

#include "proxstream/core/types.hpp"

#include <optional>
#include <span>

namespace proxstream {

/// What is known of a player.
struct PlayerFigures {
    Real delta = 1;      // its rounds end at delta / w
    Real sigma = 0;      // a sure bound on w times the error of an estimated gradient
    Real variation = 0;  // D: d_t <= D in every round
};

struct EquilibriumWindow {
    /// Every round from the second on is an equilibrium: ceil(max_i (delta + sigma + D) / sqrt epsilon).
    Index every_round = 1;
    /// The same for some round only, from the mean square c of the variations over the rounds with full
    /// windows: ceil(sqrt(m / epsilon) (delta + sqrt c)). Bounds the sum over the players of R^2.
    Index some_round = 1;
    /// The paper's proof, done right: ceil(1/2 + sqrt(1/4 + 2 m A / epsilon)), A = delta^2 + c, in T = w^2
    /// rounds.
    Index paper_route = 1;
    /// As the paper prints it: ceil(2 m A / sqrt epsilon).
    Index paper_printed = 1;
    /// Whether the printed one does what the paper's proof needs: w (w - 1) >= 2 m A / epsilon.
    bool printed_suffices = false;
};

/// `mean_square` is c; absent: D^2 of the worst player. Throws ConfigError naming every figure that cannot
/// be, and windows beyond 10^12.
EquilibriumWindow equilibrium_window(std::span<const PlayerFigures> players, Real epsilon,
                                     std::optional<Real> mean_square = std::nullopt);

}  // namespace proxstream
