#include "offline/fit.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "core/stopwatch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// Base samples that count as a pass of an expectation, which has none of its own.
constexpr std::uint64_t kExpectationPass = 1000;
/// By default the referee measures again after the method has spent the cost of a test, and this share of its
/// total cost.
constexpr Real kRefereeShare = 0.1;
/// From this iteration on, the trace keeps free measurements only at geometric distances.
constexpr std::uint64_t kDenseTrace = 1000;
constexpr Real kTraceGrowth = 1.005;
/// Number of the first closing test. Closing tests have numbers of their own, so that they do not affect
/// later ones.
constexpr std::uint64_t kFinalTests = std::uint64_t{1} << 32U;
/// Without a budget of samples, a larger iteration could not be stopped in time.
constexpr Real kMostAtOnce = 1e8;

void serialise_cost(StateArchive& archive, Cost& cost) {
    archive.fields(Field{"base samples", cost.base_samples}, Field{"calls", cost.oracle_calls},
                   Field{"passes", cost.passes}, Field{"prox", cost.prox});
}

void serialise_point(StateArchive& archive, MeasuredPoint& point) {
    archive.fields(Field{"x", point.x}, Field{"iteration", point.iteration}, Field{"loss", point.loss},
                   Field{"regulariser", point.regulariser}, Field{"gap", point.gap},
                   Field{"gap error", point.gap_error}, Field{"gap rounding", point.gap_rounding},
                   Field{"loss error", point.loss_error}, Field{"nonzeros", point.nonzeros});
}

void serialise_trace(StateArchive& archive, std::vector<TracePoint>& trace) {
    Index count = trace.size();
    archive.field("measurements", count, std::uint64_t{1} << 32U);
    if (archive.reading()) trace.assign(count, {});
    for (TracePoint& each : trace) {
        archive.fields(Field{"iteration", each.iteration}, Field{"base samples", each.base_samples},
                       Field{"seconds", each.seconds}, Field{"objective", each.objective},
                       Field{"gap", each.gap}, Field{"gap error", each.gap_error},
                       Field{"nonzeros", each.nonzeros}, Field{"step", each.step});
    }
}

bool finite(const MeasuredPoint& point) {
    return std::isfinite(point.objective()) && std::isfinite(point.gap);
}

}  // namespace

std::string_view name(FitStatus status) {
    constexpr std::array<std::string_view, 6> kNames{"converged", "finished",   "budget_exhausted",
                                                     "stalled",   "not_finite", "interrupted"};
    return kNames[static_cast<std::size_t>(status)];
}

std::uint64_t pass_samples(const SampledLoss& loss) {
    return loss.components() > 0 ? loss.components() : kExpectationPass;
}

FitRun::FitRun(const OfflineProblem& problem, OfflineOptions options)
    : problem_(problem),
      options_(std::move(options)),
      row_(method_row(options_.method)),
      method_(make_method(options_.method, {.problem = problem,
                                            .epsilon = options_.epsilon,
                                            .step_scale = options_.step_scale,
                                            .seed = options_.seed})),
      random_(options_.seed) {
    so_far_.status = FitStatus::interrupted;
}

Real FitRun::pass() const {
    return static_cast<Real>(pass_samples(*problem_.loss));
}

/// Tests a point with samples that nothing else uses.
MeasuredPoint FitRun::test(ConstView x, std::uint64_t iteration, std::uint64_t number, Cost& to,
                           double& time) {
    const Stopwatch watch(time);
    MeasuredPoint point = measure(problem_, x, options_.test, {number, options_.seed}, to, scratch_);
    point.iteration = iteration;
    return point;
}

/// Measures the current point; free if the method knows f there.
MeasuredPoint FitRun::look(std::uint64_t number, Cost& to, double& time) {
    const std::optional<OfflineMethod::Exact> known = method_->exact();
    if (!known) return test(method_->point(), so_far_.iterations, number, to, time);
    const Stopwatch watch(time);
    MeasuredPoint point = measure_known(problem_, method_->point(), known->value, known->gradient, scratch_);
    point.iteration = so_far_.iterations;
    return point;
}

