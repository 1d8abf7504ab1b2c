#include "game/equilibrium_window.hpp"

#include "proxstream/core/error.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(EquilibriumWindow, MatchesTheCorrectedAndThePrintedFormula) {
    // k = 2, A = .1, eps = 1e-4: the paper's printed window gives 1560 < 4000 of what its proof needs.
    const std::vector<PlayerFigures> players(2, {.delta = 0.1, .sigma = 0, .variation = 0.3});
    const EquilibriumWindow window = equilibrium_window(players, 1e-4);
    EXPECT_EQ(window.every_round, 40U);  // (.1 + .3) / .01
    EXPECT_EQ(window.some_round, 57U);   // sqrt(2) 40 = 56.57
    EXPECT_EQ(window.paper_printed, 40U);
    EXPECT_FALSE(window.printed_suffices);
    EXPECT_EQ(window.paper_route, 64U);  // .5 + sqrt(.25 + 4000) = 63.75
}

TEST(EquilibriumWindow, LargestFiguresOfThePlayersCount) {
    std::vector<PlayerFigures> players(3, {.delta = 0.1, .sigma = 0, .variation = 0.3});
    players[1] = {.delta = 1, .sigma = 2, .variation = 5};
    EXPECT_EQ(equilibrium_window(players, 1).every_round, 8U);
    EXPECT_EQ(equilibrium_window(players, 64).every_round, 1U);
    // Large figures: the printed formula is wasteful, not short.
    EXPECT_TRUE(equilibrium_window(players, 1).printed_suffices);
    EXPECT_GT(equilibrium_window(players, 1).paper_printed, equilibrium_window(players, 1).every_round);
    EXPECT_LT(equilibrium_window(players, 1, 0.01).some_round, equilibrium_window(players, 1).some_round);
}

TEST(EquilibriumWindow, ReportsAllViolationsAtOnce) {
    const std::vector<PlayerFigures> players(1, {.delta = 0, .sigma = -1, .variation = -2});
    try {
        equilibrium_window(players, 0);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 5U);
    }
    const std::vector<PlayerFigures> sound(2);
    EXPECT_THROW(equilibrium_window(sound, 1e-40), ConfigError);
}

}  // namespace
}  // namespace proxstream
