#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "core/eigenvalues.hpp"
#include "core/violations.hpp"
#include "game/built_in_games.hpp"
#include "game/game_arguments.hpp"
#include "game/reach.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

ConstView row(const std::vector<Real>& matrix, Index k, Index columns) {
    return ConstView(matrix).subspan(k * columns, columns);
}

void check_entries(const std::vector<Real>& entries, Index wanted, std::string_view what,
                   Violations& violations) {
    violations.require(entries.empty() || entries.size() == wanted, "{} has {} entries where {} fit", what,
                       entries.size(), wanted);
    for (const Real entry : entries) {
        if (std::abs(entry) <= kAbsurd) continue;
        violations.require(false, "{}: {:g} is not a number to calculate with", what, entry);
        return;
    }
}

/// A record is c_i + sum_j A_ij x_j.
class QuadraticCost final : public LinearRecordCost {
  public:
    /// `sets` are those of all players, for the constants. Throws ConfigError: a matrix of another size, one
    /// that is not symmetric, a number that is not finite.
    QuadraticCost(const JointLayout& layout, Index player, QuadraticTerms terms,
                  std::span<const AnyRegulariser> sets)
        : LinearRecordCost(layout.dimension(player), layout.dimension(player)),
          layout_(layout),
          player_(player),
          terms_(std::move(terms)) {
        check();
        terms_.linear.resize(dimension(), 0);
        terms_.coupling.resize(layout_.players());
        find_curvature();
        find_variation(sets);
    }

    void condense(ConstView joint, View record, Scratch& /*scratch*/) const override {
        copy(terms_.linear, record);
        for (Index j = 0; j < layout_.players(); ++j) {
            if (terms_.coupling[j].empty()) continue;
            const ConstView rival = layout_.block(joint, j);
            for (Index k = 0; k < record.size(); ++k)
                record[k] += dot(row(terms_.coupling[j], k, rival.size()), rival);
        }
    }

  protected:
    Real evaluate(ConstView record, Real mass, ConstView own, View gradient,
                  Scratch& /*scratch*/) const override {
        Real value = dot(own, record);
        if (!gradient.empty()) copy(record, gradient);
        if (terms_.curvature.empty()) return value;
        for (Index k = 0; k < own.size(); ++k) {
            const Real bend = mass * dot(row(terms_.curvature, k, own.size()), own);
            value += own[k] * bend / 2;
            if (!gradient.empty()) gradient[k] += bend;
        }
        return value;
    }

  private:
    void check() const {
        const Index n = dimension();
        Violations violations;
        violations.require(n > 0, "a player needs at least one coordinate");
        check_entries(terms_.linear, n, "the linear term", violations);
        check_entries(terms_.curvature, n * n, "the curvature", violations);
        if (terms_.coupling.size() > layout_.players()) {
            violations.require(false, "{} couplings for {} players", terms_.coupling.size(),
                               layout_.players());
        } else {
            for (Index j = 0; j < terms_.coupling.size(); ++j) {
                if (j == player_ && !terms_.coupling[j].empty()) {
                    violations.refuse(true,
                                      "the coupling of a player with itself belongs into its curvature");
                } else {
                    check_entries(terms_.coupling[j], n * layout_.dimension(j),
                                  fmt::format("the coupling with player {}", j + 1), violations);
                }
            }
        }
        violations.conclude();
        if (terms_.curvature.empty()) return;
        const Real tolerance = kFeasibility * max_abs(terms_.curvature);
        for (Index k = 0; k < n; ++k) {
            for (Index l = 0; l < k; ++l) {
                const Real difference = terms_.curvature[k * n + l] - terms_.curvature[l * n + k];
                if (std::abs(difference) <= tolerance) continue;
                throw ConfigError(fmt::format("the curvature is not symmetric at {}, {}", l, k));
            }
        }
    }

