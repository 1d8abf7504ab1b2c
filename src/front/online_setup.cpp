/// Checks the options and makes the learner, before the first round.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/loss/guarded_batch.hpp"
#include "proxstream/prox/combinators.hpp"

#include "front/learner_settings.hpp"
#include "front/online_state.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// A regulariser whose exceptions become NaN, like those of losses (loss/guarded_batch.hpp).
class GuardedRegulariser {
  public:
    GuardedRegulariser(AnyRegulariser g, std::shared_ptr<CallbackFailure> failure)
        : g_(std::move(g)), failure_(std::move(failure)) {}

    Real value(ConstView x, Scratch& scratch) const {
        return failure_->value_of([&] { return g_.value(x, scratch); });
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        return failure_->value_of([&] { return g_.prox(v, step, out, scratch); }, out);
    }
    void project_direction(View d) const {
        failure_->value_of(
            [&] {
                g_.project_direction(d);
                return Real{0};
            },
            d);
    }
    bool can_switch() const { return g_.can_switch(); }
    Real switching_prox(ConstView v, Real step, const Pull& pull, View out, Scratch& scratch) const {
        return failure_->value_of([&] { return g_.switching_prox(v, step, pull, out, scratch); }, out);
    }
    // Called only before the first round or after the last one, so their exceptions pass.
    void check_dimension(Index n) const { g_.check_dimension(n); }
    Real infimum() const { return g_.infimum(); }
    const SumTraits& sum_traits() const { return g_.sum_traits(); }

  private:
    AnyRegulariser g_;
    std::shared_ptr<CallbackFailure> failure_;
};

constexpr Index kProbes = 8;
constexpr Index kClimb = 4;        // power iterations in a row
constexpr Real kRadius = 1e-4;     // of a probe, relative to the size of x
constexpr Real kNoChange = 1e-10;  // relative change of the gradient that may be rounding

/// How much the gradient of the newest loss changes around x, relative to the distance, along a few
/// directions that g allows. It is a lower bound on a Lipschitz constant. 0: it does not change. nullopt: the
/// loss is not finite at x, or too large to be usable.
std::optional<Real> local_smoothness(const AnyBatch& batch, const AnyRegulariser& g, ConstView x) {
    const Index n = x.size();
    Scratch scratch;
    std::vector<Real> gradient(n), there(n), moved(n), direction(n);
    const Real loss = batch.value_and_gradient(0, x, gradient, scratch);
    const Real size = norm(gradient);
    if (!(std::abs(loss) <= kAbsurd) || !(size <= kAbsurd)) return std::nullopt;
    const Real radius = kRadius * std::max(Real{1}, norm(x));
    Real steepest = 0;
    for (Index k = 0; k < kProbes; ++k) {
        // Power iterations: the change of one probe is the direction of the next.
        if (k % kClimb == 0 || !(norm(direction) > 0)) {
            for (Index i = 0; i < n; ++i) {
                direction[i] = k == 0 ? -gradient[i] : normal({.round = k, .sample = i});
            }
        }
        const Real length = norm(direction);
        if (!(length > 0)) continue;
        step_along(x, radius / length, direction, moved);
        fill(direction, 0);
        g.prox(moved, radius * radius, moved, scratch);
        const Real way = distance(moved, x);
        if (!(way > 0)) continue;
        const Real value = batch.value_and_gradient(0, moved, there, scratch);
        if (!std::isfinite(value) || !all_finite(there)) continue;
        subtract(there, gradient, direction);
        g.project_direction(direction);
        const Real change = norm(direction);
        if (change > kNoChange * size && change / way <= kAbsurd) steepest = std::max(steepest, change / way);
    }
    return steepest;
}

/// The user's sampler. An exception makes the estimate NaN, so that the learner can roll the round back.
CallbackOracle oracle_of(const GradientSampler& given, std::shared_ptr<CallbackFailure> failure) {
    return {[sample = given.sample, failure = std::move(failure)](Round record, ConstView x, const Draw& draw,
                                                                  std::vector<Real>& gradient) {
                const Real fine = failure->value_of([&] {
                    sample(record, x, draw, gradient);
                    return Real{0};
                });
                if (std::isnan(fine)) gradient.assign(x.size(), fine);
            },
            given.samples,
            {given.noise, given.bounded, given.independent, given.name}};
}

}  // namespace

bool is_automatic(const TextOrNumber& setting) {
    return setting.text() == "auto";
}

Real parse_step(const TextOrNumber& step) {
    const Real value = parse_real(step.text(), "step");
    if (!(value > 0 && value <= kAbsurd))
        throw ConfigError(fmt::format("step = {}: must be positive and finite, or auto", step.text()));
    return value;
}

bool samples_gradients(const OnlineOptions& options) {
    return options.sampler || Spec::parse(options.oracle).name() != "exact" ||
           Spec::parse(options.inner).name() == "spider";
}

void OnlineLearner::State::validate() {
    Violations violations;
    check_sizes(violations);
    check_figures(violations);
    check_texts(violations);
    violations.conclude();
}

void OnlineLearner::State::check_sizes(Violations& violations) {
    Index& n = options.dimension;
    if (n == 0) n = losses.dimension;
    if (n == 0) n = options.start.size();
    violations.require(n > 0, "dimension: not given; it is the number of coordinates of a decision");
    violations.require(losses.dimension == 0 || losses.dimension == n,
                       "dimension = {}: the losses are functions of {} coordinates", n, losses.dimension);
    if (losses.closures) losses = LossSource::of_closures(n);
    violations.require(options.start.empty() || options.start.size() == n,
                       "start: has {} numbers, and a decision has {}", options.start.size(), n);
    violations.require(all_finite(options.start), "start: all its numbers must be finite");
    // Intercepts and biases of models of rows come last and are not penalised.
    const Index penalised = losses.rows ? losses.rows->penalised() : n;
    violations.collect("regulariser", [&] {
        if (penalised > 0) g.check_dimension(penalised);
        if (penalised < n) g = Sliced<AnyRegulariser>(0, penalised, options.regulariser);
    });
}

