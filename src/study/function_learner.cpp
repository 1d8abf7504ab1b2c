#include "study/function_learner.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "online/gradient_learner.hpp"
#include "online/noisy_smoothed.hpp"
#include "online/time_smoothed.hpp"
#include "online/update_rules.hpp"
#include "solve/prox_grad.hpp"

#include <cmath>

namespace proxstream {
namespace {

using Ring = RecordRing<FunctionFamily>;

Ring make_ring(const FunctionProblem& problem) {
    return {FunctionFamily(problem.start.size(), true), CarriedWindow<Ring>::slots(problem.window)};
}

}  // namespace

std::unique_ptr<FunctionLearner> make_smoothed(const FunctionProblem& problem, Real delta,
                                               const ModelRule& model) {
    TimeSmoothedOptions options;
    options.window = problem.window;
    options.model = model;
    options.step = problem.step;
    options.tolerance = Tolerance::fixed(delta);
    options.budget.max_steps = kManySteps;
    return std::make_unique<TimeSmoothed<AnyRegulariser, Ring, ProxGrad>>(
        parse_regulariser(problem.reg), make_ring(problem), problem.start, options,
        ProxGrad(problem.smoothness));
}

std::unique_ptr<FunctionLearner> make_noisy(const FunctionProblem& problem, Real delta,
                                            const NoisySetting& setting) {
    NoisySmoothedOptions options;
    options.window = problem.window;
    options.step = problem.step;
    options.smoothness = problem.smoothness;
    options.delta = delta;
    options.confirm = setting.confirm;
    options.budget.max_steps = setting.max_steps;
    options.estimator = setting.estimator;
    options.seed = setting.seed;
    options.oracle_text = setting.oracle_text;
    options.noise_origin = "the study";
    return std::make_unique<NoisySmoothed<AnyRegulariser, Ring>>(
        parse_regulariser(problem.reg), make_ring(problem), problem.start, setting.oracle, options);
}

std::unique_ptr<FunctionLearner> make_prox_gradient(const FunctionProblem& problem) {
    return std::make_unique<GradientLearner<AnyRegulariser, Ring, ScheduledGradient>>(
        parse_regulariser(problem.reg), make_ring(problem), problem.start, problem.window, problem.step,
        ScheduledGradient({.step = problem.step}));
}

FunctionMeter make_meter(const FunctionProblem& problem, const std::vector<Index>& windows) {
    const Index dimension = problem.start.size();
    return {parse_regulariser(problem.reg),
            [dimension](Index capacity) { return Ring(FunctionFamily(dimension, true), capacity); },
            dimension, problem.step, windows};
}

LossFunction line(Real slope) {
    return [slope](ConstView x, View gradient) {
        if (!gradient.empty()) gradient[0] = slope;
        return slope * x[0];
    };
}

LossFunction wave(Real phase) {
    return [phase](ConstView x, View gradient) {
        if (!gradient.empty()) gradient[0] = std::sin(x[0] - phase);
        return -std::cos(x[0] - phase);
    };
}

}  // namespace proxstream
