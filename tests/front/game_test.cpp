/// ps::Game: known equilibria, the program's figures, costs that throw, and what it refuses.
#include "proxstream/game.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "play/open_game.hpp"
#include "play/play_job.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

/// A duopoly: each pays x_i (x_1 + x_2 - 1) on [0, 1]. Nash equilibrium: 1/3 each.
std::vector<Player> duopoly() {
    const auto cost = [](Index own) {
        return [own](ConstView joint, View gradient) {
            const Real total = joint[0] + joint[1];
            gradient[0] = total + joint[own] - 1;
            return joint[own] * (total - 1);
        };
    };
    return {{.name = "first", .dimension = 1, .regulariser = parse_regulariser("box:0,1"), .cost = cost(0)},
            {.dimension = 1, .regulariser = parse_regulariser("box:0,1"), .cost = cost(1), .start = {0.9}}};
}

TEST(Game, ADuopolyFindsItsEquilibrium) {
    Game game(duopoly(), {.window = "2", .tolerance = "1e-6"});
    EXPECT_EQ(game.name(0), "first");
    EXPECT_EQ(game.name(1), "player 2");
    EXPECT_EQ(game.plays(), (std::vector<std::vector<Real>>{{0}, {0.9}}));
    const GameTurn first = game.play();
    EXPECT_EQ(first.number, 1U);
    EXPECT_EQ(first.plays, (std::vector<std::vector<Real>>{{0}, {0.9}}));
    EXPECT_NEAR(first.costs[1], 0.9 * (0.9 - 1), 1e-15);
    game.play(200);
    EXPECT_EQ(game.rounds(), 201U);
    for (const std::vector<Real>& play : game.plays()) EXPECT_NEAR(play[0], 1.0 / 3, 1e-5);
    for (const Real gap : game.stationarity_gaps()) EXPECT_LE(gap, 1e-4);
    for (const Real gain : game.best_response_gains()) EXPECT_NEAR(gain, 0, 1e-8);
    const GameReport report = game.certificate();
    EXPECT_TRUE(report.sound()) << report.text;
    EXPECT_EQ(report.at("G1").verdict, Verdict::holds);
    EXPECT_EQ(report.players.size(), 2U);
    EXPECT_EQ(report.inequalities.size(), 4U);
    EXPECT_NE(report.json.find("G1"), std::string::npos);
}

TEST(Game, MatchingPenniesCyclesWithASmallSmoothedGap) {
    Game game("pennies", {.window = "20"});
    game.play(200);
    EXPECT_TRUE(game.certificate().sound());
    Real gain = 0;
    for (const Real each : game.best_response_gains()) gain += each;
    EXPECT_GT(gain, 0.1) << "a window does not solve pennies";
}

TEST(Game, MatchesTheProgram) {
    for (const char* text : {"trio", "rps", "cournot"}) {
        PlaySettings settings;
        settings.game = text;
        settings.rounds = 60;
        settings.quiet = true;
        PlayJob job(settings, open_game(settings));
        const PlayOutcome expected = drive(job);
        Game game(text);
        game.play(60);
        std::vector<Real> joint;
        for (const std::vector<Real>& play : game.plays())
            joint.insert(joint.end(), play.begin(), play.end());
        EXPECT_EQ(joint, expected.joint) << text;
        const GameReport report = game.certificate();
        ASSERT_EQ(report.inequalities.size(), expected.certificate.inequalities.size());
        for (Index i = 0; i < report.inequalities.size(); ++i) {
            EXPECT_EQ(report.inequalities[i].left, expected.certificate.inequalities[i].left);
            EXPECT_EQ(report.inequalities[i].verdict, expected.certificate.inequalities[i].verdict);
        }
        for (Index i = 0; i < report.players.size(); ++i)
            EXPECT_EQ(report.players[i].summary.regret, expected.certificate.players[i].summary.regret);
    }
}

TEST(Game, EpsilonChoosesTheWindow) {
    Game game("rps", {.epsilon = 0.01});
    game.play(60);
    const GameReport report = game.certificate();
    EXPECT_EQ(report.at("G3").verdict, Verdict::holds);
    EXPECT_TRUE(report.sound());
}

