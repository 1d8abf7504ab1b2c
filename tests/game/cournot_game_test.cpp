#include "proxstream/core/error.hpp"

#include "cost_check.hpp"
#include "game/built_in_games.hpp"
#include "game/game_table.hpp"

namespace proxstream::test {
namespace {

NaiveCost formula_of(const CournotOptions& o) {
    return [o](Index firm, const Vector& at) {
        const auto sold = [&](Index product) {
            Real total = 0;
            for (Index other = 0; other < o.firms; ++other) total += at[other * o.products + product];
            return total;
        };
        const Real marginal = o.marginal * (1 + static_cast<Real>(firm) / static_cast<Real>(o.firms));
        Real paid = 0;
        for (Index p = 0; p < o.products; ++p) {
            Real z = sold(p);
            for (Index other = 0; other < o.products; ++other)
                if (other != p) z += o.substitution * sold(other);
            Real price = o.a - o.b * z;
            if (o.demand == CournotOptions::Demand::concave) price = o.a - o.b * z * z / 2;
            if (o.demand == CournotOptions::Demand::convex) price = o.a / (1 + o.b * z);
            const Real q = at[firm * o.products + p];
            paid += marginal * q + o.bend * q * q / (1 + q * q) - q * price;
        }
        return paid;
    };
}

TEST(Cournot, CostMatchesTheFormulaForEveryDemand) {
    using enum CournotOptions::Demand;
    for (const auto demand : {linear, concave, convex}) {
        for (const Index products : {1, 3}) {
            CournotOptions options;
            options.demand = demand;
            options.products = products;
            options.cap = 1.7;
            options.b = 0.8;
            const GameDefinition game = make_cournot_game("cournot", options);
            for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_costs(game, formula_of(options), seed);
            for (const Real closest : expect_claims(game, 5, 100)) EXPECT_GT(closest, 0.15);
        }
    }
}

TEST(Cournot, CostIsNeitherConvexNorConcave) {
    // Neither convex nor concave in its own quantity, where prices hardly fall.
    const GameDefinition game = parse_game("cournot:firms=2,b=0.01,bend=2,cap=3");
    const auto slope = [&](Real q) { return gradient_at(game, 0, {q, 1})[0]; };
    EXPECT_GT(slope(0.3), slope(0.0));
    EXPECT_LT(slope(2.0), slope(0.6));
    EXPECT_FALSE(game.players[0].cost->convex());
    // The claimed constant is met at q = 0: 2 b + 2 bend.
    const Real h = 1e-4;
    EXPECT_NEAR((slope(h) - slope(0)) / h, *game.players[0].cost->smoothness(), 1e-3);
}

TEST(Cournot, RecordIsTheTotalOfRivals) {
    const GameDefinition game = parse_game("cournot:firms=4,products=2");
    const Vector joint{1, 2, 3, 4, 5, 6, 7, 8};
    Vector record(game.players[1].cost->record_size());
    Scratch scratch;
    game.players[1].cost->condense(joint, record, scratch);
    EXPECT_EQ(record, (Vector{1 + 5 + 7, 2 + 6 + 8}));
}

TEST(Cournot, RefusesOptionsOutOfRange) {
    for (const char* text : {"cournot:firms=1", "cournot:firms=100000", "cournot:cap=0", "cournot:cap=inf",
                             "cournot:b=-1", "cournot:substitution=2", "cournot:demand=flat", "cournot:a=nan",
                             "cournot:price=2", "cournot:bend=1e300"}) {
        EXPECT_THROW(parse_game(text), ConfigError) << text;
    }
}

}  // namespace
}  // namespace proxstream::test