void FitRun::plan_next() {
    const auto spent = static_cast<Real>(so_far_.cost.base_samples);
    const Real test = problem_.loss->knows_f() ? pass() : static_cast<Real>(options_.test.samples);
    const Real gap =
        options_.measure_every > 0 ? options_.measure_every * pass() : std::max(test, kRefereeShare * spent);
    next_measure_ = so_far_.cost.base_samples + static_cast<std::uint64_t>(std::ceil(gap));
}

/// Whether one iteration would exceed the whole budget: the accuracy is out of reach.
bool FitRun::out_of_reach() const {
    const Real most = options_.passes < kInfinity ? options_.passes * pass() : kMostAtOnce;
    return static_cast<Real>(method_->largest_batch()) > std::max(pass(), most);
}

bool FitRun::out_of_budget() const {
    const Cost& cost = so_far_.cost;
    // An expectation in closed form has no samples to count, so an evaluation is a pass.
    const Real passes = problem_.loss->components() > 0 ? 0 : static_cast<Real>(cost.passes);
    const bool samples_gone = static_cast<Real>(cost.base_samples) / pass() + passes >= options_.passes;
    const bool time_gone = so_far_.seconds >= options_.seconds;
    if (so_far_.iterations >= options_.iterations || out_of_reach()) return true;
    if (!options_.all_budgets) return samples_gone || time_gone;
    return (samples_gone || options_.passes == kInfinity) && (time_gone || options_.seconds == kInfinity) &&
           (samples_gone || time_gone);
}

void FitRun::end(FitStatus status) {
    ended_ = true;
    so_far_.status = status;
}

void FitRun::end_at(Real gap) {
    if (options_.epsilon > 0 && gap <= options_.epsilon) end(FitStatus::converged);
}

void FitRun::end_with_method() {
    if (last_step_ == StepStatus::not_finite) end(FitStatus::not_finite);
    if (last_step_ == StepStatus::stalled) end(FitStatus::stalled);
    if (last_step_ == StepStatus::finished) end(FitStatus::finished);
}

/// Whether the trace keeps a free measurement.
bool FitRun::worth_keeping() const {
    if (so_far_.trace.empty() || so_far_.iterations < kDenseTrace) return true;
    return static_cast<Real>(so_far_.iterations) >=
           kTraceGrowth * static_cast<Real>(so_far_.trace.back().iteration);
}

TracePoint FitRun::line(const MeasuredPoint& point) const {
    return {.iteration = so_far_.iterations,
            .base_samples = so_far_.cost.base_samples,
            .seconds = so_far_.seconds,
            .objective = point.objective(),
            .gap = point.gap,
            .gap_error = point.gap_error,
            .nonzeros = point.nonzeros,
            .step = method_->step()};
}

/// Records a measurement, which may end the run.
void FitRun::note(const MeasuredPoint& point, const OnMeasure& on_measure) {
    if (!finite(point)) {
        end(FitStatus::not_finite);
    } else {
        if (so_far_.best.x.empty() || point.gap < so_far_.best.gap) so_far_.best = point;
        end_at(point.gap_high());
    }
    if (!method_->exact() || worth_keeping()) {
        so_far_.trace.push_back(line(point));
        if (on_measure) on_measure(so_far_.trace.back());
    }
    plan_next();
}

/// Measures the current point, unless the trace ends there. Returns whether it did. The measurement is needed
/// only for a stop, so it is not part of the state.
bool FitRun::close() {
    if (closing_ || so_far_.trace.back().iteration == so_far_.iterations) return false;
    closing_.emplace();
    closing_->point = look(kFinalTests, closing_->cost, closing_->seconds);
    if (ended_ && !finite(closing_->point)) {
        so_far_.status = FitStatus::not_finite;
    } else if (ended_) {
        end_at(closing_->point.gap_high());
    }
    return true;
}

/// Measures the start, or detects that a restored state has already converged.
void FitRun::begin(const OnMeasure& on_measure) {
    begun_ = true;
    if (so_far_.trace.empty()) {
        so_far_.start = test(problem_.start, 0, tests_++, so_far_.referee_cost, so_far_.referee_seconds);
        if (!finite(so_far_.start))
            throw ConfigError(
                "start: the objective or its gradient is not finite there; scale the columns or the label");
        note(so_far_.start, on_measure);
    } else if (const TracePoint& last = so_far_.trace.back(); last.iteration == so_far_.iterations) {
        end_at(last.gap + last.gap_error);
    } else if (so_far_.best.iteration == so_far_.iterations) {
        end_at(so_far_.best.gap_high());
    }
}

