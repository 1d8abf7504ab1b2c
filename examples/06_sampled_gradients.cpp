// Gradients from a simulation. Three goods are stocked for the day before demand is known; what is left over
// costs 1 a unit, what is missing 3. The mean cost has no gradient that we could write down in practice: we
// simulate days, and every simulated day gives a gradient that is right on average. How many days to
// simulate, and when a round may stop, the advisor says; what a run of estimates proves, the certificate.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#include <proxstream/proxstream.hpp>

using namespace proxstream;

namespace {

constexpr Index kGoods = 3, kWindow = 8;
constexpr Real kLeftOver = 1, kMissing = 3, kShelf = 4;

/// Demand in round t is exponential with this mean, which goes up and down with the season.
Real mean_demand(Round t, Index good) {
    return 2 + std::sin(0.05 * static_cast<Real>(t) + 2 * static_cast<Real>(good));
}

/// One simulated day of round t at stock x: the gradient of what that day would have cost. The draw says
/// which day: asked again, at another stock, it is the same one.
void simulate(Round t, ConstView x, const Draw& draw, std::vector<Real>& gradient) {
    for (Index i = 0; i < kGoods; ++i) {
        Draw own = draw;
        own.sample = draw.sample * kGoods + i;  // every good has a demand of its own
        const Real demand = -mean_demand(t, i) * std::log(uniform(own));
        gradient[i] = demand < x[i] ? kLeftOver : -kMissing;
    }
}

/// The mean over all days, which this simple demand happens to allow. The learner never looks at its
/// gradient: it is here for the referee, who measures how good the learner's estimates were.
LossFunction mean_cost(Round t) {
    return [t](ConstView x, View gradient) {
        Real total = 0;
        for (Index i = 0; i < kGoods; ++i) {
            const Real mean = mean_demand(t, i);
            const Real sold_out = std::exp(-x[i] / mean);
            total += kLeftOver * (x[i] - mean) + (kLeftOver + kMissing) * mean * sold_out;
            gradient[i] = kLeftOver - (kLeftOver + kMissing) * sold_out;
        }
        return total;
    };
}

/// What to stock for who knows the means: missing as often as the costs are worth.
std::vector<Real> ideal_stock(Round t) {
    std::vector<Real> stock(kGoods);
    for (Index i = 0; i < kGoods; ++i) {
        stock[i] = std::min(kShelf, mean_demand(t, i) * std::log((kLeftOver + kMissing) / kLeftOver));
    }
    return stock;
}

}  // namespace

int main() {
    // A simulated gradient is 1 or -3 for each good, so its deviation is at most 2; means of bounded samples
    // have light tails. The second derivative is at most (1 + 3) / the smallest mean.
    const Real deviation = (kLeftOver + kMissing) / 2 * std::sqrt(static_cast<Real>(kGoods));
    const Real smoothness = kLeftOver + kMissing;
    const Advice advice = advise({.smoothness = smoothness,
                                  .base_noise = deviation,
                                  .window = kWindow,
                                  .tail = NoiseTail::subgaussian,
                                  .swing = 1,                 // what a loss may fall by within the window
                                  .delta = 0.25 * kWindow});  // rounds stop at a residual of 0.25

    const GradientSampler days{
        .sample = simulate, .samples = advice.batch, .noise = deviation, .name = "simulated days"};
    OnlineLearner learner({.dimension = kGoods,
                           .regulariser = Box(0, kShelf),
                           .start = std::vector<Real>(kGoods, 1),
                           .window = kWindow,
                           .step = advice.step,
                           .smoothness = smoothness,
                           .tolerance = advice.delta,
                           .sampler = days,
                           .confirm = advice.confirm});

    constexpr Round kRounds = 400;
    Real best = 0;
    std::vector<Real> unused(kGoods);
    for (Round t = 1; t <= kRounds; ++t) {
        learner.observe(mean_cost(t));
        best += mean_cost(t)(ideal_stock(t), unused);
    }
    const Certificate certificate = learner.certificate();

    const RunSummary& run = certificate.summary;
    const auto a_round = [](auto count) { return static_cast<Real>(count) / kRounds; };
    std::printf("advised: %d days a record and estimate, eta %.4g, a delta above %.4g\n",
                static_cast<int>(advice.batch), advice.step, advice.smallest_delta);
    std::printf("a round: %.2f updates (at most %.4g expected), %.0f days simulated (%.4g)\n",
                a_round(run.totals.steps), advice.updates, a_round(run.totals.cost.base_samples),
                advice.fresh_samples);
    std::printf("mean cost %.4f a round; %.4f for who knows tomorrow's means\n\n", run.mean_loss,
                best / kRounds);
    std::cout << certificate;

    return certificate.sound() && run.regret <= certificate.at("C11").right &&
                   a_round(run.totals.steps) < advice.updates
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
