/// Drives one method to a target gap or to the end of its budget. A referee measures it on the way and trusts
/// nothing that the method reports.
#pragma once

#include "proxstream/core/stop_flag.hpp"
#include "proxstream/offline/fit_status.hpp"

#include "offline/measured_point.hpp"
#include "offline/method_table.hpp"
#include "offline/random_index.hpp"

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
    // Of the method's own samples and time; what measuring costs is counted apart.
    Real passes = kInfinity;  // base samples / n; of an expectation, base samples / 1000
    double seconds = std::numeric_limits<double>::infinity();
    std::uint64_t iterations = ~std::uint64_t{0};
    bool all_budgets = false;  // a run goes on until all of those that are given are used up
    /// Passes from one measurement to the next; 0: at first every pass, later every tenth of those so far.
    /// Methods that know f's gradient anyway are measured in every iteration.
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
    std::string note;  // what else there is to say of how it ended
    MeasuredPoint start, last;
    MeasuredPoint best;                   // smallest gap among those measured on the way, tested anew
    std::optional<MeasuredPoint> random;  // t*, where the method's theory asks for it
    Cost cost;                            // the method's
    Cost referee_cost;                    // of measuring
    double seconds = 0;                   // the method's
    double referee_seconds = 0;
    std::optional<Real> certified_decrease;
    std::optional<MethodPromise> promise;
    std::vector<MethodParameter> parameters;
    std::vector<TracePoint> trace;
};

/// One run of a method, iteration by iteration, so that it can be watched, stopped, saved and resumed.
class FitRun {
  public:
    /// The problem has to outlive it. Throws ConfigError.
    FitRun(const OfflineProblem& problem, OfflineOptions options);

    /// Called with every line of the trace.
    using OnMeasure = std::function<void(const TracePoint&)>;

    /// One iteration; the first call measures the start. False: the run has ended.
    bool step(const OnMeasure& on_measure = {});
    /// Everything so far; a run that has not ended counts as interrupted. Measures, but changes nothing of
    /// what follows.
    OfflineResult result();
    /// To the end, or until `stop` is raised.
    OfflineResult run(StopFlag stop = nullptr, const OnMeasure& on_measure = {});

    const OfflineMethod& method() const { return *method_; }
    /// The state between two iterations.
    void serialise(StateArchive& archive);

  private:
    /// A measurement that is made only because a run stops, and what it took.
    struct ClosingLook {
        MeasuredPoint point;
        Cost cost;
        double seconds = 0;
    };

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
    std::optional<ClosingLook> closing_;
    Scratch scratch_;
};

/// Base samples of one pass: n, or 1000 of an expectation.
std::uint64_t pass_samples(const SampledLoss& loss);

}  // namespace proxstream