void OnlineLearner::State::check_figures(Violations& violations) const {
    violations.positive_or_automatic("smoothness", options.smoothness);
    violations.at_least_one("max_steps", options.max_steps);
    violations.above_zero("max_seconds", options.max_seconds);
    violations.require_value(options.effort >= 0, "effort", options.effort,
                             "positive, or 0 for an automatic one");
    violations.require(!options.sampler || options.sampler->sample, "sampler: has no function");
    violations.require(!options.sampler || options.sampler->samples > 0,
                       "sampler: samples must be at least 1");
    violations.require(!options.sampler || options.oracle == "exact",
                       "oracle: give it or a sampler, not both");
    violations.require(
        options.switching == 0 || g.can_switch(),
        "switching: this regulariser has no known prox together with a switching penalty; separable "
        "ones and simplices have");
}

void OnlineLearner::State::check_texts(Violations& violations) const {
    bool noisy = true;
    violations.collect("", [&] { noisy = samples_gradients(options); });
    violations.require(noisy || options.referee, "referee = false: only noisy gradients can do without");
    if (!is_automatic(options.step)) violations.collect("", [&] { parse_step(options.step); });
    violations.collect("", [&] { Tolerance::parse(options.tolerance.text()); });

    // A refused option is replaced by its default, so that the others are checked too.
    LearnerConfig trial = parts(1);
    if (!violations.collect("forecast", [&] { trial.model = ForecastRule::parse(options.forecast); }))
        trial.model = {};
    if (!violations.collect("window", [&] { check_window(options.window.text()); })) trial.window = "1";
    if (!violations.collect("selection", [&] { check_selection(options.selection); }))
        trial.selection.clear();
    if (!violations.collect("inner", [&] { check_inner(options.inner); })) trial.inner = "auto";
    trial.g = Zero();
    violations.collect("", [&] { check_learner(options.learner, std::move(trial)); });
}

void OnlineLearner::State::choose_start() {
    Scratch scratch;
    start = options.start;
    if (!start.empty()) {
        if (!std::isfinite(g.value(start, scratch)))
            throw ConfigError("start: lies outside the domain of the regulariser");
        return;
    }
    start.resize(options.dimension);
    if (losses.rows) losses.rows->start(start, options.seed);
    if (!losses.rows || g.value(start, scratch) == kInfinity) {
        g.prox(start, 1, start, scratch);
    }
    if (!std::isfinite(g.value(start, scratch)) || !all_finite(start))
        throw ConfigError("regulariser: its prox leads out of its own domain; give a start");
}

LearnerConfig OnlineLearner::State::parts(Real reference_step) const {
    LearnerConfig parts{.g = GuardedRegulariser(g, failure),
                        .make_batch = [this](Index capacity) { return losses.make_batch(capacity, failure); },
                        .start = start,
                        .budget = {options.max_steps, options.max_seconds}};
    parts.window = options.window.text();
    parts.hysteresis = options.hysteresis;
    parts.switching = options.switching;
    parts.step = reference_step;
    parts.smoothness = smoothness > 0 ? smoothness : 1 / reference_step;
    if (options.effort > 0) parts.effort = options.effort;
    parts.inner = options.inner;
    parts.noise.oracle = options.oracle;
    if (options.sampler) parts.noise.sampler = oracle_of(*options.sampler, failure);
    parts.noise.origin = "given";
    parts.noise.confirm = options.confirm;
    parts.noise.refereed = options.referee;
    parts.seed = options.seed;
    if (losses.rows) parts.linear = linear_model(*losses.rows);
    parts.averages = losses.rows && has_linear_scores(*losses.rows);
    if (options.selection != "auto") parts.selection = options.selection;
    return parts;
}

bool OnlineLearner::State::choose_step(const RecordRef& record) {
    Real found = options.smoothness;
    const bool automatic = is_automatic(options.step);
    const bool noisy = samples_gradients(options);
    if (found == 0 && losses.rows) found = losses.rows->smoothness(record.as<RowBlock>()).value_or(0);
    if (found == 0 && (automatic || noisy)) {
        AnyBatch batch = losses.make_batch(1, failure);
        batch.push(record);
        const std::optional<Real> measured = local_smoothness(batch, GuardedRegulariser(g, failure), start);
        rethrow_failure();
        if (!measured) return false;
        // A larger L is one too, and keeps the step within its range.
        if (*measured > 0) found = std::max(*measured, 2 / kAbsurd);
    }
    // Half as long under noise, because the exit test must make up for c = 1 - eta L/2.
    step = !automatic ? parse_step(options.step) : found > 0 ? 1 / ((noisy ? 2 : 1) * found) : 1;
    smoothness = found > 0 ? found : 1 / step;
    return true;
}

void OnlineLearner::State::make_learner() {
    LearnerConfig made = parts(step);
    made.model = ForecastRule::parse(options.forecast);
    made.tolerance = Tolerance::parse(options.tolerance.text());
    if (made.model.kind == ForecastRule::Kind::record) {
        made.make_forecasts = [this] { return losses.make_batch(2, failure); };
    }
    try {
        learner = proxstream::make_learner(options.learner, std::move(made));
    } catch (...) {
        rethrow_failure();  // the user's exception, if that is the cause
        throw;
    }
    rethrow_failure();
}

}  // namespace proxstream
