#include "online/learner_table.hpp"

#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"
#include "online/gradient_learner.hpp"
#include "online/learner_arguments.hpp"
#include "online/linear_rules.hpp"
#include "online/time_smoothed.hpp"
#include "online/update_rules.hpp"
#include "solve/backtracking.hpp"
#include "solve/inner_table.hpp"
#include "solve/prox_grad.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// Rules that read `window=auto` as a length to measure by take the usual one.
WindowWeights measured_by(const LearnerConfig& parts) {
    return is_auto(parts.window) ? WindowWeights(kMeasured) : WindowWeights::parse(parts.window);
}

/// What plays without an oracle of its own.
void require_exact(const Spec& spec, const LearnerConfig& parts) {
    require(spec, !parts.noise.sampler && Spec::parse(parts.noise.oracle).name() == "exact",
            "this learner evaluates its losses exactly; give the oracle to time-smoothed alone, as "
            "time-smoothed:oracle=(" +
                parts.noise.oracle + ")");
}

std::unique_ptr<AnyLearner> smoothed(LearnerConfig parts, InnerSolver inner) {
    const WindowWeights window = measured_by(parts);
    const TimeSmoothedOptions options{
        .window = window,
        .model = parts.model,
        .step = parts.step,
        .tolerance = std::move(parts.tolerance),
        .hysteresis = parts.hysteresis,
        .switching = parts.switching,
        .proximal = parts.proximal.weight(window.effective_length(), parts.start.size()),
        .budget = parts.budget,
        .effort = parts.effort};
    auto learner = std::make_unique<TimeSmoothed>(std::move(parts.g), parts.make_batch(slots_of(options)),
                                                  std::move(parts.start), options, std::move(inner));
    if (parts.model.kind == ForecastRule::Kind::record) {
        if (!parts.make_forecasts)
            throw ConfigError("model forecast: it needs the forecasts, given by forecast = FILE");
        learner->attach_forecasts(parts.make_forecasts());
    }
    return learner;
}

std::unique_ptr<AnyLearner> first_order(LearnerConfig parts, RulePointer rule) {
    const WindowWeights window = measured_by(parts);
    AnyBatch batch = parts.make_batch(CarriedWindow::slots(window.length()));
    return std::make_unique<GradientLearner>(std::move(parts.g), std::move(batch), std::move(parts.start),
                                             window, parts.step, std::move(rule));
}

std::unique_ptr<AnyLearner> make_auto(LearnerConfig parts);

std::unique_ptr<AnyLearner> make_time_smoothed(const Spec& spec, LearnerConfig parts) {
    read_solver_arguments(spec, parts);
    if (is_auto(parts.window)) return make_auto(std::move(parts));
    if (is_noisy(parts)) return make_noisy(std::move(parts));
    InnerSolver inner = parse_inner(parts.inner, parts.smoothness);
    return smoothed(std::move(parts), std::move(inner));
}

/// A fixed number of inner steps a round and no exit test. As published: without a proximal term unless one
/// is named.
std::unique_ptr<AnyLearner> fixed_effort(LearnerConfig parts, std::uint64_t steps, InnerSolver inner) {
    parts.tolerance = Tolerance::none();
    if (!parts.proximal.named) parts.proximal.named = 0;
    parts.budget.max_steps = steps;
    return smoothed(std::move(parts), std::move(inner));
}

std::unique_ptr<AnyLearner> make_window_steps(const Spec& spec, LearnerConfig parts) {
    read_solver_arguments(spec, parts);
    InnerSolver inner = ProxGrad(parts.smoothness);
    return fixed_effort(std::move(parts), spec.count_or("steps", 1), std::move(inner));
}

std::unique_ptr<AnyLearner> make_re_solve(const Spec& spec, LearnerConfig parts) {
    read_solver_arguments(spec, parts);
    return fixed_effort(std::move(parts), spec.count_or("steps", 25), Backtracking());
}

RulePointer prox_gradient_rule(const Spec& spec, LearnerConfig& parts) {
    return scheduled_gradient({.step = positive_or(spec, 0, "step", parts.step)});
}

Replay replay_of(const Spec& spec, const LearnerConfig& parts) {
    return {.steps = spec.has("replay") ? spec.count("replay") : 0, .seed = parts.seed};
}

RulePointer prox_sgd_rule(const Spec& spec, LearnerConfig& parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    const Real power = spec.number_or(1, "power", 0.5);
    require(spec, power >= 0 && power <= 1, "power must lie in [0, 1]");
    const Real horizon = positive_or(spec, 2, "horizon", 100);
    return scheduled_gradient({step, power, horizon}, replay_of(spec, parts));
}

RulePointer momentum_rule(const Spec& spec, LearnerConfig& parts) {
    const Real step = positive_or(spec, 0, "step", parts.step);
    return momentum(parts.start.size(), step, fraction_or(spec, 1, "decay", 0.9));
}

