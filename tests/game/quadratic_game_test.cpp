#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "cost_check.hpp"
#include "game/built_in_games.hpp"
#include "game/game_table.hpp"

namespace proxstream::test {
namespace {

/// A game of three players with blocks of 2, 3 and 1, every term of it a different number.
std::vector<QuadraticPlayer> uneven_players() {
    const std::vector<Index> sizes{2, 3, 1};
    std::vector<QuadraticPlayer> players;
    std::uint64_t drawn = 0;
    const auto numbers = [&](Index count) {
        Vector values(count);
        for (Real& value : values) value = normal({.seed = 5, .sample = ++drawn});
        return values;
    };
    const std::vector<std::string> sets{"box:-1,2", "simplex:2", "l1:0.3+box:-1,1"};
    for (Index i = 0; i < sizes.size(); ++i) {
        QuadraticPlayer player{
            .name = "p" + std::to_string(i), .set = sets[i], .terms = {}, .start = Vector(sizes[i], 2.0 / 3)};
        player.terms.linear = numbers(sizes[i]);
        const Index n = sizes[i];
        player.terms.curvature = numbers(n * n);
        for (Index k = 0; k < n; ++k)
            for (Index l = 0; l < k; ++l)
                player.terms.curvature[k * n + l] = player.terms.curvature[l * n + k];
        for (Index j = 0; j < sizes.size(); ++j)
            player.terms.coupling.push_back(j == i ? Vector{} : numbers(n * sizes[j]));
        players.push_back(player);
    }
    return players;
}

NaiveCost formula_of(const std::vector<QuadraticPlayer>& players) {
    return [players](Index i, const Vector& joint) {
        std::vector<Index> begin{0};
        for (const auto& player : players) begin.push_back(begin.back() + player.start.size());
        const QuadraticTerms& terms = players[i].terms;
        const Index n = players[i].start.size();
        Real total = 0;
        for (Index k = 0; k < n; ++k) {
            const Real x = joint[begin[i] + k];
            if (!terms.linear.empty()) total += terms.linear[k] * x;
            if (!terms.curvature.empty())
                for (Index l = 0; l < n; ++l)
                    total += x * terms.curvature[k * n + l] * joint[begin[i] + l] / 2;
            for (Index j = 0; j < players.size(); ++j) {
                const Index m = players[j].start.size();
                if (terms.coupling[j].empty()) continue;
                for (Index l = 0; l < m; ++l) total += x * terms.coupling[j][k * m + l] * joint[begin[j] + l];
            }
        }
        return total;
    };
}

TEST(QuadraticGame, CostMatchesTheFormula) {
    const auto players = uneven_players();
    const GameDefinition game = make_quadratic_game("uneven", players);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) expect_costs(game, formula_of(players), seed);
}

TEST(QuadraticGame, ConstantsHoldAndAreTight) {
    const GameDefinition game = make_quadratic_game("uneven", uneven_players());
    for (const Real closest : expect_claims(game, 1, 200)) EXPECT_GT(closest, 0.4);
    // Along its eigenvector a curvature is what it claims to be.
    QuadraticPlayer player{.name = "a", .set = "box:-1,1", .terms = {}, .start = {0, 0}};
    player.terms.curvature = {1, 2, 2, 1};  // eigenvalues 3 and -1
    player.terms.coupling = {{}, {1, 0, 0, 1}};
    QuadraticPlayer rival{.name = "b", .set = "box:-1,1", .terms = {}, .start = {0, 0}};
    rival.terms.curvature = {2, 1, 1, 2};  // eigenvalues 1 and 3
    const GameDefinition two = make_quadratic_game("two", {player, rival});
    EXPECT_NEAR(*two.players[0].cost->smoothness(), 3, 1e-12);
    EXPECT_FALSE(two.players[0].cost->convex());
    EXPECT_TRUE(two.players[1].cost->convex());
    // The rival moves each coordinate of the gradient by 2, and |Qx + y| is at most |(4, 4)|.
    EXPECT_NEAR(*two.players[0].cost->variation(), 4 * std::sqrt(2.0), 1e-3);
}

TEST(QuadraticGame, UnboundedSetsGiveNoVariation) {
    QuadraticPlayer player{.name = "a", .set = "zero", .terms = {}, .start = {0}};
    player.terms.coupling = {{}, {1}};
    QuadraticPlayer rival{.name = "b", .set = "box:-1,1", .terms = {}, .start = {0}};
    rival.terms.coupling = {{1}, {}};
    const GameDefinition game = make_quadratic_game("open", {player, rival});
    EXPECT_NEAR(*game.players[0].cost->variation(), 2, 1e-3);  // of rivals in a box alone
    EXPECT_EQ(game.players[1].cost->variation(), std::nullopt);
}

TEST(QuadraticGame, NamedGamesHaveTheirPayoffs) {
    const auto zero_sum = [](const Vector& matrix, Index n) {
        return [matrix, n](Index player, const Vector& joint) {
            Real paid = 0;
            for (Index k = 0; k < n; ++k)
                for (Index l = 0; l < n; ++l) paid += joint[k] * matrix[k * n + l] * joint[n + l];
            return player == 0 ? paid : -paid;
        };
    };
    // Row wins a match; rock (0) beats scissors (2), paper (1) rock, scissors paper.
    const GameDefinition pennies = parse_game("pennies");
    const GameDefinition rps = parse_game("rps");
    expect_costs(pennies, zero_sum({-1, 1, 1, -1}, 2), 1);
    expect_costs(rps, zero_sum({0, 1, -1, -1, 0, 1, 1, -1, 0}, 3), 1);
    expect_claims(pennies, 1, 50);
    expect_claims(rps, 1, 50);
    // Gradients are (-1, 1) and (1, -1) at the ends: they differ by (2, -2).
    EXPECT_NEAR(*pennies.players[0].cost->variation(), std::sqrt(8.0), 1e-3);
    EXPECT_EQ(*pennies.players[0].cost->smoothness(), 0);
    EXPECT_TRUE(pennies.players[0].cost->convex());
}

TEST(QuadraticGame, RandomGamesMatchTheirOptions) {
    const GameDefinition zero_sum = parse_game("bilinear:n=3,players=3,set=simplex,seed=4");
    const GameDefinition general = parse_game("bilinear:n=3,zero-sum=no,set=(l2ball:2)");
    EXPECT_EQ(zero_sum.players.size(), 3u);
    EXPECT_EQ(zero_sum.layout().dimension(), 9u);
    const auto total = [](const GameDefinition& game, const Vector& joint) {
        Real sum = 0;
        for (Index i = 0; i < game.players.size(); ++i)
            sum += dot(gradient_at(game, i, joint), block_of(game, i, joint));
        return sum;
    };
    EXPECT_NEAR(total(zero_sum, random_play(zero_sum, 1)), 0, 1e-12);
    EXPECT_GT(std::abs(total(general, random_play(general, 1))), 1e-3);
    EXPECT_NE(parse_game("bilinear:seed=2").players[0].start, parse_game("bilinear:seed=3").players[0].start);
    EXPECT_GT(norm(parse_game("bilinear:set=(l1:5+box:-1,1)").players[0].start), 0.5);  // not what g favours
    const GameDefinition bent = parse_game("quadratic:n=4,curvature=-2");
    EXPECT_EQ(bent.players.size(), 3u);
    EXPECT_NEAR(*bent.players[0].cost->smoothness(), 2, 1e-9);
    EXPECT_FALSE(bent.players[0].cost->convex());
    EXPECT_TRUE(parse_game("quadratic:curvature=0.5").players[0].cost->convex());
    for (const GameDefinition& game : {zero_sum, general, bent, parse_game("quadratic:set=ball,n=1")})
        expect_claims(game, 9, 50);
}

TEST(QuadraticGame, RefusesBadArguments) {
    const auto refused = [](auto change, const std::string& why) {
        auto players = uneven_players();
        change(players);
        try {
            make_quadratic_game("bad", players);
            ADD_FAILURE() << "accepted: " << why;
        } catch (const ConfigError& error) {
            EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
        }
    };
    refused([](auto& p) { p[0].terms.coupling[1].pop_back(); }, "the coupling with player 2 has 5 entries");
    refused([](auto& p) { p[1].terms.linear.push_back(1); }, "the linear term has 4 entries");
    refused([](auto& p) { p[1].terms.curvature[1] += 1; }, "not symmetric");
    refused([](auto& p) { p[2].terms.linear[0] = std::nan(""); }, "not a number");
    refused([](auto& p) { p[0].terms.coupling[0] = Vector(4, 1); }, "belongs into its curvature");
    refused([](auto& p) { p[0].terms.coupling.resize(4); }, "4 couplings for 3 players");
    refused([](auto& p) { p[0].set = "box:2,1"; }, "the box is empty");
    refused([](auto& p) { p[0].set = "bix:2,1"; }, "unknown regulariser");
    refused([](auto& p) { p[0].start = {5, 5}; }, "outside its set");
    refused(
        [](auto& p) {
            p.resize(1);
            p[0].terms.coupling.clear();
        },
        "at least two players");
}

}  // namespace
}  // namespace proxstream::test