    void find_curvature() {
        claims_ = {.smoothness = 0, .variation = {}, .convex = true};
        if (terms_.curvature.empty()) return;
        const std::vector<Real> values = symmetric_eigenvalues(terms_.curvature, dimension());
        if (values.empty())
            throw ConfigError("the iteration for the eigenvalues of the curvature did not end");
        // Computed eigenvalues are off by n roundings of the largest, at most.
        const Real largest = std::max(std::abs(values.front()), std::abs(values.back()));
        const Real error = static_cast<Real>(dimension()) * 2 * kUnitRoundoff * largest;
        claims_.smoothness = largest + error;
        claims_.convex = values.front() >= -error;
    }

    void find_variation(std::span<const AnyRegulariser> sets) {
        const Index n = dimension();
        Scratch scratch;
        std::vector<Interval> gradient(n);
        std::vector<Real> rivals(n);
        for (Index k = 0; k < n; ++k) {
            Interval record{terms_.linear[k], terms_.linear[k]};
            for (Index j = 0; j < layout_.players(); ++j) {
                if (terms_.coupling[j].empty()) continue;
                record = record + reach(sets[j], row(terms_.coupling[j], k, layout_.dimension(j)), scratch);
            }
            rivals[k] = 2 * record.radius();
            gradient[k] = record;
            if (!terms_.curvature.empty())
                gradient[k] = record + reach(sets[player_], row(terms_.curvature, k, n), scratch);
        }
        claims_.variation = variation_bound(sets[player_], gradient, rivals);
    }

    JointLayout layout_;
    Index player_;
    QuadraticTerms terms_;
};

/// x'Ay for one player and -x'Ay for the other, on simplices.
GameDefinition matrix_game(std::string name, const std::vector<Real>& first, Index n,
                           const std::vector<Real>& x, const std::vector<Real>& y) {
    std::vector<Real> second(n * n);
    for (Index k = 0; k < n; ++k)
        for (Index l = 0; l < n; ++l) second[l * n + k] = -first[k * n + l];
    QuadraticPlayer row{.name = "row", .set = "simplex", .terms = {}, .start = x};
    row.terms.coupling = {{}, first};
    QuadraticPlayer column{.name = "column", .set = "simplex", .terms = {}, .start = y};
    column.terms.coupling = {second, {}};
    return make_quadratic_game(std::move(name), {row, column});
}

struct RandomShape {
    Index n;
    Index players;
    std::string set;
    std::uint64_t seed;
};

RandomShape read_shape(const Spec& spec, Index players) {
    constexpr Index kMostMatrixSide = 4000;  // their square is what the matrices hold
    RandomShape shape{count_within(spec, "n", 5, 1, 1000), count_within(spec, "players", players, 2, 64),
                      set_argument(spec, "box"), spec.count_or("seed", 1)};
    if (shape.n * shape.players > kMostMatrixSide) {
        throw ConfigError(fmt::format("'{}': n times players is {} and must not exceed {}", spec.text(),
                                      shape.n * shape.players, kMostMatrixSide));
    }
    return shape;
}

/// A_ij of independent normal entries of deviation 1/sqrt(n), A_ji = -A_ij' if the game is to be zero-sum.
std::vector<QuadraticPlayer> random_players(const RandomShape& shape, bool zero_sum, DrawSequence& draws) {
    const Index n = shape.n;
    const AnyRegulariser g = parse_regulariser(shape.set);
    std::vector<QuadraticPlayer> players(shape.players);
    for (Index i = 0; i < players.size(); ++i) {
        players[i].name = fmt::format("player {}", i + 1);
        players[i].set = shape.set;
        players[i].terms.coupling.resize(players.size());
        players[i].start = nearest_play(g, draws.normals(n));
    }
    const Real deviation = 1 / std::sqrt(static_cast<Real>(n));
    for (Index i = 0; i < players.size(); ++i) {
        for (Index j = 0; j < i; ++j) {
            std::vector<Real>& to = players[i].terms.coupling[j];
            std::vector<Real>& back = players[j].terms.coupling[i];
            to = draws.normals(n * n, deviation);
            back = draws.normals(n * n, deviation);
            if (!zero_sum) continue;
            for (Index k = 0; k < n; ++k)
                for (Index l = 0; l < n; ++l) back[l * n + k] = -to[k * n + l];
        }
    }
    return players;
}

