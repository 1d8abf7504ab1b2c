#include "study/across_noise.hpp"

#include "proxstream/core/draw.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {

Real AcrossNoise::circle() const {
    return std::sqrt(step / (smoothness * (2 - step * smoothness)));
}

std::unique_ptr<FunctionLearner> AcrossNoise::learner(Real start, Real delta, std::uint64_t most_steps,
                                                      std::uint64_t seed) const {
    const FunctionProblem problem{.reg = fmt::format("l2ball:{}", radius),
                                  .start = {start, 0},
                                  .window = 1,
                                  .step = step,
                                  .smoothness = smoothness};
    const auto sample = [l = smoothness](Round, ConstView x, const Draw& draw, std::vector<Real>& gradient) {
        const Real length = std::hypot(x[0], x[1]);
        const Real across = (uniform(draw) < 0.5 ? -1 : 1) / length;
        gradient = {l * x[0] - across * x[1], l * x[1] + across * x[0]};
    };
    const CallbackOracle::Claim claim{.base_noise = 1, .bounded = true};
    NoisySetting setting{AnyOracle(CallbackOracle(sample, 1, claim)), "across, 1"};
    setting.estimator.kind = EstimatorOptions::Kind::paper;
    setting.max_steps = most_steps;
    setting.seed = seed;
    return make_noisy(problem, delta, setting);
}

RoundReport AcrossNoise::round(FunctionLearner& learner) const {
    return learner.observe([*this](ConstView x, View gradient) {
        if (!gradient.empty()) {
            gradient[0] = smoothness * x[0];
            gradient[1] = smoothness * x[1];
        }
        return value(std::hypot(x[0], x[1]));
    });
}

}  // namespace proxstream
