#include "game/equilibrium_window.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace proxstream {
namespace {

constexpr Real kLongest = 1e12;

void require(std::vector<std::string>& violations, bool holds, const std::string& what, Real value,
             const char* allowed) {
    if (!holds) violations.push_back(what + " = " + format_short(value) + ": " + allowed);
}

Index whole(Real length) {
    if (!(length <= kLongest)) {
        throw ConfigError("epsilon: asks for a window of " + format_short(length) +
                          " rounds; take a larger epsilon");
    }
    return static_cast<Index>(std::max<Real>(1, std::ceil(length)));
}

}  // namespace

EquilibriumWindow equilibrium_window(std::span<const PlayerFigures> players, Real epsilon,
                                     std::optional<Real> mean_square) {
    std::vector<std::string> violations;
    require(violations, players.size() >= 2, "players", static_cast<Real>(players.size()),
            "a game needs at least 2");
    require(violations, epsilon > 0 && epsilon <= kAbsurd, "epsilon", epsilon, "must be positive");
    for (const PlayerFigures& player : players) {
        require(violations, player.delta > 0 && player.delta <= kAbsurd, "delta", player.delta,
                "must be positive");
        require(violations, player.sigma >= 0 && player.sigma <= kAbsurd, "sigma", player.sigma,
                "must be 0 or more");
        require(violations, player.variation >= 0 && player.variation <= kAbsurd, "variation",
                player.variation, "must be 0 or more");
    }
    if (mean_square) {
        require(violations, *mean_square >= 0 && *mean_square <= kAbsurd, "mean square of the variation",
                *mean_square, "must be 0 or more");
    }
    if (!violations.empty()) throw ConfigError(violations);

    Real most = 0;
    Real delta = 0;
    Real variation = 0;
    for (const PlayerFigures& player : players) {
        most = std::max(most, player.delta + player.sigma + player.variation);
        delta = std::max(delta, player.delta + player.sigma);
        variation = std::max(variation, player.variation);
    }
    const Real c = mean_square.value_or(variation * variation);
    const Real m = static_cast<Real>(players.size());
    const Real a = delta * delta + c;
    EquilibriumWindow result;
    result.every_round = whole(most / std::sqrt(epsilon));
    result.some_round = whole(std::sqrt(m / epsilon) * (delta + std::sqrt(c)));
    result.paper_route = whole(0.5 + std::sqrt(0.25 + 2 * m * a / epsilon));
    result.paper_printed = whole(2 * m * a / std::sqrt(epsilon));
    const Real printed = static_cast<Real>(result.paper_printed);
    result.printed_suffices = printed * (printed - 1) >= 2 * m * a / epsilon;
    return result;
}

}  // namespace proxstream
