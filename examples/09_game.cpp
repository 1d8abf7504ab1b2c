// Two ice-cream sellers on a beach of length 1, each choosing a place and a price. Customers prefer,
// by a smooth rule, the lower sum of price and squared distance. The cost of a seller is minus its revenue,
// which is not convex.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <proxstream/game.hpp>
#include <proxstream/prox/regulariser_table.hpp>

namespace ps = proxstream;

/// Minus the revenue at (place, price) against the rival, and its gradient in the own place and price.
double cost(ps::ConstView own, ps::ConstView rival, ps::View gradient) {
    double sold = 0, by_place = 0, by_price = 0;  // the latter are derivatives of `sold`
    for (int k = 0; k < 20; ++k) {
        const double s = (k + 0.5) / 20;  // where this customer is
        const auto effort = [s](ps::ConstView at) { return at[1] + 4 * (s - at[0]) * (s - at[0]); };
        const double share = 1 / (1 + std::exp(4 * (effort(own) - effort(rival))));
        const double slope = -4 * share * (1 - share) / 20;
        sold += share / 20;
        by_place += slope * -8 * (s - own[0]);
        by_price += slope;
    }
    gradient[0] = -own[1] * by_place;
    gradient[1] = -own[1] * by_price - sold;
    return -own[1] * sold;
}

int main() {
    const ps::AnyRegulariser box = ps::parse_regulariser("box:0,1");
    const auto left = [](ps::ConstView x, ps::View g) { return cost(x.first(2), x.last(2), g); };
    const auto right = [](ps::ConstView x, ps::View g) { return cost(x.last(2), x.first(2), g); };
    ps::Game game({{"left", 2, box, left, {0.1, 0.5}}, {"right", 2, box, right, {0.7, 0.5}}});
    game.play(400);
    for (const auto& play : game.plays()) std::printf("at %.3f for %.3f\n", play[0], play[1]);
    std::printf("%s", game.certificate().text.c_str());
    return game.certificate().sound() ? EXIT_SUCCESS : EXIT_FAILURE;
}
