#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "game/built_in_games.hpp"
#include "game/game_arguments.hpp"
#include "game/polynomial.hpp"
#include "game/reach.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Of f(x)^power and its derivatives, for x in an interval.
struct FactorReach {
    Interval value, slope, bend;
};

FactorReach factor_reach(const Factor& factor, const Interval& x) {
    const Real p = static_cast<Real>(factor.power);
    if (factor.power == 0) return {{1, 1}, {0, 0}, {0, 0}};
    if (factor.function == Factor::Function::identity) {
        const Interval bend = factor.power < 2 ? Interval{0, 0} : p * (p - 1) * raised(x, factor.power - 2);
        return {raised(x, factor.power), p * raised(x, factor.power - 1), bend};
    }
    // |cos|, |sin| <= 1: the second derivative is at most p (p - 1) + p.
    return {raised({-1, 1}, factor.power), {-p, p}, {-p * p, p * p}};
}

Interval reach_of(const Polynomial& polynomial, std::span<const Interval> x) {
    Interval total;
    for (const Monomial& term : polynomial.terms) {
        Interval product{term.coefficient, term.coefficient};
        for (const Factor& factor : term.factors)
            product = product * factor_reach(factor, x[factor.variable]).value;
        total = total + product;
    }
    return total;
}

/// Where the derivatives of a cost lie.
struct DerivativeReach {
    std::vector<Interval> gradient;
    std::vector<Real> rivals;       // how far rivals move each coordinate of it
    std::vector<Interval> hessian;  // row after row
};

void add_product(const std::vector<Factor>& factors, const Interval& coefficient,
                 std::span<const Interval> own, DerivativeReach& reach) {
    const Index n = own.size();
    std::vector<FactorReach> each;
    for (const Factor& factor : factors) each.push_back(factor_reach(factor, own[factor.variable]));
    const auto rest = [&](Index skip, Index skip_too) {
        Interval product{1, 1};
        for (Index j = 0; j < each.size(); ++j)
            if (j != skip && j != skip_too) product = product * each[j].value;
        return product;
    };
    for (Index j = 0; j < each.size(); ++j) {
        const Index k = factors[j].variable;
        const Interval slope = each[j].slope * rest(j, j);
        reach.gradient[k] = reach.gradient[k] + coefficient * slope;
        reach.rivals[k] += (Interval{0, 2 * coefficient.radius()} * Interval{0, slope.largest()}).high;
        Interval& diagonal = reach.hessian[k * n + k];
        diagonal = diagonal + coefficient * each[j].bend * rest(j, j);
        for (Index i = 0; i < each.size(); ++i) {
            if (i == j) continue;
            Interval& mixed = reach.hessian[k * n + factors[i].variable];
            mixed = mixed + coefficient * each[j].slope * each[i].slope * rest(j, i);
        }
    }
}

/// As a function of the own play, a polynomial of the joint play is a sum of products of own factors. The
/// rivals' variables occur in the coefficients only, and a record is these coefficients.
class PolynomialCost final : public LinearRecordCost {
  public:
    /// Products of own factors, with the polynomial of the rivals' variables that multiplies them.
    using Products = std::map<std::vector<Factor>, Polynomial>;

    PolynomialCost(const JointLayout& layout, Index player, const Products& products,
                   std::span<const AnyRegulariser> sets)
        : LinearRecordCost(layout.dimension(player), products.size()),
          products_(products.begin(), products.end()) {
        for (const auto& [factors, coefficient] : products_)
            most_factors_ = std::max<Index>(most_factors_, factors.size());
        find_constants(layout, player, sets);
    }

    /// Variables of `cost` are coordinates of the joint play.
    static Products split(const JointLayout& layout, Index player, const Polynomial& cost) {
        const Index begin = layout.begin(player);
        const Index end = begin + layout.dimension(player);
        Products products;
        products[{}];  // a record is not empty, even if the cost is 0
        for (const Monomial& term : cost.terms) {
            std::vector<Factor> own;
            Monomial rivals{term.coefficient, {}};
            for (Factor factor : term.factors) {
                const bool rival = factor.variable < begin || factor.variable >= end;
                if (!rival) factor.variable -= begin;
                (rival ? rivals.factors : own).push_back(factor);
            }
            products[own].terms.push_back(rivals);
        }
        return products;
    }

    void condense(ConstView joint, View record, Scratch& /*scratch*/) const override {
        for (Index m = 0; m < products_.size(); ++m) record[m] = products_[m].second.value(joint);
    }

  protected:
    Real evaluate(ConstView record, Real /*mass*/, ConstView own, View gradient,
                  Scratch& scratch) const override {
        Scratch::Frame frame(scratch);
        const std::span<FactorValue> at = frame.take<FactorValue>(most_factors_);
        Real total = 0;
        for (Index m = 0; m < products_.size(); ++m) {
            const std::vector<Factor>& factors = products_[m].first;
            Real product = record[m];
            for (Index j = 0; j < factors.size(); ++j) {
                at[j] = factor_at(factors[j], own[factors[j].variable]);
                product *= at[j].value;
            }
            total += product;
            if (gradient.empty()) continue;
            for (Index j = 0; j < factors.size(); ++j) {
                Real slope = record[m] * at[j].slope;
                for (Index i = 0; i < factors.size(); ++i)
                    if (i != j) slope *= at[i].value;
                gradient[factors[j].variable] += slope;
            }
        }
        return total;
    }

  private:
    void find_constants(const JointLayout& layout, Index player, std::span<const AnyRegulariser> sets) {
        const Index n = dimension();
        std::vector<Interval> joint;
        for (Index i = 0; i < layout.players(); ++i) {
            const std::vector<Interval> block = coordinate_reach(sets[i], layout.dimension(i));
            joint.insert(joint.end(), block.begin(), block.end());
        }
        const std::span<const Interval> own = std::span(joint).subspan(layout.begin(player), n);
        DerivativeReach reach{std::vector<Interval>(n), std::vector<Real>(n), std::vector<Interval>(n * n)};
        for (const auto& [factors, coefficient] : products_)
            add_product(factors, reach_of(coefficient, joint), own, reach);
        claims_.variation = variation_bound(sets[player], reach.gradient, reach.rivals);

        const auto bounded = [](const Interval& each) { return each.bounded(); };
        if (!std::all_of(reach.hessian.begin(), reach.hessian.end(), bounded)) return;
        // A symmetric matrix measures at most its largest row sum, and at most the root of its squares.
        Real row_sum = 0;
        Real squares = 0;
        claims_.convex = true;
        for (Index k = 0; k < n; ++k) {
            Real row = 0;
            for (Index l = 0; l < n; ++l) {
                const Real largest = reach.hessian[k * n + l].largest();
                row += largest;
                squares += largest * largest;
            }
            row_sum = std::max(row_sum, row);
            const Interval& diagonal = reach.hessian[k * n + k];
            claims_.convex = claims_.convex && diagonal.low >= row - diagonal.largest();
        }
        claims_.smoothness = std::min(row_sum, std::sqrt(squares));
    }

    std::vector<std::pair<std::vector<Factor>, Polynomial>> products_;
    Index most_factors_ = 0;
};

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
        game.players[i].cost =
            std::make_shared<PolynomialCost>(layout, i, PolynomialCost::split(layout, i, costs[i]), sets);
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
