/// What every built-in game has to pass: its costs against a formula of the joint play, written down anew.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"

#include "game/game.hpp"
#include "game/play_batch.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream::test {

using Vector = std::vector<Real>;

/// What `player` pays at a joint play.
using NaiveCost = std::function<Real(Index player, const Vector& joint)>;

/// A joint play within the sets: now near their middle, now at their corners.
inline Vector random_play(const GameDefinition& game, std::uint64_t seed) {
    Vector joint;
    Scratch scratch;
    for (Index i = 0; i < game.players.size(); ++i) {
        Vector block(game.players[i].cost->dimension());
        const Real scale = uniform({.seed = seed, .round = i}) < 0.5 ? 0.5 : 30;
        for (Index k = 0; k < block.size(); ++k)
            block[k] = scale * normal({.seed = seed, .round = i, .record = 1, .sample = k});
        game.players[i].g.prox(block, 1e-200, block, scratch);
        joint.insert(joint.end(), block.begin(), block.end());
    }
    return joint;
}

inline Vector block_of(const GameDefinition& game, Index player, const Vector& joint) {
    const ConstView block = game.layout().block(ConstView(joint), player);
    return {block.begin(), block.end()};
}

inline Vector with_block(const GameDefinition& game, Index player, Vector joint, const Vector& own) {
    std::copy(own.begin(), own.end(),
              joint.begin() + static_cast<std::ptrdiff_t>(game.layout().begin(player)));
    return joint;
}

inline RowBlock record_of(const PlayerCost& cost, const Vector& joint) {
    Scratch scratch;
    Vector record(cost.record_size());
    cost.condense(joint, record, scratch);
    RowBlock row;
    row.add_dense(record, 0);
    return row;
}

/// The library's gradient of one player's cost at a joint play.
inline Vector gradient_at(const GameDefinition& game, Index player, const Vector& joint) {
    const PlayerCost& cost = *game.players[player].cost;
    PlayBatch batch(game.players[player].cost, 1);
    batch.push(record_of(cost, joint));
    Scratch scratch;
    Vector gradient(cost.dimension());
    batch.value_and_gradient(0, block_of(game, player, joint), gradient, scratch);
    return gradient;
}

/// Windows of every player, value and gradient, against the sum of the formula over the records and its
/// central differences in the coordinates of `differences` (all if it is 0).
inline void expect_costs(const GameDefinition& game, const NaiveCost& naive, std::uint64_t seed,
                         Index differences = 0) {
    const Vector weights{0.4, 0, 0.25, 0.1};  // newest first; one record is not to be looked at
    std::vector<Vector> joints;
    for (Index age = 0; age < weights.size(); ++age) joints.push_back(random_play(game, 100 * seed + age));
    const Vector here = random_play(game, 100 * seed + 50);
    for (Index i = 0; i < game.players.size(); ++i) {
        SCOPED_TRACE(game.name + ", player " + std::to_string(i));
        const PlayerCost& cost = *game.players[i].cost;
        PlayBatch batch(game.players[i].cost, weights.size());
        RowBlock poison;
        poison.add_dense(Vector(cost.record_size(), std::nan("")), 0);
        for (Index age = weights.size(); age-- > 0;)
            batch.push(weights[age] == 0 ? poison : record_of(cost, joints[age]));
        const Vector own = block_of(game, i, here);
        const auto direct = [&](const Vector& at) {
            Real total = 0;
            for (Index age = 0; age < weights.size(); ++age)
                if (weights[age] != 0) total += weights[age] * naive(i, with_block(game, i, joints[age], at));
            return total;
        };
        Scratch scratch;
        Vector gradient(own.size(), std::nan(""));
        const Real value = batch.weighted_value_and_gradient(weights, own, gradient, scratch);
        const Real wanted = direct(own);
        EXPECT_NEAR(value, wanted, 1e-10 * (1 + std::abs(wanted)));
        EXPECT_NEAR(batch.weighted_value(weights, own, scratch), wanted, 1e-10 * (1 + std::abs(wanted)));
        const Index count = differences == 0 ? own.size() : std::min(differences, own.size());
        for (Index j = 0; j < count; ++j) {
            const Index k = (j * 7919) % own.size();
            const Real h = 1e-5;
            Vector up = own, down = own;
            up[k] += h;
            down[k] -= h;
            const Real slope = (direct(up) - direct(down)) / (2 * h);
            EXPECT_NEAR(gradient[k], slope, 1e-6 * (1 + std::abs(slope))) << "coordinate " << k;
        }
        // One record alone, by its age.
        const Real single = naive(i, with_block(game, i, joints[2], own));
        EXPECT_NEAR(batch.value(2, own, scratch), single, 1e-10 * (1 + std::abs(single)));
    }
}

/// No pair of plays contradicts what a cost claims. Returns how close it came to its variation, by player.
inline Vector expect_claims(const GameDefinition& game, std::uint64_t seed, Index plays) {
    Vector closest(game.players.size(), 0);
    for (Index i = 0; i < game.players.size(); ++i) {
        SCOPED_TRACE(game.name + ", player " + std::to_string(i));
        const PlayerCost& cost = *game.players[i].cost;
        const AnyRegulariser& g = game.players[i].g;
        for (Index p = 0; p < plays; ++p) {
            const Vector here = random_play(game, seed + 3 * p);
            const Vector moved = random_play(game, seed + 3 * p + 1);
            const Vector own = block_of(game, i, here);
            const Vector gradient = gradient_at(game, i, here);
            if (cost.smoothness()) {
                const Vector other = block_of(game, i, moved);
                const Vector there = gradient_at(game, i, with_block(game, i, here, other));
                EXPECT_LE(distance(gradient, there),
                          *cost.smoothness() * distance(own, other) * (1 + 1e-9) + 1e-12);
            }
            if (cost.variation()) {
                Vector change = gradient_at(game, i, with_block(game, i, moved, own));
                subtract(gradient, change, change);
                g.project_direction(change);
                Vector within = gradient;
                g.project_direction(within);
                const Real seen = std::max(norm(change), norm(within));
                EXPECT_LE(seen, *cost.variation() * (1 + 1e-9));
                closest[i] = std::max(closest[i], seen / *cost.variation());
            }
        }
    }
    return closest;
}

/// How far the start is from rest: the largest stationarity gap of a player, at step 1.
inline Real start_gap(const GameDefinition& game) {
    Vector joint;
    for (const GamePlayer& player : game.players)
        joint.insert(joint.end(), player.start.begin(), player.start.end());
    Real largest = 0;
    Scratch scratch;
    for (Index i = 0; i < game.players.size(); ++i) {
        Vector to(game.players[i].start.size());
        const Vector gradient = gradient_at(game, i, joint);
        step_along(game.players[i].start, -1, gradient, to);
        game.players[i].g.prox(to, 1, to, scratch);
        largest = std::max(largest, distance(to, game.players[i].start));
    }
    return largest;
}

}  // namespace proxstream::test
