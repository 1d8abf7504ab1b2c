// Games written down in TOML, and strategies that are saved and used again.
#include "proxstream/core/error.hpp"

#include "game/play_batch.hpp"
#include "play/open_game.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

Real cost_at(const GameDefinition& game, Index player, const std::vector<Real>& joint) {
    const PlayerCost& cost = *game.players[player].cost;
    Scratch scratch;
    std::vector<Real> record(cost.record_size());
    cost.condense(joint, record, scratch);
    RowBlock row;
    row.add_dense(record, 0);
    PlayBatch batch(game.players[player].cost, 1);
    batch.push(row);
    return batch.value(0, game.layout().block(ConstView(joint), player), scratch);
}

/// The message with which a scenario is refused.
std::string refusal(const std::string& text) {
    try {
        check(scenario_game(text, "s.toml"));
    } catch (const std::exception& error) {
        return error.what();
    }
    return "nothing was refused";
}

constexpr const char* kPolynomials = R"(
title = "two of them"
rounds = 10
[[player]]
name = "first"
variables = ["x", "y"]
set = "box:-1,1"
start = [0.5, 0]
cost = "x*z - y^2"
[[player]]
variables = ["z"]
cost = "z^2 - 2*x*z"
)";

TEST(Scenario, PolynomialsOfNamedVariables) {
    const GameDefinition game = scenario_game(kPolynomials, "s.toml");
    check(game);
    EXPECT_EQ(game.name, "two of them");
    EXPECT_EQ(game.players[0].name, "first");
    EXPECT_EQ(game.players[1].name, "player 2");
    EXPECT_EQ(game.players[0].start, (std::vector<Real>{0.5, 0}));
    EXPECT_EQ(game.players[1].set, "zero");
    EXPECT_DOUBLE_EQ(cost_at(game, 0, {0.5, 0.25, 3}), 0.5 * 3 - 0.0625);
    EXPECT_DOUBLE_EQ(cost_at(game, 1, {0.5, 0.25, 3}), 9 - 3);
}

TEST(Scenario, MatricesOfCosts) {
    const GameDefinition zero_sum = scenario_game("[matrix]\ncosts = [[1, 2, 3], [4, 5, 6]]\n", "s.toml");
    EXPECT_EQ(zero_sum.players[0].cost->dimension(), 2U);
    EXPECT_EQ(zero_sum.players[1].cost->dimension(), 3U);
    const std::vector<Real> joint{0, 1, 0, 0, 1};
    EXPECT_DOUBLE_EQ(cost_at(zero_sum, 0, joint), 6);
    EXPECT_DOUBLE_EQ(cost_at(zero_sum, 1, joint), -6);
    const GameDefinition general = scenario_game(
        "[matrix]\ncosts = [[1, 2, 3], [4, 5, 6]]\ncolumn-costs = [[1, 0, 0], [0, 7, 9.5]]\n"
        "names = [\"us\", \"them\"]\n",
        "s.toml");
    EXPECT_DOUBLE_EQ(cost_at(general, 1, joint), 9.5);
    EXPECT_EQ(general.players[1].name, "them");
}

