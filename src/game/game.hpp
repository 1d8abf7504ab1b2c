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
    std::string set;          // text of g, for parse_regulariser if it has one
    std::vector<Real> start;  // x_1, in dom g
};

class Gan;

struct GameDefinition {
    std::string name;
    std::vector<GamePlayer> players;
    std::shared_ptr<const Gan> gan = nullptr;  // of a generator against a discriminator; else none

    JointLayout layout() const;
    std::vector<Real> start() const;  // the joint play of all starts
};

/// Throws ConfigError that names every mistake: fewer than two players, a start or g of another dimension
/// than the cost, a start outside dom g, a cost that is not finite at the start.
void check(const GameDefinition& game);

}  // namespace proxstream