void FitRun::iterate() {
    closing_.reset();
    {
        const Stopwatch watch(so_far_.seconds);
        if (row_.random_index && method_->candidate()) random_.offer(method_->point(), so_far_.iterations);
        last_step_ = method_->advance(so_far_.cost);
    }
    if (last_step_ == StepStatus::moved || last_step_ == StepStatus::finished) ++so_far_.iterations;
    // The last point of a method that has ended is a candidate too.
    if (last_step_ == StepStatus::finished && row_.random_index && method_->candidate())
        random_.offer(method_->point(), so_far_.iterations);
    end_with_method();
}

bool FitRun::step(const OnMeasure& on_measure) {
    if (!begun_) {
        begin(on_measure);
        return !ended_;
    }
    if (ended_) return false;
    if (out_of_budget()) {
        end(FitStatus::budget_exhausted);
    } else {
        iterate();
    }
    const bool free = method_->exact().has_value();
    if (!ended_ && (free || so_far_.cost.base_samples >= next_measure_)) {
        const std::uint64_t number = free ? tests_ : tests_++;
        note(look(number, so_far_.referee_cost, so_far_.referee_seconds), on_measure);
    }
    if (ended_ && close() && on_measure) on_measure(line(closing_->point));
    return !ended_;
}

OfflineResult FitRun::result() {
    if (!begun_) begin({});
    close();
    OfflineResult all = so_far_;
    if (out_of_reach()) {
        all.note =
            "an iteration would take " + std::to_string(method_->largest_batch()) +
            " base samples, more than " +
            (options_.passes < kInfinity ? "the whole budget" : "can be stopped in time; give --passes");
    }
    // The referee measures the figures of the certificate itself.
    std::uint64_t number = kFinalTests + 1;
    const auto final_test = [&](ConstView x, std::uint64_t iteration) {
        return test(x, iteration, number++, all.referee_cost, all.referee_seconds);
    };
    all.last = final_test(method_->point(), all.iterations);
    const bool ends_best = closing_ && closing_->point.gap < so_far_.best.gap && finite(closing_->point);
    const MeasuredPoint& chosen = ends_best ? closing_->point : so_far_.best;
    all.best = final_test(chosen.x, chosen.iteration);
    if (random_.any()) all.random = final_test(random_.point(), random_.iteration());
    all.certified_decrease = method_->certified_decrease();
    all.promise = method_->promise();
    all.parameters = method_->parameters();
    if (closing_) {
        all.trace.push_back(line(closing_->point));
        all.referee_cost += closing_->cost;
        all.referee_seconds += closing_->seconds;
    }
    return all;
}

OfflineResult FitRun::run(StopFlag stop, const OnMeasure& on_measure) {
    while (!(stop != nullptr && *stop) && step(on_measure)) {
    }
    return result();
}

void FitRun::serialise(StateArchive& archive) {
    std::string method = options_.method;
    archive.field("name of the method", method);
    archive.require(method == options_.method, "a state of the same method");
    archive.fields(Field{"method", *method_}, Field{"iterations", so_far_.iterations}, Field{"tests", tests_},
                   Field{"next measurement", next_measure_});
    // An end by the method is state; budgets and epsilon may differ after a restore.
    auto last = static_cast<std::uint64_t>(last_step_);
    archive.field("last step", last, static_cast<std::uint64_t>(StepStatus::not_finite));
    last_step_ = static_cast<StepStatus>(last);
    if (archive.reading()) end_with_method();
    serialise_cost(archive, so_far_.cost);
    serialise_cost(archive, so_far_.referee_cost);
    archive.fields(Field{"seconds", so_far_.seconds}, Field{"referee's seconds", so_far_.referee_seconds},
                   Field{"random index", random_});
    serialise_point(archive, so_far_.start);
    serialise_point(archive, so_far_.best);
    serialise_trace(archive, so_far_.trace);
}

}  // namespace proxstream
