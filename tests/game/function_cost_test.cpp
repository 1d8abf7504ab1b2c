#include "game/function_cost.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "cost_check.hpp"

namespace proxstream::test {
namespace {

const std::vector<Index> kSizes{2, 1, 3};

/// Every coordinate counts, and differently: sum_k sin(k + 1 + x_k) times the sum of the own squares.
Real entangled(Index player, ConstView joint) {
    const JointLayout layout(kSizes);
    Real waves = 0;
    for (Index k = 0; k < joint.size(); ++k) waves += std::sin(static_cast<Real>(k) + 1 + joint[k]);
    Real squares = 0;
    for (const Real x : layout.block(joint, player)) squares += x * x;
    return waves * squares;
}

FunctionCost::Function with_gradient(Index player) {
    return [player](ConstView joint, View gradient) {
        const JointLayout layout(kSizes);
        Real waves = 0;
        for (Index k = 0; k < joint.size(); ++k) waves += std::sin(static_cast<Real>(k) + 1 + joint[k]);
        const ConstView own = layout.block(joint, player);
        const Real squares = squared_norm(own);
        for (Index k = 0; k < gradient.size(); ++k) {
            const Real place = static_cast<Real>(layout.begin(player) + k) + 1;
            gradient[k] = 2 * own[k] * waves + squares * std::cos(place + own[k]);
        }
        return waves * squares;
    };
}

GameDefinition entangled_game() {
    const JointLayout layout(kSizes);
    GameDefinition game{.name = "entangled", .players = {}};
    for (Index i = 0; i < kSizes.size(); ++i) {
        game.players.push_back({"p" + std::to_string(i),
                                std::make_shared<FunctionCost>(layout, i, with_gradient(i)),
                                parse_regulariser("box:-2,2"), "box:-2,2", Vector(kSizes[i], 1)});
    }
    check(game);
    return game;
}

TEST(FunctionCost, CostMatchesTheFunctionOfTheJointPlay) {
    const GameDefinition game = entangled_game();
    const auto naive = [](Index player, const Vector& joint) { return entangled(player, joint); };
    for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_costs(game, naive, seed);
}

TEST(FunctionCost, RecordHasTheRivalsOnly) {
    const FunctionCost cost(JointLayout(kSizes), 1, with_gradient(1));
    EXPECT_EQ(cost.dimension(), 1u);
    EXPECT_EQ(cost.record_size(), 5u);
    const Vector joint{1, 2, 3, 4, 5, 6};
    Vector record(5);
    Scratch scratch;
    cost.condense(joint, record, scratch);
    EXPECT_EQ(record, (Vector{1, 2, 4, 5, 6}));
}

TEST(FunctionCost, ClaimsAreReported) {
    const CostClaims claims{.smoothness = 2, .variation = 3, .convex = true};
    const FunctionCost cost(JointLayout(kSizes), 0, with_gradient(0), claims);
    EXPECT_EQ(*cost.smoothness(), 2);
    EXPECT_EQ(*cost.variation(), 3);
    EXPECT_TRUE(cost.convex());
    const FunctionCost silent(JointLayout(kSizes), 0, with_gradient(0));
    EXPECT_FALSE(silent.smoothness() || silent.variation() || silent.convex());
}

TEST(FunctionCost, UndefinedCostIsRefused) {
    GameDefinition game = entangled_game();
    game.players[2].cost = std::make_shared<FunctionCost>(
        JointLayout(kSizes), 2, [](ConstView joint, View) { return std::sqrt(joint[0] - 10); });
    EXPECT_THROW(check(game), ConfigError);
}

TEST(FunctionCost, RefusesBadArguments) {
    const JointLayout layout(kSizes);
    EXPECT_THROW(FunctionCost(layout, 3, with_gradient(0)), ConfigError);
    EXPECT_THROW(FunctionCost(layout, 0, nullptr), ConfigError);
    EXPECT_THROW(FunctionCost(JointLayout(std::vector<Index>{2, 0}), 0, with_gradient(0)), ConfigError);
    EXPECT_THROW(FunctionCost(layout, 0, with_gradient(0), {.smoothness = -1}), ConfigError);
    EXPECT_THROW(FunctionCost(layout, 0, with_gradient(0), {.variation = kInfinity}), ConfigError);
}

}  // namespace
}  // namespace proxstream::test
