#include "game/game.hpp"

#include "proxstream/core/error.hpp"

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
void check_player(const GamePlayer& player, std::vector<std::string>& violations) {
    const std::string who = "player '" + player.name + "': ";
    const Index n = player.cost->dimension();
    if (player.start.size() != n) {
        violations.push_back(who + "its start has " + std::to_string(player.start.size()) +
                             " numbers, its play " + std::to_string(n));
        return;
    }
    try {
        player.g.check_dimension(n);
        Scratch scratch;
        if (!std::isfinite(player.g.value(player.start, scratch)))
            violations.push_back(who + "it starts outside its set (" + player.set + ")");
    } catch (const ConfigError& error) {
        for (const std::string& text : error.violations()) violations.push_back(who + text);
    }
}

}  // namespace

void check(const GameDefinition& game) {
    std::vector<std::string> violations;
    if (game.players.size() < 2) violations.emplace_back("a game needs at least two players");
    for (const GamePlayer& player : game.players) check_player(player, violations);
    if (!violations.empty()) throw ConfigError(std::move(violations));

    const std::vector<Real> joint = game.start();
    Scratch scratch;
    for (const GamePlayer& player : game.players) {
        // A sampled cost would be evaluated over all its samples; its learner refuses such rounds instead.
        if (player.cost->parts() > 1) continue;
        const PlayBatch batch = PlayBatch::of_play(player.cost, joint, scratch);
        if (!std::isfinite(batch.value(0, player.start, scratch)))
            violations.push_back("player '" + player.name +
                                 "': its cost is not finite where the game starts");
    }
    if (!violations.empty()) throw ConfigError(std::move(violations));
}

}  // namespace proxstream
