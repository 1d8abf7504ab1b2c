/// The window length that guarantees a smoothed local equilibrium, R_i^2 <= epsilon for every player, by the
/// corrected theorem (docs/theory.md, section 20) and by the paper's formula.
#pragma once

#include "proxstream/core/types.hpp"

#include <optional>
#include <span>

namespace proxstream {

/// The constants of a player.
struct PlayerFigures {
    Real delta = 1;      // its rounds end at delta / w
    Real sigma = 0;      // almost sure bound on w times the error of an estimated gradient
    Real variation = 0;  // D: d_t <= D in every round
};

struct EquilibriumWindow {
    /// Every round from the second on is an equilibrium: ceil(max_i (delta + sigma + D) / sqrt epsilon).
    Index every_round = 1;
    /// The same for some round only, from the mean square c of the variations over the rounds with full
    /// windows: ceil(sqrt(m / epsilon) (delta + sqrt c)). Bounds the sum over the players of R^2.
    Index some_round = 1;
    /// The paper's proof without its error: ceil(1/2 + sqrt(1/4 + 2 m A / epsilon)), A = delta^2 + c, in T =
    /// w^2 rounds.
    Index paper_route = 1;
    /// As the paper prints it: ceil(2 m A / sqrt epsilon).
    Index paper_printed = 1;
    /// Whether paper_printed satisfies the paper's own proof: w (w - 1) >= 2 m A / epsilon.
    bool printed_suffices = false;
};

/// `mean_square` is c; absent: D^2 of the worst player. Throws ConfigError that names
/// every impossible figure, and for windows beyond 10^12.
EquilibriumWindow equilibrium_window(std::span<const PlayerFigures> players, Real epsilon,
                                     std::optional<Real> mean_square = std::nullopt);

}  // namespace proxstream
