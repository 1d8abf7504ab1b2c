/// One run of `route`: splits are chosen, demand comes, everybody is measured on it and learns from it; at
/// the end a certificate, a table of all methods, and whatever the settings want written.
#pragma once

#include "proxstream/route/alarms.hpp"
#include "proxstream/route/contest.hpp"
#include "proxstream/route/epochs.hpp"
#include "proxstream/route/path_keeper.hpp"
#include "proxstream/route/report_data.hpp"
#include "proxstream/route/route_rows.hpp"
#include "proxstream/route/scenario.hpp"
#include "proxstream/route/strategy.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace proxstream {

/// Where a run stands, for whoever shows it.
struct RouteProgress {
    Index periods = 0;  // announced so far, held ones included
    Index held = 0;
    const PeriodRow* last = nullptr;
    Real floor_cost = kNotKnown;  // of the last period
    std::span<const Alarm> raised, cleared;
};

struct RouteOutcome {
    Index periods = 0;
    Index held = 0;
    Index refused = 0;  // periods the learner could not use: a loss of its window was not finite
    RunEnding ending = RunEnding::finished;
    std::vector<MethodRow> methods;  // the lead first, the floor last
    std::vector<Certificate> certificates;
    std::vector<std::string> problems;  // each in a sentence
    bool data_error = false;
    bool io_error = false;
    Index alarms = 0;
    Index events = 0;
    Index paths_added = 0;
    Real busiest_decision = 0;  // seconds
    double seconds = 0;         // of the whole loop
};

class RouteRun {
  public:
    /// Opens everything; nothing has been played.
    RouteRun(const RouteSettings& settings, StopFlag stop, std::string version, std::string command);
    ~RouteRun();

    const Scenario& scenario() const noexcept { return scenario_; }
    /// To the end of the demand, a stop request, or the first thing that cannot be ignored. Whatever happens,
    /// what was written is whole and the certificate covers what was played.
    RouteOutcome run(const std::function<void(const RouteProgress&)>& on_period);
    /// The reference step, once the first demand is there.
    Real step() const noexcept { return parts_.step; }

  private:
    struct Outputs;
    struct Series;

    bool play(DemandPeriod& period, RouteOutcome& outcome, RouteProgress& progress);
    void decide(RouteOutcome& outcome);
    void begin(const DemandPeriod& first);
    void end_epoch(RunEnding ending);
    void revise(RouteOutcome& outcome);
    void hold(const DemandPeriod& period, const std::string& problem, RouteOutcome& outcome,
              RouteProgress& progress);
    void learn(RouteOutcome& outcome);
    void watch(const DemandPeriod& period, std::string_view problem);
    void search_paths(RouteOutcome& outcome);
    void finish(RouteOutcome& outcome);
    void check_reachable(const DemandPeriod& period) const;
    void measure(const DemandPeriod& period);
    void fill_report(const RouteOutcome& outcome);
    void guarded(RouteOutcome& outcome, const std::function<void()>& write);

    RouteSettings settings_;
    StopFlag stop_;
    std::string version_, command_;
    Scenario scenario_;
    PathKeeper keeper_;
    StrategyParts parts_;
    std::unique_ptr<RowLearner> lead_;  // made when the first demand is there
    std::unique_ptr<Epochs> epochs_;
    Contest contest_;
    std::vector<Real> played_;  // splits of the period that comes or is played, and of the one before
    std::vector<Real> before_;
    MethodSums lead_sums_;
    AlarmDesk alarms_;
    std::unique_ptr<Outputs> outputs_;
    std::unique_ptr<Series> series_;  // for the report
    LinkFigures links_;
    PeriodRow row_;
    Index epoch_ = 1;
    double lead_seconds_ = 0;
    RowBlock record_;
    Scratch scratch_;
    ColumnPricer pricer_;
    DemandBatch recent_;  // for the search of paths
};

}  // namespace proxstream