/// H diag(eigenvalues) H with a random reflection H = I - 2 vv': the eigenvalues run evenly from least to 1.
std::vector<Real> random_curvature(Index n, Real least, DrawSequence& draws) {
    std::vector<Real> v = draws.normals(n);
    scaled(1 / norm(v), v, v);
    std::vector<Real> eigenvalues(n, least);
    for (Index k = 1; k < n; ++k)
        eigenvalues[k] = least + (1 - least) * static_cast<Real>(k) / static_cast<Real>(n - 1);
    std::vector<Real> bent(n);  // diag(eigenvalues) v
    for (Index k = 0; k < n; ++k) bent[k] = eigenvalues[k] * v[k];
    const Real along = dot(v, bent);
    std::vector<Real> matrix(n * n);
    for (Index k = 0; k < n; ++k) {
        for (Index l = 0; l < n; ++l) {
            matrix[k * n + l] = (k == l ? eigenvalues[k] : 0) - 2 * (v[k] * bent[l] + bent[k] * v[l]) +
                                4 * along * v[k] * v[l];
        }
    }
    return matrix;
}

}  // namespace

GameDefinition make_quadratic_game(std::string name, std::vector<QuadraticPlayer> players) {
    std::vector<Index> dimensions;
    std::vector<AnyRegulariser> sets;
    Violations violations;
    for (const QuadraticPlayer& player : players) {
        dimensions.push_back(player.start.size());
        violations.collect("player '" + player.name + "'", [&] {
            sets.push_back(parse_regulariser(player.set));
            sets.back().check_dimension(player.start.size());
        });
    }
    violations.conclude();
    const JointLayout layout(dimensions);
    GameDefinition game{.name = std::move(name), .players = {}};
    for (Index i = 0; i < players.size(); ++i) {
        QuadraticPlayer& player = players[i];
        violations.collect("player '" + player.name + "'", [&] {
            auto cost = std::make_shared<QuadraticCost>(layout, i, std::move(player.terms), sets);
            game.players.push_back({player.name, std::move(cost), sets[i], player.set, player.start});
        });
    }
    violations.conclude();
    check(game);
    return game;
}

GameDefinition make_pennies(const Spec& /*spec*/) {
    return matrix_game("pennies", {-1, 1, 1, -1}, 2, {0.9, 0.1}, {0.6, 0.4});
}

GameDefinition make_rps(const Spec& /*spec*/) {
    return matrix_game("rps", {0, 1, -1, -1, 0, 1, 1, -1, 0}, 3, {0.8, 0.1, 0.1}, {0.2, 0.5, 0.3});
}

GameDefinition make_bilinear(const Spec& spec) {
    const RandomShape shape = read_shape(spec, 2);
    const bool zero_sum = choice_of(spec, "zero-sum", {"yes", "no"}) == 0;
    DrawSequence draws(shape.seed);
    return make_quadratic_game(spec.text(), random_players(shape, zero_sum, draws));
}

GameDefinition make_quadratic(const Spec& spec) {
    const RandomShape shape = read_shape(spec, 3);
    const Real least = number_within(spec, "curvature", -1, -1e6, 1);
    DrawSequence draws(shape.seed);
    std::vector<QuadraticPlayer> players = random_players(shape, false, draws);
    for (QuadraticPlayer& player : players) {
        player.terms.linear = draws.normals(shape.n);
        player.terms.curvature = random_curvature(shape.n, least, draws);
    }
    return make_quadratic_game(spec.text(), std::move(players));
}

}  // namespace proxstream
