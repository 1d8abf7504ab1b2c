// What a referee measures, against figures worked out by hand.
#include "game/game_referee.hpp"

#include "game/game_table.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

GameReferee referee_of(const GameDefinition& game, Index window) {
    const std::vector<Real> steps(game.players.size(), 1);
    const std::vector<WindowWeights> windows(game.players.size(), WindowWeights(window));
    return {game, steps, windows};
}

TEST(GameReferee, MatchingPenniesByHand) {
    // Heads and tails with certainty: the one who loses could win instead (gain 2), the other is at rest.
    const GameDefinition game = parse_game("pennies");
    GameReferee referee = referee_of(game, 1);
    std::vector<Real> gaps(2), gains(2);
    const std::vector<Real> pure{1, 0, 1, 0};
    referee.instant_gaps(pure, gaps);
    referee.gains(pure, gains);
    EXPECT_NEAR(std::min(gaps[0], gaps[1]), 0, 1e-12);
    EXPECT_NEAR(std::max(gaps[0], gaps[1]), std::sqrt(2.0),
                1e-12);  // a step of 1 leaves the simplex
    EXPECT_NEAR(gains[0] + gains[1], 2, 1e-9);
    EXPECT_TRUE(referee.gains_exact());

    const std::vector<Real> mixed{0.5, 0.5, 0.5, 0.5};
    referee.instant_gaps(mixed, gaps);
    referee.gains(mixed, gains);
    EXPECT_NEAR(gaps[0] + gaps[1], 0, 1e-12);
    EXPECT_NEAR(gains[0] + gains[1], 0, 1e-9);
    EXPECT_GT(referee.cost().record_gradients, 0U);
}

TEST(GameReferee, GainsDoNotDependOnTheReferenceStep) {
    const GameDefinition game = parse_game("pennies");
    const std::vector<Real> steps(2, 1e13);  // gaps are at most sqrt(2) / step
    const std::vector<WindowWeights> windows(2, WindowWeights(1));
    GameReferee referee(game, steps, windows);
    std::vector<Real> gains(2);
    referee.gains(std::vector<Real>{1, 0, 1, 0}, gains);
    EXPECT_NEAR(gains[0] + gains[1], 2, 1e-9);
}

TEST(GameReferee, SmoothedGapCanBeZeroWhileInstantGapsAreNot) {
    const GameDefinition game = parse_game("pennies");
    GameReferee referee = referee_of(game, 2);
    const PlayerCost& cost = *game.players[0].cost;
    Scratch scratch;
    std::vector<Real> gaps(2);
    const std::vector<Real> heads{0.3, 0.7, 1, 0};
    const std::vector<Real> tails{0.3, 0.7, 0, 1};
    for (const std::vector<Real>& joint : {heads, tails}) {
        std::vector<Real> record(cost.record_size());
        cost.condense(joint, record, scratch);
        RowBlock row;
        row.add_dense(record, 0);
        referee.observe(0, row);
    }
    EXPECT_NEAR(referee.smoothed_gap(0, std::vector<Real>{0.3, 0.7}), 0, 1e-12);
    referee.instant_gaps(tails, gaps);
    EXPECT_GT(gaps[0], 0.4);
}

TEST(GameReferee, GainsOfNonConvexCostsAreNotExact) {
    const GameDefinition game = parse_game("trio");
    GameReferee referee = referee_of(game, 1);
    std::vector<Real> joint;
    for (const GamePlayer& player : game.players)
        joint.insert(joint.end(), player.start.begin(), player.start.end());
    std::vector<Real> gains(3);
    referee.gains(joint, gains);
    for (const Real gain : gains) EXPECT_GE(gain, 0);
    EXPECT_FALSE(referee.gains_exact());
}

}  // namespace
}  // namespace proxstream