RulePointer adam_rule(const Spec& spec, LearnerConfig& parts) {
    const Real step = positive_or(spec, 0, "step", 0.01);
    const Real first_decay = fraction_or(spec, 1, "beta1", 0.9);
    const Real second_decay = fraction_or(spec, 2, "beta2", 0.999);
    const Real floor = positive_or(spec, 3, "floor", 1e-8);
    return adam(parts.start.size(), {step, first_decay, second_decay, floor});
}

RulePointer adagrad_rule(const Spec& spec, LearnerConfig& parts) {
    const Real step = positive_or(spec, 0, "step", 0.1);
    const Real floor = positive_or(spec, 1, "floor", 1e-8);
    return adagrad(parts.start.size(), step, floor, replay_of(spec, parts));
}

RulePointer ftrl_rule(const Spec& spec, LearnerConfig& parts) {
    const Real rate = positive_or(spec, 0, "alpha", 0.1);
    const Real offset = positive_or(spec, 1, "beta", 1);
    require(
        spec, parts.g.can_weigh(),
        "FTRL-proximal needs the prox of this regulariser with a step for each coordinate, which is known "
        "for zero, l1, l2sq, elastic, bounds and their sums; take adagrad");
    return ftrl_proximal(parts.start.size(), rate, offset);
}

RulePointer optimistic_rule(const Spec& spec, LearnerConfig& parts) {
    return optimistic(parts.start.size(), positive_or(spec, 0, "step", parts.step));
}

RulePointer extragradient_rule(const Spec& spec, LearnerConfig& parts) {
    return extragradient(parts.start.size(), positive_or(spec, 0, "step", parts.step));
}

RulePointer rls_rule(const Spec& spec, LearnerConfig& parts) {
    const Real memory = spec.number_or(0, "memory", kInfinity);
    require(spec, memory > 1, "memory must be above 1 rounds, or inf");
    require(spec, parts.linear && squares_fit(*parts.linear),
            "recursive least squares is for linear models of rows with a target");
    return recursive_least_squares(*parts.linear, memory);
}

RulePointer coin_rule(const Spec& spec, LearnerConfig& parts) {
    require(spec, parts.linear.has_value(), "coin betting is for linear models of rows");
    return coin_betting(*parts.linear);
}

/// The model that predicts the target's last value, for ever.
RulePointer last_value_rule(const Spec& spec, LearnerConfig& parts) {
    require(spec, parts.last_value.has_value(),
            "the target's last value is not one of the features; add it with --lags 1");
    fill(parts.start, 0);
    parts.start[*parts.last_value] = 1;
    return fixed_point();
}

RulePointer full_history_rule(const Spec& spec, LearnerConfig& parts) {
    return full_history(positive_or(spec, 0, "step", parts.step),
                        [make = parts.make_own_batch ? parts.make_own_batch : parts.make_batch] {
                            return make(kHistoryChunk);
                        });
}

/// An ensemble by its own name: its windows are in its text.
std::unique_ptr<AnyLearner> make_named_ensemble(const Spec& spec, LearnerConfig parts) {
    require(spec, !spec.has("window"), "an ensemble has several windows; did you mean windows=?");
    return make_ensemble(spec, std::move(parts));
}

/// The ensemble that a window text `auto[:arguments]` stands for.
std::unique_ptr<AnyLearner> make_auto(LearnerConfig parts) {
    const Spec spec = Spec::parse(parts.window);
    auto learner = make_ensemble(spec, std::move(parts));
    spec.finish();
    return learner;
}

