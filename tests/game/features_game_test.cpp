#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "cost_check.hpp"
#include "game/built_in_games.hpp"
#include "game/game_table.hpp"

namespace proxstream::test {
namespace {

/// Written down from the definition, with loops.
NaiveCost formula_of(const FeatureSituations& all) {
    return [all](Index player, const Vector& joint) {
        const Index n = all.hidden * (all.inputs() + 1);
        Real paid = 0;
        for (Index k = 0; k < all.labels.size(); ++k) {
            Real score = 0;
            for (Index j = 0; j < all.hidden; ++j) {
                Real inner = 0;
                for (Index d = 0; d < all.inputs(); ++d)
                    inner += joint[j * all.inputs() + d] * all.points[k * all.inputs() + d];
                score += joint[all.hidden * all.inputs() + j] * std::tanh(inner);
            }
            paid += joint[n + k] * std::log(1 + std::exp(-all.labels[k] * score));
        }
        return player == 0 ? paid : -paid;
    };
}

GameDefinition game_of(const FeatureSituations& all, const std::string& set) {
    const auto count = all.labels.size();
    return make_features_game("features", all, set, Vector(all.weights(), 0.05),
                              Vector(count, 1 / static_cast<Real>(count)));
}

const FeatureSituations kFour{{1, 0.5, -0.3, 2, 0.7, -1.1, -0.2, -0.9}, {1, -1, -1, 1}, 3};

TEST(Features, CostMatchesTheFormula) {
    const GameDefinition game = game_of(kFour, "box:-2,2");
    for (std::uint64_t seed = 1; seed <= 10; ++seed) expect_costs(game, formula_of(kFour), seed);
    for (const Real closest : expect_claims(game, 7, 200)) EXPECT_GT(closest, 0.1);
    EXPECT_EQ(*game.players[1].cost->smoothness(), 0);
    EXPECT_TRUE(game.players[1].cost->convex());
    EXPECT_FALSE(game.players[0].cost->convex());
}

TEST(Features, SmoothnessIncludesTheCurvatureOfTheLoss) {
    // Features near +-1 of outputs near 0: the score hardly bends, the loss does, by up to 1/4.
    const GameDefinition game = game_of({{0.1, 0.1}, {1, -1}, 1}, "box:lo=-30;-0.1,hi=30;0.1");
    const Real up = gradient_at(game, 0, {30, 0.1, 0.5, 0.5})[1];
    const Real down = gradient_at(game, 0, {30, -0.1, 0.5, 0.5})[1];
    const Real seen = (up - down) / 0.2;
    EXPECT_NEAR(seen, 0.25, 0.01);
    EXPECT_GE(*game.players[0].cost->smoothness(), seen);
    EXPECT_LT(*game.players[0].cost->smoothness(), 0.4);
}

TEST(Features, UnboundedWeightsGiveNoConstants) {
    const GameDefinition game = game_of(kFour, "l1:0.1");
    EXPECT_FALSE(game.players[0].cost->smoothness() || game.players[0].cost->variation());
    EXPECT_FALSE(game.players[1].cost->variation());
}

TEST(Features, LargeScoresStayFinite) {
    const GameDefinition game = game_of({{1000, -1000}, {1, 1}, 1}, "box:-1000,1000");
    const Vector joint{1000, 1000, 0, 1};  // scores of 1000 and -1000; the second situation comes up
    const Vector gradient = gradient_at(game, 0, joint);
    EXPECT_TRUE(all_finite(gradient));
    EXPECT_NEAR(gradient[1], 1, 1e-12);
    const Vector losses = gradient_at(game, 1, joint);
    EXPECT_NEAR(losses[0], 0, 1e-12);
    EXPECT_NEAR(losses[1], -1000, 1e-9);
}

TEST(Features, BuiltInGameHasClaimsThatHold) {
    const GameDefinition game = parse_game("features:situations=20,seed=3");
    EXPECT_EQ(game.players[0].cost->dimension(), 12u);
    EXPECT_EQ(game.players[1].cost->dimension(), 20u);
    expect_claims(game, 1, 30);
    EXPECT_NE(parse_game("features:seed=4").players[0].start, parse_game("features:seed=5").players[0].start);
}

TEST(Features, RefusesBadArguments) {
    for (const FeatureSituations& bad :
         {FeatureSituations{{1, 2, 3}, {1, -1}, 2}, FeatureSituations{{1, 2}, {1, 0.5}, 2},
          FeatureSituations{{1, std::nan("")}, {1, -1}, 2}, FeatureSituations{{1, 2}, {1, -1}, 0},
          FeatureSituations{{}, {}, 1}}) {
        EXPECT_THROW(make_features_game("bad", bad, "box:-1,1", {}, {}), ConfigError);
    }
    EXPECT_THROW(parse_game("features:hidden=0"), ConfigError);
    EXPECT_THROW(parse_game("features:situations=1"), ConfigError);
    EXPECT_THROW(parse_game("features:set=(box:1,0)"), ConfigError);
    EXPECT_THROW(parse_game("features:width=3"), ConfigError);
}

}  // namespace
}  // namespace proxstream::test
