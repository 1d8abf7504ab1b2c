/// One run of `route`: chooses splits, receives demand, measures all methods on it and lets them learn from
/// it. At the end it writes a certificate, a table of all methods, and the outputs of the settings.
#pragma once

#include "route/alarms.hpp"
#include "route/comparison.hpp"
#include "route/decision_log.hpp"
#include "route/epochs.hpp"
#include "route/report_series.hpp"
#include "route/route_files.hpp"
#include "route/scenario.hpp"
#include "run/input_mark.hpp"
#include "run/run_driver.hpp"
#include "traffic/path_keeper.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// The last turn, as progress tables show it.
struct RouteProgress {
    Index periods = 0;  // so far, including held ones
    Index held = 0;
    const PeriodRow* last = nullptr;    // null: the turn had only events
    Real lower_bound_cost = kNotKnown;  // of the last period
    std::span<const Alarm> raised = {}, cleared = {};
};

struct RouteOutcome : RunOutcome {
    Index periods = 0;
    Index held = 0;
    std::vector<MethodRow> methods;  // the primary method first, the clairvoyant last
    std::vector<Certificate> certificates;
    Index alarms = 0;
    Index events = 0;
    Index paths_added = 0;
    Real busiest_decision = 0;  // seconds
};

class RouteRun final : public TurnRun {
  public:
    /// Opens the inputs.
    explicit RouteRun(const RouteSettings& settings, StopFlag stop = nullptr, RunOrigin origin = {});
    /// Uses a scenario whose stream the caller feeds. On resume, records are not read again.
    RouteRun(const RouteSettings& settings, Scenario scenario, RunOrigin origin);

    const Scenario& scenario() const noexcept { return scenario_; }
    /// The reference step, after the first period with demand.
    Real step() const noexcept { return parts_.step; }
    Turn turns() const noexcept { return input_.mark.records; }
    const RouteProgress& progress() const noexcept { return last_.progress; }
    const RouteOutcome& totals() const noexcept { return outcome_; }
    /// All methods as of the last turn: the primary method first, the clairvoyant last.
    std::vector<MethodRow> methods() const;
    /// Splits for the next period, as DecisionLog writes them.
    std::string next_decision() const;
    ConstView splits() const noexcept { return splits_.now; }
    const std::string& label() const noexcept { return last_.row.label; }
    /// Of the last period that was measured.
    const LinkFigures& links() const noexcept { return last_.links; }
    const AlarmMonitor& alarms() const noexcept { return alarms_; }
    /// The certificates if the run ended here.
    std::vector<Certificate> certificates(RunEnding ending = RunEnding::interrupted) const;
    /// Throws DataError for demand that no path of the network can serve.
    void check_reachable(const DemandPeriod& period) const;

    RunIdentity identity() const override;
    JournalOptions journal_options() const override;
    RouteOutcome& outcome() override { return outcome_; }
    void begin(bool restored) override;
    void open_accounts() override;
    void close_accounts(RunEnding ending) override;
    bool next() override;
    TurnResult play() override;
    TurnRecord record() const override;
    void serialise(StateArchive& archive) override;
    void mark_outputs(OutputMarks& marks) override;
    std::vector<std::string> outputs() const override;
    void certify(RunEnding ending) override;
    RunResult result() const override;
    void finish() override;

    /// Before the first turn: copies the state of `other`, with all it has learned, and starts an account of
    /// its own. Throws Error if this learner cannot use that state; the run is then unusable.
    void continue_from(RouteRun& other);
    /// Before the first turn: copies network, splits and period of `other`. No method has learned anything.
    void follow(RouteRun& other);

  private:
    /// The learner of the run; made in the first period that has demand.
    struct Primary {
        std::unique_ptr<AnyLearner> learner = {};
        std::optional<Epochs> epochs = {};
        MethodSums sums;
        Index epoch = 1;
        double seconds = 0;                    // of learning, up to the last period
        std::uint64_t revision_gradients = 0;  // since the last round
    };
    struct Splits {
        std::vector<Real> now;     // of the current period
        std::vector<Real> before;  // of the previous one
    };
    struct Input {
        StopFlag stop = nullptr;
        bool fed = false;
        double waited = 0;  // waiting for the feed, since the last period
        InputMark mark = {};
    };
    struct LastTurn {
        DemandPeriod period;
        RowBlock demand;
        PeriodRow row;
        LinkFigures links;
        std::vector<Real> figures;
        std::string decided;    // the decision for the turn, made before its demand was known
        bool observed = false;  // the alarms have seen this turn
        RouteProgress progress;
    };
    /// Looks for missing paths every few periods.
    struct PathSearch {
        ColumnPricer pricer;
        DemandBatch recent;
    };
    struct Outputs {
        std::optional<RouteFiles> files;
        std::optional<DecisionLog> decisions;
        std::optional<ReportSeries> series;  // for the report page
    };

    RouteRun(const RouteSettings& settings, Scenario scenario, StopFlag stop, bool fed, RunOrigin origin);
    void prepare_files();
    void make_players();
    void serialise_ground(StateArchive& archive);
    void serialise_memory(StateArchive& archive);
    void serialise_learner(StateArchive& archive);
    void serialise_players(StateArchive& archive);
    void serialise_outputs(StateArchive& archive);
    void read_again();
    void note_record(bool usable);
    void reveal();
    bool play_period();
    bool play_demand();
    void change_network(std::span<const NetworkEvent> events);
    void decide();
    void begin_learning();
    void end_epoch(RunEnding ending);
    void revise();
    void wait();
    void end_period(ConstView demand);
    void hold(const std::string& problem);
    void learn();
    void watch(std::string_view problem);
    void search_paths();
    void note_figures(const RoundReport* report);
    void measure();
    DataLocation here(std::string field = {}) const;
    SettingList original_settings() const;
    RouteFacts file_facts() const;
    ReportData report() const;

    RouteSettings settings_;
    Scenario scenario_;
    PathKeeper keeper_;
    StrategyParts parts_;
    Primary primary_;
    Comparison comparison_;
    Splits splits_;
    AlarmMonitor alarms_;
    Outputs outputs_;
    PathSearch search_;
    LastTurn last_;
    Input input_;
    RouteOutcome outcome_;
    Scratch scratch_;
};

/// The names of the figures of a turn.
std::vector<std::string> route_channels();

}  // namespace proxstream
