/// One run of `route`: splits are chosen, demand comes, everybody is measured on it and learns from it; at
/// the end a certificate, a table of all methods, and whatever the settings want written.
#pragma once

#include "core/checksum.hpp"
#include "route/alarms.hpp"
#include "route/comparison.hpp"
#include "route/epochs.hpp"
#include "route/report_data.hpp"
#include "route/route_files.hpp"
#include "route/route_rows.hpp"
#include "route/scenario.hpp"
#include "route/strategy.hpp"
#include "store/journal.hpp"
#include "traffic/path_keeper.hpp"

#include <functional>
#include <memory>
#include <optional>
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

/// Names of the figures of a turn, in a run store.
std::vector<std::string> route_channels();
/// What a run store says of it before the first turn.
RunIdentity route_identity(const RouteSettings& settings, const Scenario& scenario,
                           const std::string& version, const std::string& command);
JournalOptions route_journal_options(const RouteSettings& settings, const std::string& version);

class RouteRun {
  public:
    /// Opens everything; nothing has been played. With settings.store it is kept there from its first turn
    /// on; with `journal`, the store of such a run, it goes on from where that was saved.
    RouteRun(const RouteSettings& settings, StopFlag stop, std::string version, std::string command,
             std::optional<Journal> journal = std::nullopt);
    /// On a scenario whose stream somebody feeds: nothing of it is read again.
    RouteRun(const RouteSettings& settings, Scenario scenario, std::string version, std::string command,
             std::optional<Journal> journal);
    ~RouteRun();

    const Scenario& scenario() const noexcept { return scenario_; }
    /// To the end of the demand, a stop request, or the first thing that cannot be ignored. Whatever happens,
    /// what was written is whole and the certificate covers what was played.
    RouteOutcome run(const std::function<void(const RouteProgress&)>& on_period);
    /// The reference step, once a period with demand was there.
    Real step() const noexcept { return parts_.step; }

    // In pieces, for whoever feeds it.

    /// The next record of the stream: a period, or events alone; false: there is none, or the run has to end.
    /// `progress` is as of this turn; its row is null for events alone. Throws DataError for a record that
    /// cannot be used where settings say stop.
    bool turn(RouteProgress& progress);
    /// Records so far.
    Turn turns() const noexcept { return turns_; }
    /// Of the last turn, by route_channels(); empty before the first.
    const std::vector<Real>& figures() const noexcept { return figures_; }
    const RouteOutcome& totals() const noexcept { return outcome_; }
    /// All methods as of the last turn: the lead first, the clairvoyant last.
    std::vector<MethodRow> methods() const;
    /// Splits for the period to come, as DecisionLog writes them.
    std::string decision() const;
    ConstView splits() const noexcept { return played_; }
    const std::string& label() const noexcept { return row_.label; }  // of the last record
    const LinkFigures& links() const noexcept { return links_; }      // of the last period that was measured
    const AlarmMonitor& alarms() const noexcept { return alarms_; }
    /// As if the run ended here.
    std::vector<Certificate> certificates(RunEnding ending = RunEnding::interrupted);
    Journal* journal() noexcept { return journal_ ? &*journal_ : nullptr; }
    /// Saves a state.
    void save();
    /// Saves a state, with certificate and, where it is gathered, the report; the run can be gone on with.
    void close();

    /// Everything the turns to come depend on, between two turns. A run that reads has to be made from the
    /// same settings, and not to have begun.
    void serialise(StateArchive& archive);
    /// Before the first turn: goes on where `other` is, with all it has learned, and an account of its own.
    /// Throws Error if this one's learner cannot use it, and is then of no use.
    void go_on_from(RouteRun& other);
    /// Before the first turn: the network as it is in `other`, its splits, and the period it is at. Nobody
    /// has learned anything.
    void follow(RouteRun& other);
    /// From now on the run is kept there, as it is.
    void record_in(Journal journal);
    /// What was decided for the last turn before it was known.
    const std::string& decided() const noexcept { return decided_; }
    /// Throws DataError for demand that no path could ever serve.
    void check_reachable(const DemandPeriod& period) const;

  private:
    struct Outputs;
    struct Series;

    RouteRun(const RouteSettings& settings, Scenario scenario, StopFlag stop, std::string version,
             std::string command);
    void open_outputs();
    void open_store();
    void make_players();
    void watch_store();
    void serialise_ground(StateArchive& archive);
    void serialise_memory(StateArchive& archive);
    void serialise_learner(StateArchive& archive);
    void serialise_players(StateArchive& archive);
    void serialise_outputs(StateArchive& archive);
    void skip_records();
    void note_record(const DemandPeriod& period, bool usable);
    void reveal(DemandPeriod& period);
    bool play(DemandPeriod& period, RouteProgress& progress);
    bool play_demand(DemandPeriod& period, RouteProgress& progress);
    void change_network(std::span<const NetworkEvent> events);
    void decide();
    void begin(const DemandPeriod& first);
    void end_epoch(RunEnding ending);
    void revise();
    void wait(const DemandPeriod& period, RouteProgress& progress);
    void end_period(const DemandPeriod& period, RouteProgress& progress);
    void hold(const DemandPeriod& period, const std::string& problem, RouteProgress& progress);
    void learn();
    void watch(const DemandPeriod& period, std::string_view problem);
    void search_paths();
    void note_figures(const RoundReport* report);
    void store_turn();
    void finish();
    void finish_store(bool ended);
    void write_end(bool ended);
    void measure(const DemandPeriod& period);
    SettingList original_settings() const;
    RouteFacts file_facts() const;
    ReportData report() const;
    void guarded(const std::function<void()>& write);

    RouteSettings settings_;
    StopFlag stop_;
    std::string version_, command_;
    Scenario scenario_;
    PathKeeper keeper_;
    StrategyParts parts_;
    std::unique_ptr<AnyLearner> lead_;  // made in the first period that has demand
    std::unique_ptr<Epochs> epochs_;
    Comparison comparison_;
    std::vector<Real> played_;  // splits of the period that comes or is played, and of the one before
    std::vector<Real> before_;
    MethodSums lead_sums_;
    AlarmMonitor alarms_;
    std::unique_ptr<Outputs> outputs_;
    std::unique_ptr<Series> series_;  // for the report
    LinkFigures links_;
    PeriodRow row_;
    Index epoch_ = 1;
    double lead_seconds_ = 0;
    RowBlock record_;
    Scratch scratch_;
    ColumnPricer pricer_;
    DemandBatch recent_;    // for the search of paths
    RouteOutcome outcome_;  // so far
    bool fed_ = false;
    bool over_ = false;
    Turn turns_ = 0;
    Checksum seen_;              // of the records so far
    std::vector<Real> figures_;  // of the turn
    std::string decided_;        // for it, where a store wants to know
    bool observed_ = false;      // alarms were looked at in this turn
    std::optional<Journal> journal_;
};

}  // namespace proxstream
