// Texts that would take minutes and gigabytes, or that a library refuses in words of its own.
#include "proxstream/core/error.hpp"

#include "game/game_table.hpp"
#include "play/open_game.hpp"
#include "play/play_job.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace proxstream {
namespace {

template <class Refused, class Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const Refused& error) {
        return error.what();
    }
    return "nothing was refused";
}

/// A player with many variables, and one with a single `y`.
std::string wide_scenario(Index variables, const std::string& cost) {
    std::string names;
    for (Index k = 0; k < variables; ++k) names += fmt::format("'x{}',", k);
    return fmt::format(
        "[[player]]\nvariables = [{}]\ncost = '{}'\n[[player]]\nvariables = ['y']\ncost = 'y^2'\n", names,
        cost);
}

std::string scenario_refusal(const std::string& text) {
    return refusal<ConfigError>([&] { scenario_game(text, "s.toml"); });
}

TEST(BadGame, MoreVariablesThanConstantsCanBeWorkedOutFor) {
    EXPECT_EQ(scenario_game(wide_scenario(100, "x1*y"), "s.toml").layout().dimension(), 101U);
    EXPECT_NE(scenario_refusal(wide_scenario(1001, "x1*y")).find("1001 variables, more than 1000"),
              std::string::npos);
    std::string many;
    for (int player = 0; player < 5; ++player) {
        many += "[[player]]\ncost = '1'\nvariables = [";
        for (int k = 0; k < 1000; ++k) many += fmt::format("'x{}_{}',", player, k);
        many += "]\n";
    }
    EXPECT_NE(scenario_refusal(many).find("5000 variables, more than 4000"), std::string::npos);
}

TEST(BadGame, PolynomialsThatTakeTooLongToMultiplyOut) {
    std::string factors = "x0";
    for (int k = 1; k < 70; ++k) factors += fmt::format("*x{}", k);
    EXPECT_NE(scenario_refusal(wide_scenario(70, factors)).find("more than 64 factors"), std::string::npos);
    // Each by itself is quick, and nothing is left of it.
    std::string sum = "y";
    for (int k = 0; k < 100; ++k) sum += " + 0*(1 + x0 + x1 + x2 + y)^14";
    EXPECT_NE(scenario_refusal(wide_scenario(3, sum)).find("too long to multiply out"), std::string::npos);
}

TEST(BadGame, RefusesNetworksThatDoNotFitInMemory) {
    const auto refused = [](const char* text) { return refusal<ConfigError>([&] { parse_game(text); }); };
    EXPECT_NE(refused("gan:hidden=4096/4096/4096").find("weights"), std::string::npos);
    EXPECT_NE(refused("gan:latent=4000000000").find("weights"), std::string::npos);
}

TEST(BadGame, StrategiesOfAnotherKind) {
    GameDefinition game = parse_game("rps");
    for (const char* text : {R"({"format": 1, "players": []})", R"({"format": null})", R"({"players": []})",
                             R"({"format": "proxstream-strategies"})", "[]", "1", "{"}) {
        const std::string message = refusal<DataError>([&] { start_from(game, text, "s.json"); });
        EXPECT_NE(message.find("s.json"), std::string::npos) << text << ": " << message;
    }
}

TEST(BadGame, ReplacesInvalidUtf8InNames) {
    GameDefinition game = parse_game("rps");
    game.name = "caf\xe9.toml";
    PlaySettings settings;
    settings.rounds = 3;
    const PlayOutcome outcome = drive(PlayJob(settings, game));
    EXPECT_NE(to_json(outcome.certificate).find("caf"), std::string::npos);
    GameDefinition again = parse_game("rps");
    start_from(again, strategies_json(game, outcome.joint, 3), "s.json");
    EXPECT_EQ(again.players[0].start[0], outcome.joint[0]);
}

}  // namespace
}  // namespace proxstream
