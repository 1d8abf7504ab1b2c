#include "game/cournot_game.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/box.hpp"

#include "core/find_row.hpp"
#include "reach.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

struct DemandRow {
    std::string_view name;
    CournotOptions::Demand demand;
};
constexpr std::array kDemands{
    DemandRow{"linear", CournotOptions::Demand::linear},
    DemandRow{"concave", CournotOptions::Demand::concave},
    DemandRow{"convex", CournotOptions::Demand::convex},
};

void check(const CournotOptions& options) {
    std::vector<std::string> violations;
    const auto require = [&](std::string_view name, Real value, Real low, Real high) {
        if (value >= low && value <= high) return;
        violations.push_back(fmt::format("{} = {:g} must lie between {:g} and {:g}", name, value, low, high));
    };
    constexpr Real kMost = 1e6;
    require("firms", static_cast<Real>(options.firms), 2, 1000);
    require("products", static_cast<Real>(options.products), 1, 1000);
    require("a", options.a, 0, kMost);
    require("b", options.b, 0, kMost);
    require("substitution", options.substitution, 0, 1);
    require("cap", options.cap, 1 / kMost, kMost);
    require("marginal", options.marginal, 0, kMost);
    require("bend", options.bend, 0, kMost);
    if (!violations.empty()) throw ConfigError(std::move(violations));
}

}  // namespace

CournotCost::CournotCost(const CournotOptions& options, Index firm)
    : options_(options),
      firm_(firm),
      marginal_(options.marginal * (1 + static_cast<Real>(firm) / static_cast<Real>(options.firms))) {
    find_constants();
}

CournotCost::Price CournotCost::price(Real z) const {
    const Real a = options_.a;
    const Real b = options_.b;
    if (options_.demand == CournotOptions::Demand::linear) return {a - b * z, -b, 0};
    if (options_.demand == CournotOptions::Demand::concave) return {a - b * z * z / 2, -b * z, -b};
    const Real level = a / (1 + b * z);
    const Real fall = b / (1 + b * z);
    return {level, -level * fall, 2 * level * fall * fall};
}

/// With M = (1 - s) I + s 11', so that z = M (q + R), the Hessian is
///   -(P'M + MP') - M diag(q P'') M + bend diag((2 - 6 q^2) / (1 + q^2)^3);
/// the last factor lies in [-1/2, 2], the slope of q^2 / (1 + q^2) in [0, 3 sqrt(3) / 8].
void CournotCost::find_constants() {
    const Real n = static_cast<Real>(options_.products);
    const Real width = 1 + options_.substitution * (n - 1);  // |M|, and the sum of a row of it
    const Real most = static_cast<Real>(options_.firms) * options_.cap * width;
    const Price first = price(0);
    const Price last = price(most);
    // Both slopes are monotone in z, so their ends are their extremes; the bends' sizes as well.
    const Interval slope{std::min(first.slope, last.slope), std::max(first.slope, last.slope)};
    const Real bend = std::max(std::abs(first.bend), std::abs(last.bend));
    smoothness_ = 2 * slope.largest() * width + options_.cap * bend * width * width + 2 * options_.bend;

    // -P(z_r) - sum_p M_rp q_p P'(z_p) + c + bend (q^2 / (1 + q^2))'
    const Interval marginal_revenue =
        Interval{last.value, first.value} + width * (Interval{0, options_.cap} * slope);
    const Interval gradient = -1 * marginal_revenue + Interval{marginal_, marginal_} +
                              options_.bend * Interval{0, 3 * std::sqrt(3.0) / 8};
    const Real rivals = (static_cast<Real>(options_.firms) - 1) * options_.cap * width;
    const Real moved = std::min(first.value - last.value, slope.largest() * rivals) +
                       2 * width * options_.cap * slope.radius();
    variation_ = std::sqrt(n) * std::max(gradient.largest(), moved);
}

void CournotCost::condense(ConstView joint, View record, Scratch& /*scratch*/) const {
    fill(record, 0);
    for (Index firm = 0; firm < options_.firms; ++firm) {
        if (firm != firm_) axpy(1, joint.subspan(firm * record.size(), record.size()), record);
    }
}

Real CournotCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                           View gradient, Scratch& /*scratch*/) const {
    const Real s = options_.substitution;
    fill(gradient, 0);
    Real total = 0;
    Real mass = 0;
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] == 0) continue;
        mass += weights[age];
        const ConstView rivals = records[age];
        Real sold = 0;
        for (Index p = 0; p < own.size(); ++p) sold += own[p] + rivals[p];
        Real revenue = 0;
        Real shared = 0;  // what a unit of anything takes from the revenue of everything
        for (Index p = 0; p < own.size(); ++p) {
            const Price at = price((1 - s) * (own[p] + rivals[p]) + s * sold);
            revenue += own[p] * at.value;
            shared += own[p] * at.slope;
            if (!gradient.empty()) gradient[p] -= weights[age] * (at.value + (1 - s) * own[p] * at.slope);
        }
        total -= weights[age] * revenue;
        for (Real& each : gradient) each -= weights[age] * s * shared;
    }
    for (Index p = 0; p < own.size(); ++p) {
        const Real q = own[p];
        const Real room = 1 + q * q;
        total += mass * (marginal_ * q + options_.bend * q * q / room);
        if (!gradient.empty()) gradient[p] += mass * (marginal_ + options_.bend * 2 * q / (room * room));
    }
    return total;
}

GameDefinition make_cournot_game(const CournotOptions& options) {
    check(options);
    GameDefinition game{.name = fmt::format("cournot of {} firms", options.firms), .players = {}};
    const AnyRegulariser set{Box(0, options.cap)};
    for (Index firm = 0; firm < options.firms; ++firm) {
        game.players.push_back(
            {fmt::format("firm {}", firm + 1), std::make_shared<CournotCost>(options, firm), set,
             "box:0," + format_short(options.cap), std::vector<Real>(options.products, options.cap / 10)});
    }
    check(game);
    return game;
}

GameDefinition make_cournot(const Spec& spec) {
    CournotOptions options;
    const auto number = [&](std::string_view key, Real fallback) {
        return spec.number_or(Spec::kByNameOnly, key, fallback);
    };
    options.firms = spec.count_or("firms", options.firms);
    options.products = spec.count_or("products", options.products);
    options.demand = find_row(kDemands, "demand", spec.word_or("demand", "linear")).demand;
    options.a = number("a", options.a);
    options.b = number("b", options.b);
    options.substitution = number("substitution", options.substitution);
    options.cap = number("cap", options.cap);
    options.marginal = number("marginal", options.marginal);
    options.bend = number("bend", options.bend);
    GameDefinition game;
    std::vector<std::string> violations;
    collect(violations, "'" + spec.text() + "'", [&] { game = make_cournot_game(options); });
    if (!violations.empty()) throw ConfigError(std::move(violations));
    game.name = spec.text();
    return game;
}

}  // namespace proxstream