constexpr std::array kLearners{
    LearnerRow{.name = "time-smoothed",
               .usage = "time-smoothed[:model=M,hysteresis=1,switching=0,proximal=auto,tolerance=auto,effort="
                        "inf,inner=auto,"
                        "oracle=exact,variant=fresh,confirm=1]",
               .help = "keeps a window of losses stationary up to tolerance/w; window=auto is an ensemble",
               .make = make_time_smoothed,
               .takes_oracle = true},
    LearnerRow{
        .name = "ensemble",
        .usage = "ensemble[:windows=1/4/16/64/256/1024,also=A/B,selection=mean,cross=yes,steps=4,effort=128]",
        .help = "an ensemble of windows and cheap learners; realised losses weigh them",
        .make = make_named_ensemble,
        .takes_oracle = true},
    LearnerRow{.name = "prox-gradient",
               .usage = "prox-gradient[:step]",
               .help = "online prox-gradient on the newest loss alone (w = 1)",
               .rule = prox_gradient_rule},
    LearnerRow{
        .name = "prox-sgd",
        .usage = "prox-sgd[:step,power=0.5,horizon=100,replay=K]",
        .help = "online prox-SGD with step / (1 + t/horizon)^power, and K more steps on losses of the window",
        .rule = prox_sgd_rule},
    LearnerRow{.name = "momentum",
               .usage = "momentum[:step,decay=0.9]",
               .help = "heavy averaging of past gradients, then a prox step",
               .rule = momentum_rule,
               .is_point = true},
    LearnerRow{.name = "adam",
               .usage = "adam[:step=0.01,beta1=0.9,beta2=0.999,floor=1e-8]",
               .help = "Adam's direction, then a prox step",
               .rule = adam_rule,
               .is_point = true},
    LearnerRow{
        .name = "adagrad",
        .usage = "adagrad[:step=0.1,floor=1e-8,replay=K]",
        .help =
            "gradients over the root of the squares gathered so far, then a prox step; K more as prox-sgd",
        .rule = adagrad_rule,
        .is_point = true},
    LearnerRow{
        .name = "ftrl",
        .usage = "ftrl[:alpha=0.1,beta=1]",
        .help = "FTRL-proximal: learning rates alpha/(beta + root of the squares so far) by coordinate",
        .rule = ftrl_rule,
        .is_point = true},
    LearnerRow{
        .name = "rls",
        .usage = "rls[:memory=inf]",
        .help = "recursive least squares that forgets in so many rounds; linear models only, n^2 a row",
        .rule = rls_rule,
        .is_point = true},
    LearnerRow{.name = "coin",
               .usage = "coin",
               .help = "coin betting: no learning rate to set; linear models only",
               .rule = coin_rule,
               .is_point = true},
    LearnerRow{.name = "last-value",
               .usage = "last-value",
               .help = "predicts the target's last value (needs --lags 1); never learns",
               .rule = last_value_rule,
               .is_point = true},
    LearnerRow{.name = "optimistic",
               .usage = "optimistic[:step]",
               .help = "prox step along 2 g_t - g_{t-1}; in games it converges where plain gradients cycle",
               .rule = optimistic_rule},
    LearnerRow{
        .name = "extragradient",
        .usage = "extragradient[:step]",
        .help = "two rounds an iteration: a look ahead, then a step from before along the gradient met there",
        .rule = extragradient_rule},
    LearnerRow{
        .name = "sampled-steps",
        .usage = "sampled-steps[:rule=sgd|momentum|adam|optimistic-adam|optimistic|extragradient,samples=64,"
                 "steps=1,step,beta1=0.9,beta2=0.999]",
        .help = "prox steps along an estimate of the window's gradient from so many samples; nothing is "
                "measured",
        .make = make_sampled_steps},
    LearnerRow{.name = "window-steps",
               .usage = "window-steps[:steps=1]",
               .help = "K fixed prox-gradient steps on the window a round; K = 1 is the single-step method "
                       "of Hazan et al.",
               .make = make_window_steps},
    LearnerRow{
        .name = "full-history",
        .usage = "full-history[:step]",
        .help = "one prox-gradient step a round on the mean of all losses so far (memory and time grow)",
        .rule = full_history_rule},
    LearnerRow{.name = "re-solve",
               .usage = "re-solve[:steps=25]",
               .help = "warm-started re-solve of the window every round, a fixed effort",
               .make = make_re_solve},
};

}  // namespace

std::span<const LearnerRow> learners() {
    return kLearners;
}

std::unique_ptr<AnyLearner> make_learner(std::string_view text, LearnerConfig parts) {
    const Spec spec = Spec::parse(text);
    const LearnerRow& row = find_row(kLearners, "learner", spec.name());
    if (spec.has("window")) parts.window = spec.word(Spec::kByNameOnly, "window");
    if (!is_auto(parts.window))
        WindowWeights::parse(parts.window);  // refused here, even if the learner ignores it
    if (!row.takes_oracle) require_exact(spec, parts);
    RulePointer rule = row.rule != nullptr ? row.rule(spec, parts) : nullptr;
    auto learner = rule ? first_order(std::move(parts), std::move(rule)) : row.make(spec, std::move(parts));
    spec.finish();
    return learner;
}

std::unique_ptr<PointLearner> make_point_learner(std::string_view text, const LearnerConfig& parts) {
    const Spec spec = Spec::parse(text);
    const LearnerRow& row = find_row(kLearners, "learner", spec.name());
    // Replayed losses are those of a window.
    if (!row.is_point || spec.has("replay") || spec.has("window")) return nullptr;
    LearnerConfig own = parts;
    RulePointer rule = row.rule(spec, own);
    spec.finish();
    return std::make_unique<PointLearner>(std::move(own.g), std::move(own.start), std::move(rule));
}

Index measured_window(std::string_view window) {
    if (is_auto(window)) return kMeasured;
    return static_cast<Index>(std::max<Real>(1, std::round(WindowWeights::parse(window).effective_length())));
}

void check_learner(std::string_view text, LearnerConfig parts) {
    parts.make_batch = [](Index) { return AnyBatch(NoRecords{}); };
    parts.make_own_batch = {};
    parts.make_forecasts = [] { return AnyBatch(NoRecords{}); };
    parts.start = {0};
    if (!parts.linear) parts.linear = LinearModel{{}, 1, false};
    parts.last_value = 0;
    parts.tolerance = Tolerance::fixed(1);
    // How large the noise is, and whether rounds end under it, only the data can tell.
    if (!parts.noise.base_noise) parts.noise.base_noise = 0;
    if (!parts.noise.first_gap) parts.noise.first_gap = 1;
    parts.noise.force = true;
    make_learner(text, std::move(parts));
}

}  // namespace proxstream
