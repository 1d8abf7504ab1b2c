#include "game/game.hpp"

#include "proxstream/core/error.hpp"

#include "core/violations.hpp"
#include "game/play_batch.hpp"

#include <cmath>

namespace proxstream {

JointLayout GameDefinition::layout() const {
    std::vector<Index> dimensions;
    dimensions.reserve(players.size());
    for (const GamePlayer& player : players) dimensions.push_back(player.cost->dimension());
    return JointLayout(dimensions);
}

std::vector<Real> GameDefinition::start() const {
    std::vector<Real> joint;
    for (const GamePlayer& player : players)
        joint.insert(joint.end(), player.start.begin(), player.start.end());
    return joint;
}

namespace {

/// Checks one player without the others.
void check_player(const GamePlayer& player, Violations& violations) {
    const Index n = player.cost->dimension();
    if (player.start.size() != n) {
        violations.require(false, "player '{}': its start has {} numbers, its play {}", player.name,
                           player.start.size(), n);
        return;
    }
    violations.collect("player '" + player.name + "'", [&] {
        player.g.check_dimension(n);
        Scratch scratch;
        if (!std::isfinite(player.g.value(player.start, scratch)))
            throw ConfigError("it starts outside its set (" + player.set + ")");
    });
}

}  // namespace

void check(const GameDefinition& game) {
    Violations violations;
    violations.require(game.players.size() >= 2, "a game needs at least two players");
    for (const GamePlayer& player : game.players) check_player(player, violations);
    violations.conclude();

    const std::vector<Real> joint = game.start();
    Scratch scratch;
    for (const GamePlayer& player : game.players) {
        // A sampled cost would be evaluated over all its samples; its learner refuses such rounds instead.
        if (player.cost->parts() > 1) continue;
        const PlayBatch batch = PlayBatch::of_play(player.cost, joint, scratch);
        violations.require(std::isfinite(batch.value(0, player.start, scratch)),
                           "player '{}': its cost is not finite where the game starts", player.name);
    }
    violations.conclude();
}

}  // namespace proxstream
