#include "game/game_table.hpp"

#include "proxstream/core/error.hpp"

#include "cost_check.hpp"

#include <set>

namespace proxstream::test {
namespace {

/// The usage of a row with its example arguments, or without those in brackets.
std::string plain(std::string_view usage) {
    std::string text;
    int depth = 0;
    for (const char c : usage) {
        if (c == '[' && (text.back() < '0' || text.back() > '9')) ++depth;
        if (depth == 0) text += c;
        if (c == ']' && depth > 0) --depth;
    }
    return text;
}

TEST(GameTable, EveryGameStartsAwayFromRest) {
    std::set<std::string_view> names;
    for (const GameRow& row : games()) {
        SCOPED_TRACE(row.name);
        EXPECT_TRUE(names.insert(row.name).second);
        EXPECT_TRUE(row.usage.starts_with(row.name));
        EXPECT_FALSE(row.help.empty());
        if (row.name == "gan") continue;  // it has tests of its own: its costs are estimated from samples
        const GameDefinition game =
            parse_game(row.name == "polynomial" ? plain(row.usage) + ",start=0.5/0.25" : plain(row.usage));
        EXPECT_GE(game.players.size(), 2u);
        EXPECT_GT(start_gap(game), 1e-3);
        expect_claims(game, 17, 5);
    }
}

TEST(GameTable, SameTextGivesTheSameGame) {
    for (const char* text : {"bilinear:seed=7", "quadratic:seed=7", "features:seed=7", "congestion"}) {
        const GameDefinition first = parse_game(text);
        const GameDefinition second = parse_game(text);
        const Vector joint = random_play(first, 1);
        for (Index i = 0; i < first.players.size(); ++i) {
            EXPECT_EQ(first.players[i].start, second.players[i].start) << text;
            EXPECT_EQ(gradient_at(first, i, joint), gradient_at(second, i, joint)) << text;
        }
    }
}

TEST(GameTable, ErrorsListTheAllowedTexts) {
    const auto refused = [](const std::string& text, const std::string& why) {
        try {
            parse_game(text);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const ConfigError& error) {
            EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
        }
    };
    refused("penies", "did you mean 'pennies'");
    refused("", "a name is missing");
    refused("pennies:2", "not understood: '2'");
    refused("bilinear:m=3", "'m='");
    refused("bilinear:n=0", "positive integer");
    refused("bilinear:n=1000,players=64", "must not exceed 4000");
    refused("bilinear:n=100000", "between 1 and 1000");
    refused("bilinear:players=1", "between 2 and 64");
    refused("bilinear:zero-sum=maybe", "unknown zero-sum 'maybe'; known: yes, no");
    refused("bilinear:set=ring", "unknown regulariser 'ring'");
    refused("bilinear:set=(box:2,1)", "the box is empty");
    refused("bilinear:seed=x", "positive integer");
    refused("quadratic:curvature=2", "between");
    refused("quadratic:curvature=-inf", "between");
}

}  // namespace
}  // namespace proxstream::test