TEST(Scenario, ErrorsNameThePlaceInTheFile) {
    const auto has = [](const std::string& text, const std::string& part) {
        const std::string message = refusal(text);
        return message.find(part) != std::string::npos ? ::testing::AssertionSuccess()
                                                       : ::testing::AssertionFailure() << message;
    };
    EXPECT_TRUE(has("rounds = 3\n", "no game is described"));
    EXPECT_TRUE(has("[matrix]\ncosts = [[1]]\n[[player]]\n", "two games are described"));
    EXPECT_TRUE(has("[[player]\n", "s.toml:1"));
    EXPECT_TRUE(has("[[player]]\nvariables = [\"x\"]\ncosst = \"x\"\n", "did you mean 'cost'"));
    EXPECT_TRUE(has("[[player]]\nvariables = [\"x\"]\n", "player 1.cost"));
    EXPECT_TRUE(has("[[player]]\nvariables = [3]\ncost = \"x\"\n", "s.toml:2"));
    EXPECT_TRUE(has("[[player]]\nvariables = [\"x\"]\ncost = \"x\"\nstart = [\"a\"]\n", "not a number"));
    EXPECT_TRUE(has("player = 3\n", "not a table"));
    EXPECT_TRUE(has("[matrix]\ncosts = [[1, 2], [3]]\n", "a row of 1 numbers"));
    EXPECT_TRUE(has("[matrix]\ncosts = []\n", "no rows"));
    EXPECT_TRUE(has("[matrix]\ncosts = [[]]\n", "an empty row"));
    EXPECT_TRUE(has("[matrix]\ncosts = [[1, 2]]\nnames = [\"a\", \"a\"]\n", "s.toml:3"));
    EXPECT_TRUE(has("title = 3\n[matrix]\ncosts = [[1, 2]]\n", "s.toml:1 (scenario.title): not a text"));
    EXPECT_TRUE(
        has("[[player]]\nname = \"a\"\nvariables = [\"x\"]\ncost = \"x\"\n"
            "[[player]]\nname = \"a\"\nvariables = [\"y\"]\ncost = \"y\"\n",
            "s.toml:6 (player 2.name): there is another 'a'"));
    EXPECT_TRUE(has("[matrix]\ncosts = [[1, true]]\n", "not a number"));
    EXPECT_TRUE(has("[matrix]\ncosts = [[1, nan]]\n", "finite"));
    EXPECT_TRUE(has("[matrix]\ncosts = [[1, 2]]\ncolumn-costs = [[1], [2]]\n", "1 by 2, as costs"));
    // What the game itself refuses carries the file's name.
    EXPECT_TRUE(
        has("[[player]]\nvariables = [\"x\"]\ncost = \"x*q\"\n[[player]]\nvariables = [\"y\"]\ncost = "
            "\"y\"\n",
            "s.toml: "));
    EXPECT_TRUE(
        has("[[player]]\nvariables = [\"x\"]\ncost = \"x\"\nset = \"box:1,-1\"\n[[player]]\nvariables = "
            "[\"y\"]\ncost = \"y\"\n",
            "s.toml: "));  // an empty set
    EXPECT_TRUE(has("[[player]]\nvariables = [\"x\"]\ncost = \"x\"\n", "at least two players"));
}

TEST(Strategies, RoundTripThroughTheirFile) {
    GameDefinition game = scenario_game(kPolynomials, "s.toml");
    const std::vector<Real> joint{0.1, -1, 1.0 / 3};
    start_from(game, strategies_json(game, joint, 7), "saved");
    EXPECT_EQ(game.players[0].start, (std::vector<Real>{0.1, -1}));
    EXPECT_EQ(game.players[1].start, (std::vector<Real>{1.0 / 3}));
}

TEST(Strategies, OfAnotherGameAreRefused) {
    GameDefinition game = scenario_game(kPolynomials, "s.toml");
    const std::string sound = strategies_json(game, std::vector<Real>{0, 0, 0}, 7);
    EXPECT_THROW(start_from(game, sound.substr(0, sound.size() / 2), "half"), DataError);
    EXPECT_THROW(start_from(game, "{\"players\": 3}", "odd"), DataError);
    EXPECT_THROW(start_from(game, "[1, 2]", "odd"), DataError);
    EXPECT_THROW(start_from(game, R"({"format":"proxstream-strategies","players":[{"play":[1,2]}]})", "one"),
                 DataError);
    EXPECT_THROW(
        start_from(game, R"({"format":"proxstream-strategies","players":[{"play":[1]},{"play":[1]}]})",
                   "short"),
        DataError);
    EXPECT_THROW(
        start_from(game, R"({"format":"proxstream-strategies","players":[{"play":[1,"a"]},{"play":[1]}]})",
                   "text"),
        DataError);
    EXPECT_THROW(start_from(game, R"({"format":"proxstream-strategies","players":[7,{"play":[1]}]})", "odd"),
                 DataError);
}

}  // namespace
}  // namespace proxstream
