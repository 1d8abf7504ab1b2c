#include "proxstream/online/learner_table.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/find_row.hpp"
#include "proxstream/online/time_smoothed.hpp"
#include "proxstream/online/update_rules.hpp"
#include "proxstream/window/record_ring.hpp"

#include <array>
#include <string>
#include <utility>

namespace proxstream {
namespace {

using Batch = AnyBatch<RowBlock>;

constexpr Index kLongestWindow = 10'000'000;

void require(const Spec& spec, bool holds, const char* what) {
    if (!holds) throw ConfigError("'" + spec.text() + "': " + what);
}

Real positive_or(const Spec& spec, Index position, const char* key, Real fallback) {
    const Real value = spec.number_or(position, key, fallback);
    require(spec, value > 0, (std::string(key) + " must be positive").c_str());
    return value;
}

Real fraction_or(const Spec& spec, Index position, const char* key, Real fallback) {
    const Real value = spec.number_or(position, key, fallback);
    require(spec, value >= 0 && value < 1, (std::string(key) + " must lie in [0, 1)").c_str());
    return value;
}

std::unique_ptr<RowLearner> smoothed(LearnerParts parts, AnyInner inner) {
    Batch batch = parts.make_batch(CarriedWindow<Batch>::slots(parts.window));
    return std::make_unique<TimeSmoothed<AnyRegulariser, Batch, AnyInner>>(
        std::move(parts.g), std::move(batch), std::move(parts.start),
        TimeSmoothedOptions{parts.window, parts.step, std::move(parts.tolerance), parts.budget},
        std::move(inner));
}

template <class Rule>
std::unique_ptr<RowLearner> first_order(LearnerParts parts, Rule rule) {
    Batch batch = parts.make_batch(CarriedWindow<Batch>::slots(parts.window));
    return std::make_unique<GradientLearner<AnyRegulariser, Batch, Rule>>(
        std::move(parts.g), std::move(batch), std::move(parts.start), parts.window, parts.step,
        std::move(rule));
}

std::unique_ptr<RowLearner> make_time_smoothed(const Spec& /*spec*/, LearnerParts parts) {
    AnyInner inner = parts.inner;
    return smoothed(std::move(parts), std::move(inner));
}

/// A fixed number of inner steps a round and no exit test.
std::unique_ptr<RowLearner> fixed_effort(LearnerParts parts, std::uint64_t steps, AnyInner inner) {
    parts.tolerance = Tolerance::none();
    parts.budget.max_steps = steps;
    return smoothed(std::move(parts), std::move(inner));
}

std::unique_ptr<RowLearner> make_window_steps(const Spec& spec, LearnerParts parts) {
    AnyInner inner(ProxGrad{parts.smoothness});
    return fixed_effort(std::move(parts), spec.count_or("steps", 1), std::move(inner));
}

std::unique_ptr<RowLearner> make_re_solve(const Spec& spec, LearnerParts parts) {
    return fixed_effort(std::move(parts), spec.count_or("steps", 25), AnyInner(Backtracking{}));
}

std::unique_ptr<RowLearner> make_prox_gradient(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    return first_order(std::move(parts), ScheduledGradient({.step = step}));
}

Replay replay_of(const Spec& spec, const LearnerParts& parts) {
    return {.steps = spec.has("replay") ? spec.count("replay") : 0, .seed = parts.seed};
}

std::unique_ptr<RowLearner> make_prox_sgd(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    const Real power = spec.number_or(1, "power", 0.5);
    require(spec, power >= 0 && power <= 1, "power must lie in [0, 1]");
    const Real horizon = positive_or(spec, 2, "horizon", 100);
    const Replay replay = replay_of(spec, parts);
    return first_order(std::move(parts), ScheduledGradient({step, power, horizon}, replay));
}

std::unique_ptr<RowLearner> make_momentum(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    const Real decay = fraction_or(spec, 1, "decay", 0.9);
    const Index dimension = parts.start.size();
    return first_order(std::move(parts), Momentum(dimension, step, decay));
}

std::unique_ptr<RowLearner> make_adam(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", 0.01);
    const Real first_decay = fraction_or(spec, 1, "beta1", 0.9);
    const Real second_decay = fraction_or(spec, 2, "beta2", 0.999);
    const Real floor = positive_or(spec, 3, "floor", 1e-8);
    const Index dimension = parts.start.size();
    return first_order(std::move(parts), Adam(dimension, {step, first_decay, second_decay, floor}));
}

std::unique_ptr<RowLearner> make_adagrad(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", 0.1);
    const Real floor = positive_or(spec, 1, "floor", 1e-8);
    const Replay replay = replay_of(spec, parts);
    const Index dimension = parts.start.size();
    return first_order(std::move(parts), AdaGrad(dimension, {step, floor}, replay));
}

std::unique_ptr<RowLearner> make_full_history(const Spec& spec, LearnerParts parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    FullHistory<Batch> rule(step, [make = parts.make_batch] { return make(FullHistory<Batch>::kChunk); });
    return first_order(std::move(parts), std::move(rule));
}

constexpr std::array kLearners{
    LearnerRow{"time-smoothed", "time-smoothed",
               "the exact learner: keeps the mean of the last w losses stationary up to tolerance/w",
               make_time_smoothed},
    LearnerRow{"prox-gradient", "prox-gradient[:step]",
               "online prox-gradient on the newest loss alone (w = 1)", make_prox_gradient},
    LearnerRow{"prox-sgd", "prox-sgd[:step,power=0.5,horizon=100,replay=K]",
               "online prox-SGD with step / (1 + t/horizon)^power, and K more steps on losses of the window",
               make_prox_sgd},
    LearnerRow{"momentum", "momentum[:step,decay=0.9]", "heavy averaging of past gradients, then a prox step",
               make_momentum},
    LearnerRow{"adam", "adam[:step=0.01,beta1=0.9,beta2=0.999,floor=1e-8]",
               "Adam's direction, then a prox step", make_adam},
    LearnerRow{"adagrad", "adagrad[:step=0.1,floor=1e-8,replay=K]",
               "gradients over the root of the squares gathered so far, then a prox step; K more as prox-sgd",
               make_adagrad},
    LearnerRow{
        "window-steps", "window-steps[:steps=1]",
        "K fixed prox-gradient steps on the window a round; K = 1 is the single-step method of Hazan et al.",
        make_window_steps},
    LearnerRow{"full-history", "full-history[:step]",
               "one prox-gradient step a round on the mean of all losses so far (memory and time grow)",
               make_full_history},
    LearnerRow{"re-solve", "re-solve[:steps=25]",
               "warm-started re-solve of the window every round, a fixed effort", make_re_solve},
};

}  // namespace

std::span<const LearnerRow> learners() {
    return kLearners;
}

std::unique_ptr<RowLearner> make_learner(std::string_view text, LearnerParts parts) {
    const Spec spec = Spec::parse(text);
    const LearnerRow& row = find_row(kLearners, "learner", spec.name());
    parts.window = spec.count_or("window", parts.window);
    require(spec, parts.window <= kLongestWindow, "window must be at most 10000000");
    auto learner = row.make(spec, std::move(parts));
    spec.finish();
    return learner;
}

namespace {

/// f = 0 on the real line: the smallest family a learner can be tried on.
struct NoLoss {
    using Record = RowBlock;
    Index dimension() const { return 1; }
    Real value(const RowBlock& /*record*/, ConstView /*x*/, Scratch& /*scratch*/) const { return 0; }
    Real value_and_gradient(const RowBlock& /*record*/, ConstView /*x*/, View gradient,
                            Scratch& /*scratch*/) const {
        fill(gradient, 0);
        return 0;
    }
};

struct NoRegulariser {
    Real value(ConstView /*x*/, Scratch& /*scratch*/) const { return 0; }
    Real prox(ConstView v, Real /*step*/, View out, Scratch& /*scratch*/) const {
        if (out.data() != v.data()) copy(v, out);
        return 0;
    }
};

}  // namespace

void check_learner(std::string_view text) {
    LearnerParts parts{.g = AnyRegulariser(NoRegulariser{}),
                       .make_batch = [](Index) { return AnyBatch<RowBlock>(RecordRing<NoLoss>({}, 2)); },
                       .start = {0},
                       .budget = {},
                       .inner = AnyInner(Backtracking{})};
    make_learner(text, std::move(parts));
}

}  // namespace proxstream
