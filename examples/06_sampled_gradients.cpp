// Gradients from a simulation. Three goods are stocked before the demand of a day is known. A left-over unit
// costs 1, a missing unit 3. In practice the mean cost has no gradient in closed form. Each simulated day
// gives a gradient that is right on average. The advisor computes the number of days and the tolerance.
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

/// Demand in round t is exponential with this mean, which follows a season.
Real mean_demand(Round t, Index good) {
    return 2 + std::sin(0.05 * static_cast<Real>(t) + 2 * static_cast<Real>(good));
}

/// The gradient, at stock x, of the cost of one simulated day of round t. The draw identifies the day: the
/// same draw gives the same day at another stock.
void simulate(Round t, ConstView x, const Draw& draw, std::vector<Real>& gradient) {
    for (Index i = 0; i < kGoods; ++i) {
        Draw own = draw;
        own.sample = draw.sample * kGoods + i;  // each good has its own demand
        const Real demand = -mean_demand(t, i) * std::log(uniform(own));
        gradient[i] = demand < x[i] ? kLeftOver : -kMissing;
    }
}

/// The mean over all days, which exists in closed form for this simple demand. The learner never uses its
/// gradient; the referee does, to measure the noise of the estimates.
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

/// The best stock if the means were known.
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
                                  .oscillation = 1,           // most that a loss falls within the window
                                  .delta = 0.25 * kWindow});  // rounds stop at a gap of 0.25

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
    std::printf("mean cost %.4f a round; %.4f if tomorrow's means were known\n\n", run.mean_loss,
                best / kRounds);
    std::cout << certificate;

    return certificate.sound() && run.regret <= certificate.at("C11").right &&
                   a_round(run.totals.steps) < advice.updates
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
