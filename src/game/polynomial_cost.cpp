#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "game/polynomial_game.hpp"
#include "reach.hpp"

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

}  // namespace

PolynomialCost::PolynomialCost(JointLayout layout, Index player, const Polynomial& cost,
                               std::span<const AnyRegulariser> sets)
    : layout_(std::move(layout)), player_(player) {
    if (player_ >= layout_.players() || sets.size() != layout_.players()) {
        throw ConfigError(
            fmt::format("player {} of {} with {} sets", player_, layout_.players(), sets.size()));
    }
    const Index begin = layout_.begin(player_);
    const Index end = begin + dimension();
    std::map<std::vector<Factor>, Polynomial> products;
    products[{}];  // every record has a number, even if the cost is 0
    for (const Monomial& term : cost.terms) {
        std::vector<Factor> own;
        Monomial rivals{term.coefficient, {}};
        for (Factor factor : term.factors) {
            if (factor.variable >= layout_.dimension()) {
                throw ConfigError(fmt::format("a cost uses variable {} of {}, counted from 0",
                                              factor.variable, layout_.dimension()));
            }
            if (factor.variable < begin || factor.variable >= end) {
                rivals.factors.push_back(factor);
            } else {
                factor.variable -= begin;
                own.push_back(factor);
            }
        }
        most_factors_ = std::max<Index>(most_factors_, own.size());
        products[own].terms.push_back(rivals);
    }
    for (auto& [factors, coefficient] : products) products_.push_back({factors, std::move(coefficient)});
    find_constants(sets);
}

void PolynomialCost::find_constants(std::span<const AnyRegulariser> sets) {
    const Index n = dimension();
    std::vector<Interval> joint;
    for (Index i = 0; i < layout_.players(); ++i) {
        const std::vector<Interval> block = coordinate_reach(sets[i], layout_.dimension(i));
        joint.insert(joint.end(), block.begin(), block.end());
    }
    const std::span<const Interval> own = std::span(joint).subspan(layout_.begin(player_), n);
    DerivativeReach reach{std::vector<Interval>(n), std::vector<Real>(n), std::vector<Interval>(n * n)};
    for (const Product& product : products_)
        add_product(product.factors, reach_of(product.coefficient, joint), own, reach);
    variation_ = variation_bound(sets[player_], reach.gradient, reach.rivals);

    const auto bounded = [](const Interval& each) { return each.bounded(); };
    if (!std::all_of(reach.hessian.begin(), reach.hessian.end(), bounded)) return;
    // A symmetric matrix measures at most its largest row sum, and at most the root of its squares.
    Real row_sum = 0;
    Real squares = 0;
    convex_ = true;
    for (Index k = 0; k < n; ++k) {
        Real row = 0;
        for (Index l = 0; l < n; ++l) {
            const Real largest = reach.hessian[k * n + l].largest();
            row += largest;
            squares += largest * largest;
        }
        row_sum = std::max(row_sum, row);
        const Interval& diagonal = reach.hessian[k * n + k];
        convex_ = convex_ && diagonal.low >= row - diagonal.largest();
    }
    smoothness_ = std::min(row_sum, std::sqrt(squares));
}

void PolynomialCost::condense(ConstView joint, View record, Scratch& /*scratch*/) const {
    for (Index m = 0; m < products_.size(); ++m) record[m] = products_[m].coefficient.value(joint);
}

Real PolynomialCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                              View gradient, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const View coefficients = frame.take(products_.size());
    const std::span<FactorValue> at = frame.take<FactorValue>(most_factors_);
    fill(coefficients, 0);
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] != 0) axpy(weights[age], records[age], coefficients);
    }
    fill(gradient, 0);
    Real total = 0;
    for (Index m = 0; m < products_.size(); ++m) {
        const std::vector<Factor>& factors = products_[m].factors;
        Real product = coefficients[m];
        for (Index j = 0; j < factors.size(); ++j) {
            at[j] = factor_at(factors[j], own[factors[j].variable]);
            product *= at[j].value;
        }
        total += product;
        if (gradient.empty()) continue;
        for (Index j = 0; j < factors.size(); ++j) {
            Real slope = coefficients[m] * at[j].slope;
            for (Index i = 0; i < factors.size(); ++i)
                if (i != j) slope *= at[i].value;
            gradient[factors[j].variable] += slope;
        }
    }
    return total;
}

}  // namespace proxstream
