// Losses given as code. A well moves around the plane; every round we stand somewhere first, and only then
// learn where the well was and how deep. The mean of the last 16 wells is kept stationary inside a box.
#include "proxstream/loss/function_family.hpp"
#include "proxstream/prox/box.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/time_smoothed.hpp"
#include "solve/backtracking.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using namespace proxstream;

namespace {

constexpr Index kWindow = 16;  // w

/// f(x) = 1 - exp(-|x - c|^2): smooth, between 0 and 1, and not convex. A record is a function that returns
/// the value and, unless `gradient` is empty, writes the gradient.
FunctionFamily::Record well_at(Real cx, Real cy) {
    return [cx, cy](ConstView x, View gradient) {
        const Real dx = x[0] - cx;
        const Real dy = x[1] - cy;
        const Real depth = std::exp(-dx * dx - dy * dy);
        if (!gradient.empty()) {
            gradient[0] = 2 * dx * depth;
            gradient[1] = 2 * dy * depth;
        }
        return 1 - depth;
    };
}

}  // namespace

int main() {
    const Box box(-1, 1);  // g: 0 inside, infinite outside
    // One slot more than the window: the loss that leaves is kept until the round is over.
    auto batch = make_batch(FunctionFamily(2), kWindow + 1);
    const TimeSmoothedOptions options{.window = kWindow,
                                      .step = 0.25,                        // eta
                                      .tolerance = Tolerance::fixed(0.5),  // delta; the test is at delta/w
                                      .budget = {.max_steps = 100}};
    TimeSmoothed learner(box, std::move(batch), std::vector<Real>{1, 0}, options, Backtracking{});

    Real loss = 0, regret = 0, previous_exit = learner.facts().initial_residual;
    std::uint64_t quiet = 0, gradients = 0;
    bool bounded = true;
    constexpr Round kRounds = 1000;
    for (Round t = 1; t <= kRounds; ++t) {
        const Real angle = 0.005 * static_cast<Real>(t);
        // decide() is what we play now; observe() reveals the loss and moves on to the next decision.
        const RoundReport report = learner.observe(well_at(1.2 * std::cos(angle), 1.2 * std::sin(angle)));
        loss += report.loss;                                      // f_t(x_t)
        regret += report.entry_residual * report.entry_residual;  // R_t^2
        quiet += report.status == RoundStatus::quiet ? 1 : 0;
        gradients += report.cost.record_gradients;
        // Theorem 1': a round enters with at most what the last one left plus what the new loss changed.
        bounded = bounded && report.entry_residual <=
                                 previous_exit + report.variation / kWindow + 3 * report.residual_rounding;
        previous_exit = report.exit_residual;
    }
    const ConstView x = learner.decide();
    const Real mean_loss = loss / kRounds;
    std::printf("after %d rounds at (%.3f, %.3f); mean loss %.4f, Reg_w %.4f\n", static_cast<int>(kRounds),
                x[0], x[1], mean_loss, regret);
    std::printf("%.0f %% of the rounds were quiet; %.1f gradients a round\n",
                100 * static_cast<Real>(quiet) / kRounds, static_cast<Real>(gradients) / kRounds);

    const bool inside = std::abs(x[0]) <= 1 && std::abs(x[1]) <= 1;
    return bounded && inside && mean_loss < 0.2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
