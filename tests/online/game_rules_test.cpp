// The rules that games are played with, where plain gradients cycle: min over x, max over y of x'Ay.

#include "proxstream/loss/function_family.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/gradient_learner.hpp"
#include "online/update_rules.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Ring = RecordRing<FunctionFamily>;
using Player = AnyLearner;

std::unique_ptr<Player> player(const char* set, RulePointer rule) {
    return std::make_unique<GradientLearner>(parse_regulariser(set), AnyBatch(Ring(FunctionFamily(2), 2)),
                                             std::vector<Real>{0.6, -0.3}, WindowWeights(1), 0.1,
                                             std::move(rule));
}

/// What x pays against y: sign x'Ay, A = (1, 2; -1, 1).
FunctionFamily::Record against(ConstView y, Real sign, bool transposed) {
    const Real off = transposed ? -1 : 2;
    const Real other = transposed ? 2 : -1;
    const std::vector<Real> slope{sign * (y[0] + off * y[1]), sign * (other * y[0] + y[1])};
    return [slope](ConstView x, View gradient) {
        if (!gradient.empty()) copy(slope, gradient);
        return dot(slope, x);
    };
}

/// How far from (0, 0), the one equilibrium, play ends.
template <class Make>
Real distance_after(Round rounds, Make make) {
    const std::unique_ptr<Player> x = make();
    const std::unique_ptr<Player> y = make();
    for (Round t = 1; t <= rounds; ++t) {
        const auto of_x = against(y->decide(), 1, false);
        const auto of_y = against(x->decide(), -1, true);
        x->observe(of_x);
        y->observe(of_y);
    }
    return std::hypot(norm(x->decide()), norm(y->decide()));
}

TEST(GameRules, ConvergeWherePlainGradientsCycle) {
    constexpr Real kStep = 0.2;  // below 1 / (2 |A|)
    for (const char* set : {"zero", "box:-1,1"}) {
        EXPECT_GT(distance_after(2000, [&] { return player(set, scheduled_gradient({.step = kStep})); }), 0.9)
            << set;
        EXPECT_LT(distance_after(2000, [&] { return player(set, optimistic(2, kStep)); }), 1e-6) << set;
        EXPECT_LT(distance_after(2000, [&] { return player(set, extragradient(2, kStep)); }), 1e-6) << set;
    }
}

}  // namespace
}  // namespace proxstream
