#include "game/polynomial_game.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "game_arguments.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kMostCoordinates = 1000;  // of a player: constants take a matrix of their square
constexpr Index kMostVariables = 4000;    // of all together

void refuse_too_many(const std::vector<PolynomialPlayer>& players) {
    Index total = 0;
    for (const PolynomialPlayer& player : players) {
        total += player.variables.size();
        if (player.variables.size() > kMostCoordinates) {
            throw ConfigError(fmt::format("player '{}' has {} variables, more than {}", player.name,
                                          player.variables.size(), kMostCoordinates));
        }
    }
    if (total > kMostVariables)
        throw ConfigError(fmt::format("the game has {} variables, more than {}", total, kMostVariables));
}

std::vector<std::string> all_variables(const std::vector<PolynomialPlayer>& players,
                                       std::vector<std::string>& violations) {
    std::vector<std::string> names;
    for (const PolynomialPlayer& player : players) {
        if (player.variables.empty())
            violations.push_back(fmt::format("player '{}' has no variable", player.name));
        for (const std::string& name : player.variables) {
            if (std::find(names.begin(), names.end(), name) != names.end())
                violations.push_back(fmt::format("the variable '{}' is there twice", name));
            names.push_back(name);
        }
    }
    return names;
}

std::vector<Real> start_of(const PolynomialPlayer& player, const AnyRegulariser& set) {
    if (player.start.empty()) return nearest_play(set, std::vector<Real>(player.variables.size(), 0));
    if (player.start.size() == player.variables.size()) return player.start;
    throw ConfigError(
        fmt::format("its start has {} numbers, its play {}", player.start.size(), player.variables.size()));
}

}  // namespace

GameDefinition make_polynomial_game(std::string name, const std::vector<PolynomialPlayer>& players) {
    refuse_too_many(players);
    std::vector<std::string> violations;
    const std::vector<std::string> variables = all_variables(players, violations);
    std::vector<Index> dimensions;
    std::vector<AnyRegulariser> sets;
    std::vector<Polynomial> costs;
    GameDefinition game{.name = std::move(name), .players = {}};
    for (const PolynomialPlayer& player : players) {
        dimensions.push_back(player.variables.size());
        const std::string who = "player '" + player.name + "'";
        collect(violations, who, [&] { costs.push_back(parse_polynomial(player.cost, variables)); });
        collect(violations, who, [&] {
            AnyRegulariser set = parse_regulariser(player.set);
            set.check_dimension(player.variables.size());
            game.players.push_back({player.name, nullptr, set, player.set, start_of(player, set)});
            sets.push_back(std::move(set));
        });
    }
    if (!violations.empty()) throw ConfigError(std::move(violations));
    const JointLayout layout(dimensions);
    for (Index i = 0; i < players.size(); ++i)
        game.players[i].cost = std::make_shared<PolynomialCost>(layout, i, costs[i], sets);
    check(game);
    return game;
}

GameDefinition make_polynomial(const Spec& spec) {
    const Index count = spec.positional_count();
    if (count < 2) {
        throw ConfigError(
            fmt::format("'{}': a cost a player is needed, for two players or more, as in "
                        "polynomial:(x1*x2 - x1^2),(-x1*x2)",
                        spec.text()));
    }
    const Index n = count_within(spec, "n", 1, 1, kMostCoordinates);
    const std::string set = set_argument(spec, "box");
    const std::vector<Real> starts = spec.numbers("start");
    if (!starts.empty() && starts.size() != count * n) {
        throw ConfigError(
            fmt::format("'{}': start has {} numbers, the game {}", spec.text(), starts.size(), count * n));
    }
    std::vector<PolynomialPlayer> players;
    for (Index i = 0; i < count; ++i) {
        const std::string block = fmt::format("x{}", i + 1);
        players.push_back({.name = block,
                           .variables = coordinate_names(block, n),
                           .cost = spec.word(i, "cost"),
                           .set = set});
        if (starts.empty()) continue;
        const ConstView start = ConstView(starts).subspan(i * n, n);
        players.back().start.assign(start.begin(), start.end());
    }
    return make_polynomial_game(spec.text(), players);
}

GameDefinition make_forsaken(const Spec& /*spec*/) {
    return make_polynomial_game("forsaken", {{.name = "x",
                                              .variables = {"x"},
                                              .cost = "x*(y - 0.45) + x^2/4 - x^4/2 + x^6/6",
                                              .set = "box:-1.5,1.5",
                                              .start = {0.5}},
                                             {.name = "y",
                                              .variables = {"y"},
                                              .cost = "-x*(y - 0.45) + y^2/4 - y^4/2 + y^6/6",
                                              .set = "box:-1.5,1.5",
                                              .start = {0.5}}});
}

GameDefinition make_trio(const Spec& /*spec*/) {
    return make_polynomial_game(
        "trio",
        {{.name = "simplex",
          .variables = coordinate_names("p", 3),
          .cost = "p[1]*cos(q[1]) + p[2]*sin(q[2]) + p[3]*q[1]*r[1] + p[1]*p[2]*r[2] - p[1]^2/2",
          .set = "simplex",
          .start = {0.6, 0.3, 0.1}},
         {.name = "box",
          .variables = coordinate_names("q", 2),
          .cost = "q[1]^4/4 - q[1]^2/2 + q[2]^4/4 - q[2]^2/2 + q[1]*(p[2] - p[3]) + q[2]*r[1]"
                  " + cos(q[1])*r[2]/2",
          .set = "box:-1,1",
          .start = {0.5, -0.5}},
         {.name = "l1",
          .variables = coordinate_names("r", 2),
          .cost = "(r[1] - p[1])^2/2 + cos(r[1])*q[1] + r[1]*r[2]/2 - r[2]^2/4 + sin(r[2])*(p[3] - p[2])"
                  " + r[2]*q[2]",
          .set = "l1:0.1+box:-2,2",
          .start = {1, -1}}});
}

}  // namespace proxstream
