#include "offline/fit.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "core/stopwatch.hpp"
#include "offline/random_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// Base samples that count as a pass of an expectation, which has none of its own.
constexpr std::uint64_t kExpectationPass = 1000;
/// Left to itself a referee measures again when the method has spent as much as a test costs, and this share
/// of all it has spent so far.
constexpr Real kRefereeShare = 0.1;
/// From this iteration on only every so much later one is kept of those that are measured for nothing.
constexpr std::uint64_t kDenseTrace = 1000;
constexpr Real kTraceGrowth = 1.005;
/// Tests that end a run have numbers of their own: they change nothing of what is to come. As many tests of
/// 2^30 samples each can be numbered before one meets another's draws.
constexpr std::uint64_t kFinalTests = std::uint64_t{1} << 32U;
/// Samples of one iteration beyond which a run without a budget of samples could no more be stopped.
constexpr Real kMostAtOnce = 1e8;

void exchange_cost(Checkpoint& checkpoint, Cost& cost) {
    checkpoint.exchange("base samples", cost.base_samples);
    checkpoint.exchange("calls", cost.oracle_calls);
    checkpoint.exchange("passes", cost.passes);
    checkpoint.exchange("prox", cost.prox);
}

void exchange_point(Checkpoint& checkpoint, MeasuredPoint& point) {
    checkpoint.list("x", point.x);
    checkpoint.exchange("iteration", point.iteration);
    checkpoint.exchange("loss", point.loss);
    checkpoint.exchange("regulariser", point.regulariser);
    checkpoint.exchange("residual", point.residual);
    checkpoint.exchange("residual error", point.residual_error);
    checkpoint.exchange("residual rounding", point.residual_rounding);
    checkpoint.exchange("loss error", point.loss_error);
    checkpoint.exchange("nonzeros", point.nonzeros);
}

void exchange_trace(Checkpoint& checkpoint, std::vector<TracePoint>& trace) {
    Index count = trace.size();
    checkpoint.exchange("measurements", count, std::uint64_t{1} << 32U);
    if (checkpoint.reading()) trace.assign(count, {});
    for (TracePoint& each : trace) {
        checkpoint.exchange("iteration", each.iteration);
        checkpoint.exchange("base samples", each.base_samples);
        checkpoint.exchange("seconds", each.seconds);
        checkpoint.exchange("objective", each.objective);
        checkpoint.exchange("residual", each.residual);
        checkpoint.exchange("residual error", each.residual_error);
        checkpoint.exchange("nonzeros", each.nonzeros);
        checkpoint.exchange("step", each.step);
    }
}

