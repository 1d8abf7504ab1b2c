#include "game/equilibrium_window.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "core/violations.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace proxstream {
namespace {

constexpr Real kLongest = 1e12;

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
    Violations violations;
    violations.require(players.size() >= 2, "players: a game needs at least 2");
    const auto require = [&](const char* what, Real value, bool positive) {
        violations.require((positive ? value > 0 : value >= 0) && value <= kAbsurd, "{} = {}: must be {}",
                           what, format_short(value), positive ? "positive" : "0 or more");
    };
    require("epsilon", epsilon, true);
    for (const PlayerFigures& player : players) {
        require("delta", player.delta, true);
        require("sigma", player.sigma, false);
        require("variation", player.variation, false);
    }
    require("mean square of the variation", mean_square.value_or(0), false);
    violations.conclude();

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