/// Fails in call number `at` of a round in which it should.
struct Trouble {
    int at = -1;  // -1: never
    int calls = 0;
    bool as_nan = false;
};

TEST(Game, AFailedRoundIsRolledBack) {
    for (const bool as_nan : {false, true}) {
        Trouble trouble;
        std::vector<Player> players = duopoly();
        players[1].cost = [&trouble, cost = players[1].cost](ConstView joint, View gradient) {
            if (trouble.at >= 0 && trouble.calls++ >= trouble.at) {
                if (trouble.as_nan) return std::numeric_limits<Real>::quiet_NaN();
                throw std::runtime_error("mine");
            }
            return cost(joint, gradient);
        };
        Game disturbed(players);
        Game calm(duopoly());
        trouble.as_nan = as_nan;
        for (int round = 0; round < 40; ++round) {
            // A NaN after the first call may be one that the solver steps around.
            for (const int at : as_nan ? std::vector<int>{0} : std::vector<int>{0, 1, 2, 3}) {
                const auto before = disturbed.plays();
                trouble.at = at;
                trouble.calls = 0;
                bool failed = false;
                try {
                    disturbed.play();
                } catch (const DataError& error) {
                    failed = as_nan;
                    EXPECT_NE(std::string(error.what()).find("player 2"), std::string::npos) << error.what();
                } catch (const std::runtime_error& error) {
                    failed = !as_nan && error.what() == std::string("mine");
                }
                trouble.at = -1;
                if (!failed) {  // the round needed fewer calls than that
                    ASSERT_GT(at, 0);
                    calm.play();
                    continue;
                }
                EXPECT_EQ(disturbed.plays(), before);
            }
            disturbed.play();
            calm.play();
            ASSERT_EQ(disturbed.plays(), calm.plays()) << round;
        }
        EXPECT_EQ(disturbed.rounds(), calm.rounds());
        EXPECT_TRUE(disturbed.certificate().sound());
        EXPECT_EQ(disturbed.certificate().at("G1").left, calm.certificate().at("G1").left);
    }
}

TEST(Game, ExceptionsOfACostLeaveTheConstructor) {
    std::vector<Player> players = duopoly();
    players[0].cost = [](ConstView, View) -> Real { throw std::runtime_error("mine"); };
    try {
        const Game game(players);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "mine");
    }
}

TEST(Game, ErrorsNameTheValueAndTheAllowedRange) {
    const auto refusal = [](const std::vector<Player>& players, const GameOptions& options) -> std::string {
        try {
            const Game game(players, options);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "accepted";
    };
    const auto has = [](const std::string& text, const char* part) {
        EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
    };
    has(refusal({}, {}), "players: there are 0; a game needs at least 2");
    std::vector<Player> wrong = duopoly();
    wrong[0].dimension = 0;
    wrong[1].cost = {};
    wrong[1].start = {1, 2};
    const std::string all = refusal(wrong, {});
    for (const char* part : {"player 'first': dimension = 0", "player 'player 2': it has no cost",
                             "its start has 2 numbers, its play 1"})
        has(all, part);
    std::vector<Player> outside = duopoly();
    outside[1].start = {7};
    has(refusal(outside, {}), "it starts outside its set");
    std::vector<Player> nan = duopoly();
    nan[0].cost = [](ConstView, View) { return std::nan(""); };
    has(refusal(nan, {}), "its cost is not finite where the game starts");
    const std::string options = refusal(duopoly(), {.window = "-1",
                                                    .tolerance = "much",
                                                    .step = -1,
                                                    .epsilon = std::nan(""),
                                                    .variation = "-2",
                                                    .turns = "random",
                                                    .max_steps = 0});
    for (const char* part : {"window", "much", "step = -1: must be positive", "epsilon = nan",
                             "variation = -2", "random", "max_steps = 0"})
        has(options, part);
    has(refusal(duopoly(), {.learner = "psychic"}), "psychic");
    EXPECT_THROW(Game("poker"), ConfigError);
    Game game(duopoly());
    EXPECT_THROW(game.name(2), ConfigError);
    EXPECT_THROW(game.certificate().at("G9"), ConfigError);
}

}  // namespace
}  // namespace proxstream::test
