#include "proxstream/core/error.hpp"

#include "cost_check.hpp"
#include "game/built_in_games.hpp"
#include "game/game_table.hpp"

namespace proxstream::test {
namespace {

TEST(PolynomialGame, ForsakenMatchesItsFormula) {
    const GameDefinition game = parse_game("forsaken");
    const auto naive = [](Index player, const Vector& at) {
        const auto phi = [](Real z) { return z * z / 4 - std::pow(z, 4) / 2 + std::pow(z, 6) / 6; };
        const Real x = at[0];
        const Real y = at[1];
        return player == 0 ? x * (y - 0.45) + phi(x) : -x * (y - 0.45) + phi(y);
    };
    for (std::uint64_t seed = 1; seed <= 10; ++seed) expect_costs(game, naive, seed);
    expect_claims(game, 3, 200);
    EXPECT_FALSE(game.players[0].cost->convex());
    // x, x^2, x^4 and x^6, and what the rival alone adds: only the first depends on the rival.
    EXPECT_EQ(game.players[0].cost->record_size(), 5u);
}

TEST(PolynomialGame, TrioMatchesItsFormula) {
    const GameDefinition game = parse_game("trio");
    const auto naive = [](Index player, const Vector& at) {
        const Real *p = &at[0], *q = &at[3], *r = &at[5];
        if (player == 0) {
            return p[0] * std::cos(q[0]) + p[1] * std::sin(q[1]) + p[2] * q[0] * r[0] + p[0] * p[1] * r[1] -
                   p[0] * p[0] / 2;
        }
        if (player == 1) {
            const auto well = [](Real z) { return std::pow(z, 4) / 4 - z * z / 2; };
            return well(q[0]) + well(q[1]) + q[0] * (p[1] - p[2]) + q[1] * r[0] + std::cos(q[0]) * r[1] / 2;
        }
        return (r[0] - p[0]) * (r[0] - p[0]) / 2 + std::cos(r[0]) * q[0] + r[0] * r[1] / 2 - r[1] * r[1] / 4 +
               std::sin(r[1]) * (p[2] - p[1]) + r[1] * q[1];
    };
    for (std::uint64_t seed = 1; seed <= 10; ++seed) expect_costs(game, naive, seed);
    for (const Real closest : expect_claims(game, 3, 200)) EXPECT_GT(closest, 0.3);
    for (const GamePlayer& player : game.players) {
        EXPECT_TRUE(player.cost->smoothness() && player.cost->variation()) << player.name;
        EXPECT_FALSE(player.cost->convex()) << player.name;
    }
}

TEST(PolynomialGame, ReadsCustomGamesFromText) {
    const GameDefinition game = parse_game(
        "polynomial:(x1[1]*x2[2] + x1[2]^2 + x2[1]),(-x1[1]*x2[2]*cos(x2[1])),n=2,"
        "set=(box:-2,3),start=1/0/-1/3");
    EXPECT_EQ(game.players[1].start, (Vector{-1, 3}));
    EXPECT_EQ(game.players[0].set, "box:-2,3");
    const auto naive = [](Index player, const Vector& at) {
        if (player == 0) return at[0] * at[3] + at[1] * at[1] + at[2];
        return -at[0] * at[3] * std::cos(at[2]);
    };
    expect_costs(game, naive, 1);
    expect_claims(game, 1, 50);
    EXPECT_TRUE(game.players[0].cost->convex());
    EXPECT_NEAR(*game.players[0].cost->smoothness(), 2, 1e-9);
    expect_claims(parse_game("polynomial:(cos(x1)^4 + x2*sin(x1)^3),(x1*x2),set=(box:-0.3,0.3)"), 1, 50);
    EXPECT_FALSE(game.players[1].cost->convex());
}

TEST(PolynomialGame, UnboundedSetsGiveNoConstants) {
    const GameDefinition game = make_polynomial_game(
        "open", {{.name = "a", .variables = {"x"}, .cost = "x^2 + x*y", .set = "box:-1,1"},
                 {.name = "b", .variables = {"y"}, .cost = "y^4 - x*y", .set = "zero", .start = {2}},
                 {.name = "c", .variables = {"z"}, .cost = "0", .set = "l1:0.5"}});
    EXPECT_NEAR(*game.players[0].cost->smoothness(), 2, 1e-9);
    EXPECT_FALSE(game.players[0].cost->variation());
    EXPECT_FALSE(game.players[1].cost->smoothness() || game.players[1].cost->variation());
    EXPECT_EQ(*game.players[2].cost->smoothness(), 0);
    EXPECT_EQ(game.players[0].start, Vector{0});
}

TEST(PolynomialGame, RefusesBadArguments) {
    const auto refused = [](const std::vector<PolynomialPlayer>& players, const std::string& why) {
        try {
            make_polynomial_game("bad", players);
            ADD_FAILURE() << "accepted: " << why;
        } catch (const ConfigError& error) {
            EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
        }
    };
    const PolynomialPlayer a{.name = "a", .variables = {"x"}, .cost = "x*y", .set = "box:-1,1"};
    const PolynomialPlayer b{.name = "b", .variables = {"y"}, .cost = "-x*y", .set = "box:-1,1"};
    auto bad = a;
    bad.cost = "x*w";
    refused({bad, b}, "player 'a': 'x*w', at character 3: unknown variable 'w'");
    bad = a;
    bad.variables = {"y"};
    refused({bad, b}, "'y' is there twice");
    bad.variables = {};
    refused({bad, b}, "has no variable");
    bad = a;
    bad.start = {0, 1};
    refused({bad, b}, "start has 2 numbers, its play 1");
    bad.start = {3};
    refused({bad, b}, "outside its set");
    bad = a;
    bad.set = "box:1,-1";
    refused({bad, b}, "the box is empty");
    bad.set = "box:lo=0;0,hi=1;1";
    refused({bad, b}, "player 'a'");
    refused({a}, "unknown variable 'y'");
    EXPECT_THROW(parse_game("polynomial:(x1)"), ConfigError);
    EXPECT_THROW(parse_game("polynomial:(x1),(x3)"), ConfigError);
    EXPECT_THROW(parse_game("polynomial:(x1),(x2),start=1"), ConfigError);
}

}  // namespace
}  // namespace proxstream::test
