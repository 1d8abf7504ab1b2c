/// Runs one method to a target gap or to the end of its budget. A referee measures it independently.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/stop_flag.hpp"
#include "proxstream/offline/fit_status.hpp"

#include "offline/measured_point.hpp"
#include "offline/method_table.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct OfflineOptions {
    std::string method = "panoc";
    Real epsilon = 0;  // stop when |P| <= epsilon was measured; 0: never
    // Budgets of the method; measurements are not counted.
    Real passes = kInfinity;  // base samples / n; of an expectation, base samples / 1000
    double seconds = std::numeric_limits<double>::infinity();
    std::uint64_t iterations = ~std::uint64_t{0};
    bool all_budgets = false;  // run until all given budgets are used up
    /// Passes between measurements; 0: first every pass, later every tenth of the passes so far. Methods that
    /// know f's gradient are measured in every iteration.
    Real measure_every = 0;
    TestOptions test = {};  // of expectations
    Real step_scale = 1;
    std::uint64_t seed = 1;
};

struct TracePoint {
    std::uint64_t iteration = 0;
    std::uint64_t base_samples = 0;
    double seconds = 0;
    Real objective = 0;  // F
    Real gap = 0;        // |P| at the reference step
    Real gap_error = 0;
    Index nonzeros = 0;
    Real step = 0;
};

struct OfflineResult {
    FitStatus status = FitStatus::budget_exhausted;
    std::uint64_t iterations = 0;
    std::string note;  // further remarks on the end
    MeasuredPoint start, last;
    MeasuredPoint best;                   // smallest measured gap, tested again
    std::optional<MeasuredPoint> random;  // t*, if the theory of the method uses it
    Cost cost;                            // the method's
    Cost referee_cost;                    // of measuring
    double seconds = 0;                   // the method's
    double referee_seconds = 0;
    std::optional<Real> certified_decrease;
    std::optional<MethodPromise> promise;
    std::vector<MethodParameter> parameters;
    std::vector<TracePoint> trace;
};

/// Draws t* uniformly from the points of a run, without knowing their number: the k-th candidate replaces the
/// current one with probability 1/k.
class RandomIndex {
  public:
    explicit RandomIndex(std::uint64_t seed) : seed_(seed) {}

    void offer(ConstView x, std::uint64_t iteration) {
        const Draw draw{.seed = seed_, .round = 0, .record = kIndexDraws, .step = 0, .sample = offered_};
        ++offered_;
        if (uniform_below(draw, offered_) != 0) return;
        x_.assign(x.begin(), x.end());
        iteration_ = iteration;
    }
    bool any() const { return offered_ > 0; }
    ConstView point() const { return x_; }
    std::uint64_t iteration() const { return iteration_; }

    void serialise(StateArchive& archive) {
        archive.fields(Field{"offered", offered_}, Field{"x", x_}, Field{"iteration", iteration_});
    }

  private:
    static constexpr std::uint32_t kIndexDraws = 64;  // purpose of these draws

    std::uint64_t seed_;
    std::uint64_t offered_ = 0;
    std::vector<Real> x_;
    std::uint64_t iteration_ = 0;
};

/// A measurement that is made only because a run stops, with its cost.
struct ClosingMeasurement {
    MeasuredPoint point;
    Cost cost;
    double seconds = 0;
};

/// One run of a method, iteration by iteration, which can be stopped, saved and resumed.
class FitRun {
  public:
    /// The problem has to outlive it. Throws ConfigError.
    FitRun(const OfflineProblem& problem, OfflineOptions options);

    /// Called with every line of the trace.
    using OnMeasure = std::function<void(const TracePoint&)>;

    /// One iteration; the first call measures the start. False: the run has ended.
    bool step(const OnMeasure& on_measure = {});
    /// The result so far; a run that has not ended counts as interrupted. Measures, without an effect on
    /// later iterations.
    OfflineResult result();
    /// To the end, or until `stop` is raised.
    OfflineResult run(StopFlag stop = nullptr, const OnMeasure& on_measure = {});

    const OfflineMethod& method() const { return *method_; }
    /// The state between two iterations.
    void serialise(StateArchive& archive);

  private:
    void begin(const OnMeasure& on_measure);
    void iterate();
    void note(const MeasuredPoint& point, const OnMeasure& on_measure);
    bool close();
    void end(FitStatus status);
    void end_at(Real gap);
    void end_with_method();
    MeasuredPoint test(ConstView x, std::uint64_t iteration, std::uint64_t number, Cost& to, double& time);
    MeasuredPoint look(std::uint64_t number, Cost& to, double& time);
    TracePoint line(const MeasuredPoint& point) const;
    Real pass() const;
    bool out_of_reach() const;
    bool out_of_budget() const;
    bool worth_keeping() const;
    void plan_next();

    const OfflineProblem& problem_;
    OfflineOptions options_;
    const OfflineMethodRow& row_;
    std::unique_ptr<OfflineMethod> method_;
    OfflineResult so_far_;
    std::uint64_t tests_ = 0;
    std::uint64_t next_measure_ = 0;  // base samples from which on the next one is due
    bool begun_ = false;
    bool ended_ = false;
    StepStatus last_step_ = StepStatus::moved;
    RandomIndex random_;
    std::optional<ClosingMeasurement> closing_;
    Scratch scratch_;
};

/// Base samples of one pass: n, or 1000 of an expectation.
std::uint64_t pass_samples(const SampledLoss& loss);

}  // namespace proxstream