bool finite(const MeasuredPoint& point) {
    return std::isfinite(point.objective()) && std::isfinite(point.residual);
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

/// A measurement that is made only because a run stops, and what it took.
struct ClosingLook {
    MeasuredPoint point;
    Cost cost;
    double seconds = 0;
};

struct FitRun::State {
    State(const OfflineProblem& given, OfflineOptions wanted)
        : problem(given),
          options(std::move(wanted)),
          row(method_row(options.method)),
          method(make_method(options.method, {.problem = given,
                                              .epsilon = options.epsilon,
                                              .step_scale = options.step_scale,
                                              .seed = options.seed})),
          random(options.seed) {}

    const OfflineProblem& problem;
    OfflineOptions options;
    const OfflineMethodRow& row;
    std::unique_ptr<OfflineMethod> method;

    std::uint64_t iterations = 0;
    std::uint64_t tests = 0;
    std::uint64_t next_measure = 0;  // base samples from which on the next one is due
    bool begun = false;
    bool ended = false;
    FitStatus ending = FitStatus::interrupted;
    StepStatus last_step = StepStatus::moved;
    Cost cost, referee_cost;
    double seconds = 0, referee_seconds = 0;
    RandomIndex random;
    MeasuredPoint start, best;
    std::vector<TracePoint> trace;
    std::optional<ClosingLook> closing;
    Scratch scratch;

    /// A point tested by samples that nothing else is chosen with.
    MeasuredPoint test(ConstView x, std::uint64_t iteration, std::uint64_t number, Cost& to, double& time) {
        const Stopwatch watch(time);
        MeasuredPoint point = measure(problem, x, number, options.test, options.seed, to, scratch);
        point.iteration = iteration;
        return point;
    }
    /// The point where the method stands: free where it knows f there.
    MeasuredPoint look(std::uint64_t number, Cost& to, double& time) {
        const std::optional<OfflineMethod::Exact> known = method->exact();
        if (!known) return test(method->point(), iterations, number, to, time);
        const Stopwatch watch(time);
        MeasuredPoint point = measure_known(problem, method->point(), known->value, known->gradient, scratch);
        point.iteration = iterations;
        return point;
    }
    MeasuredPoint look() {
        const std::uint64_t number = method->exact() ? tests : tests++;
        return look(number, referee_cost, referee_seconds);
    }
    bool due() const { return method->exact().has_value() || cost.base_samples >= next_measure; }
    void plan_next() {
        const auto pass = static_cast<Real>(pass_samples(*problem.loss));
        const auto spent = static_cast<Real>(cost.base_samples);
        const Real test = problem.loss->knows_f() ? pass : static_cast<Real>(options.test.samples);
        const Real gap =
            options.measure_every > 0 ? options.measure_every * pass : std::max(test, kRefereeShare * spent);
        next_measure = cost.base_samples + static_cast<std::uint64_t>(std::ceil(gap));
    }
    /// One iteration would take more than was given for all: an accuracy out of reach, not one to wait for.
    bool out_of_reach() const {
        const auto pass = static_cast<Real>(pass_samples(*problem.loss));
        const Real most = options.passes < kInfinity ? options.passes * pass : kMostAtOnce;
        return static_cast<Real>(method->largest_batch()) > std::max(pass, most);
    }
    bool out_of_budget() const {
        const auto pass = static_cast<Real>(pass_samples(*problem.loss));
        // An expectation in closed form has no samples to count: an evaluation of it is a pass.
        const Real passes = problem.loss->components() > 0 ? 0 : static_cast<Real>(cost.passes);
        const bool samples_gone = static_cast<Real>(cost.base_samples) / pass + passes >= options.passes;
        const bool time_gone = seconds >= options.seconds;
        if (iterations >= options.iterations || out_of_reach()) return true;
        if (!options.all_budgets) return samples_gone || time_gone;
        return (samples_gone || options.passes == kInfinity) && (time_gone || options.seconds == kInfinity) &&
               (samples_gone || time_gone);
    }
    void end(FitStatus status) {
        ended = true;
        ending = status;
    }

    /// Whether a measurement that costs nothing is worth a line.
    bool worth_keeping() const {
        if (trace.empty() || iterations < kDenseTrace) return true;
        return static_cast<Real>(iterations) >= kTraceGrowth * static_cast<Real>(trace.back().iteration);
    }
    /// Takes a measurement in; the run may end with it. True: it has a new line in the trace.
    bool note(const MeasuredPoint& point) {
        if (finite(point) && (best.x.empty() || point.residual < best.residual)) best = point;
        if (!finite(point)) {
            end(FitStatus::not_finite);
        } else {
            test_end(point.residual_high());
        }
        if (method->exact() && !worth_keeping()) return false;
        trace.push_back(line(point));
        return true;
    }
    TracePoint line(const MeasuredPoint& point) const {
        return {.iteration = iterations,
                .base_samples = cost.base_samples,
                .seconds = seconds,
                .objective = point.objective(),
                .residual = point.residual,
                .residual_error = point.residual_error,
                .nonzeros = point.nonzeros,
                .step = method->step()};
    }
    /// Measures where the run stands, unless the trace ends there: true if so. Without that stop nobody would
    /// have measured here, so nothing of it becomes state.
    bool close() {
        if (closing || trace.back().iteration == iterations) return false;
        closing.emplace();
        closing->point = look(kFinalTests, closing->cost, closing->seconds);
        if (ended && !finite(closing->point)) {
            ending = FitStatus::not_finite;
        } else if (ended) {
            test_end(closing->point.residual_high());
        }
        return true;
    }
    void test_end(Real residual) {
        if (options.epsilon > 0 && residual <= options.epsilon) end(FitStatus::converged);
    }

    void step() {
        closing.reset();
        {
            const Stopwatch watch(seconds);
            if (row.random_index && method->candidate()) random.offer(method->point(), iterations);
            last_step = method->advance(cost);
        }
        if (last_step == StepStatus::moved || last_step == StepStatus::finished) ++iterations;
        // A method that has ended stands on a point it will not step from.
        if (last_step == StepStatus::finished && row.random_index && method->candidate())
            random.offer(method->point(), iterations);
        end_with_method();
    }
    void end_with_method() {
        if (last_step == StepStatus::not_finite) end(FitStatus::not_finite);
        if (last_step == StepStatus::stalled) end(FitStatus::stalled);
        if (last_step == StepStatus::finished) end(FitStatus::finished);
    }

    OfflineResult result(FitStatus status) {
        close();
        OfflineResult all;
        all.status = status;
        all.iterations = iterations;
        if (out_of_reach()) {
            all.note =
                "an iteration would take " + std::to_string(method->largest_batch()) +
                " base samples, more than " +
                (options.passes < kInfinity ? "the whole budget" : "can be stopped in time; give --passes");
        }
        all.cost = cost;
        all.referee_cost = referee_cost;
        all.seconds = seconds;
        all.referee_seconds = referee_seconds;
        all.start = start;
        // The certificate's figures: measured by the referee itself, whatever the method said on the way.
        std::uint64_t number = kFinalTests + 1;
        const auto final_test = [&](ConstView x, std::uint64_t iteration) {
            return test(x, iteration, number++, all.referee_cost, all.referee_seconds);
        };
        all.last = final_test(method->point(), iterations);
        const bool ends_best = closing && closing->point.residual < best.residual && finite(closing->point);
        const MeasuredPoint& chosen = ends_best ? closing->point : best;
        all.best = final_test(chosen.x, chosen.iteration);
        if (random.any()) all.random = final_test(random.point(), random.iteration());
        all.certified_decrease = method->certified_decrease();
        all.promise = method->promise();
        all.parameters = method->parameters();
        all.trace = trace;
        if (closing) {
            all.trace.push_back(line(closing->point));
            all.referee_cost += closing->cost;
            all.referee_seconds += closing->seconds;
        }
        return all;
    }

    /// Ends that the method itself has come to are state; budgets and epsilon may be others another day.
    void exchange_last_step(Checkpoint& checkpoint) {
        auto number = static_cast<std::uint64_t>(last_step);
        checkpoint.exchange("last step", number, static_cast<std::uint64_t>(StepStatus::not_finite));
        last_step = static_cast<StepStatus>(number);
        if (checkpoint.reading()) end_with_method();
    }
};

FitRun::FitRun(const OfflineProblem& problem, OfflineOptions options)
    : state_(std::make_unique<State>(problem, std::move(options))) {}

FitRun::~FitRun() = default;

const OfflineMethod& FitRun::method() const {
    return *state_->method;
}

/// Measures the start, or sees that a state that was gone back to has already arrived.
void FitRun::begin(const OnMeasure& on_measure) {
    State& s = *state_;
    s.begun = true;
    if (s.trace.empty()) {
        s.start = s.test(s.problem.start, 0, s.tests++, s.referee_cost, s.referee_seconds);
        if (!finite(s.start)) throw ConfigError("start: the objective or its gradient is not finite there");
        note(s.start, on_measure);
    } else if (s.trace.back().iteration == s.iterations) {
        s.test_end(s.trace.back().residual + s.trace.back().residual_error);
    } else if (s.best.iteration == s.iterations) {
        s.test_end(s.best.residual_high());
    }
}

void FitRun::note(const MeasuredPoint& point, const OnMeasure& on_measure) {
    if (state_->note(point) && on_measure) on_measure(state_->trace.back());
    state_->plan_next();
}

bool FitRun::step(const OnMeasure& on_measure) {
    State& s = *state_;
    if (!s.begun) {
        begin(on_measure);
        return !s.ended;
    }
    if (s.ended) return false;
    if (s.out_of_budget()) {
        s.end(FitStatus::budget_exhausted);
    } else {
        s.step();
    }
    if (!s.ended && s.due()) note(s.look(), on_measure);
    if (s.ended && s.close() && on_measure) on_measure(s.line(s.closing->point));
    return !s.ended;
}

OfflineResult FitRun::result() {
    State& s = *state_;
    if (!s.begun) begin({});
    return s.result(s.ended ? s.ending : FitStatus::interrupted);
}

OfflineResult FitRun::run(StopFlag stop, const OnMeasure& on_measure) {
    while (!(stop != nullptr && *stop) && step(on_measure)) {
    }
    return result();
}

void FitRun::exchange(Checkpoint& checkpoint) {
    State& s = *state_;
    std::string method = s.options.method;
    checkpoint.exchange("name of the method", method);
    checkpoint.require(method == s.options.method, "a state of the same method");
    checkpoint.part("method", *s.method);
    checkpoint.exchange("iterations", s.iterations);
    checkpoint.exchange("tests", s.tests);
    checkpoint.exchange("next measurement", s.next_measure);
    s.exchange_last_step(checkpoint);
    exchange_cost(checkpoint, s.cost);
    exchange_cost(checkpoint, s.referee_cost);
    checkpoint.exchange("seconds", s.seconds);
    checkpoint.exchange("referee's seconds", s.referee_seconds);
    checkpoint.part("random index", s.random);
    exchange_point(checkpoint, s.start);
    exchange_point(checkpoint, s.best);
    exchange_trace(checkpoint, s.trace);
}

}  // namespace proxstream
