#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/box.hpp"

#include "game/built_in_games.hpp"
#include "game/game_arguments.hpp"
#include "game/reach.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// A record is the total that the rivals sell of each product.
class CournotCost final : public PlayerCost {
  public:
    CournotCost(const CournotOptions& options, Index firm)
        : PlayerCost(options.products, options.products),
          options_(options),
          firm_(firm),
          marginal_(options.marginal * (1 + static_cast<Real>(firm) / static_cast<Real>(options.firms))) {
        find_constants();
    }

    void condense(ConstView joint, View record, Scratch& /*scratch*/) const override {
        fill(record, 0);
        for (Index firm = 0; firm < options_.firms; ++firm) {
            if (firm != firm_) axpy(1, joint.subspan(firm * record.size(), record.size()), record);
        }
    }

    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& /*scratch*/) const override {
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
            Real shared = 0;  // loss of revenue on all products by one more unit of any
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

  private:
    struct Price {
        Real value, slope, bend;
    };
    Price price(Real z) const {
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
    void find_constants() {
        const Real n = static_cast<Real>(options_.products);
        const Real width = 1 + options_.substitution * (n - 1);  // |M|, and the sum of a row of it
        const Real most = static_cast<Real>(options_.firms) * options_.cap * width;
        const Price first = price(0);
        const Price last = price(most);
        // Both slopes are monotone in z, so their ends are their extremes; the bends' sizes as well.
        const Interval slope{std::min(first.slope, last.slope), std::max(first.slope, last.slope)};
        const Real bend = std::max(std::abs(first.bend), std::abs(last.bend));
        claims_.smoothness =
            2 * slope.largest() * width + options_.cap * bend * width * width + 2 * options_.bend;

        // -P(z_r) - sum_p M_rp q_p P'(z_p) + c + bend (q^2 / (1 + q^2))'
        const Interval marginal_revenue =
            Interval{last.value, first.value} + width * (Interval{0, options_.cap} * slope);
        const Interval gradient = -1 * marginal_revenue + Interval{marginal_, marginal_} +
                                  options_.bend * Interval{0, 3 * std::sqrt(3.0) / 8};
        const Real rivals = (static_cast<Real>(options_.firms) - 1) * options_.cap * width;
        const Real moved = std::min(first.value - last.value, slope.largest() * rivals) +
                           2 * width * options_.cap * slope.radius();
        claims_.variation = std::sqrt(n) * std::max(gradient.largest(), moved);
    }

    CournotOptions options_;
    Index firm_;
    Real marginal_;
};

}  // namespace

GameDefinition make_cournot_game(std::string name, const CournotOptions& options) {
    GameDefinition game{.name = std::move(name), .players = {}};
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
    constexpr Real kMost = 1e6;
    CournotOptions options;
    options.firms = count_within(spec, "firms", options.firms, 2, 1000);
    options.products = count_within(spec, "products", options.products, 1, 1000);
    using enum CournotOptions::Demand;
    options.demand =
        std::array{linear, concave, convex}[choice_of(spec, "demand", {"linear", "concave", "convex"})];
    options.a = number_within(spec, "a", options.a, 0, kMost);
    options.b = number_within(spec, "b", options.b, 0, kMost);
    options.substitution = number_within(spec, "substitution", options.substitution, 0, 1);
    options.cap = number_within(spec, "cap", options.cap, 1 / kMost, kMost);
    options.marginal = number_within(spec, "marginal", options.marginal, 0, kMost);
    options.bend = number_within(spec, "bend", options.bend, 0, kMost);
    return make_cournot_game(spec.text(), options);
}

}  // namespace proxstream
