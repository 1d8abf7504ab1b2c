/// A game: players, each with a cost, a convex regulariser or set, and a start.
#pragma once

#include "proxstream/prox/regulariser.hpp"

#include "game/player_cost.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

struct GamePlayer {
    std::string name;
    std::shared_ptr<const PlayerCost> cost;
    AnyRegulariser g;
    std::string set;          // g in words, as parse_regulariser reads it where it can
    std::vector<Real> start;  // x_1, in dom g
};

class Gan;

struct GameDefinition {
    std::string name;
    std::vector<GamePlayer> players;
    std::shared_ptr<const Gan> gan = nullptr;  // of a generator against a discriminator; else none

    JointLayout layout() const;
};

/// Throws ConfigError with everything that does not fit: fewer than two players, a start of another length
/// than the cost's, a g that does not fit it or is infinite at the start, a cost that is not finite there.
void check(const GameDefinition& game);

}  // namespace proxstream
