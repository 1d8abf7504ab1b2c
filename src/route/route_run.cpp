#include "route/route_run.hpp"

#include "proxstream/core/linalg.hpp"

#include "route/route_outputs.hpp"
#include "run/report_page.hpp"
#include "traffic/run_start.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace proxstream {
namespace {

/// Demands that the search for missing paths looks at.
constexpr Index kSearched = 16;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A report is written at the end: that there is no place for it is said at the beginning.
void require_folder_of(const std::string& path) {
    const std::string folder = std::filesystem::absolute(path).parent_path().string();
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        throw IoError(path, "cannot be opened for writing", errno);
}

AlarmOptions alarm_options(const RouteSettings& settings) {
    AlarmOptions options;
    options.raise = settings.alarm_utilisation;
    options.clear = settings.clear_utilisation;
    options.sustain = settings.sustain;
    options.anomaly = settings.anomaly;
    options.stale_seconds = settings.stale_seconds;
    return options;
}

}  // namespace

RouteRun::RouteRun(const RouteSettings& settings, StopFlag stop, std::string version, std::string command,
                   std::optional<Journal> journal)
    : RouteRun(settings, open_scenario(settings, stop), stop, std::move(version), std::move(command)) {
    journal_ = std::move(journal);
    open_store();
}

RouteRun::RouteRun(const RouteSettings& settings, Scenario scenario, std::string version, std::string command,
                   std::optional<Journal> journal)
    : RouteRun(settings, std::move(scenario), nullptr, std::move(version), std::move(command)) {
    fed_ = true;
    journal_ = std::move(journal);
    open_store();
}

RouteRun::RouteRun(const RouteSettings& settings, Scenario scenario, StopFlag stop, std::string version,
                   std::string command)
    : settings_(settings),
      stop_(stop),
      version_(std::move(version)),
      command_(std::move(command)),
      scenario_(std::move(scenario)),
      keeper_(*scenario_.network, scenario_.routing, scenario_.unreachable),
      parts_{.settings = &settings_,
             .network = scenario_.network.get(),
             .routing = scenario_.routing,
             .start = scenario_.start,
             .mean_demand = scenario_.mean_demand},
      played_(parts_.start),
      lead_sums_(scenario_.network->links()),
      alarms_(alarm_options(settings_), *scenario_.network, scenario_.stream->pairs()),
      outputs_(std::make_unique<Outputs>()),
      pricer_(*scenario_.network),
      recent_(scenario_.routing, kSearched) {
    if (!settings_.report.empty()) {
        require_report_page();
        require_folder_of(settings_.report);
    }
    if (!settings_.out.empty() && settings_.ledger.empty())
        settings_.ledger = settings_.out + "/ledger.jsonl";
}

RouteRun::~RouteRun() = default;

/// Runs `write`; a failure is noted and ends the run.
void RouteRun::guarded(const std::function<void()>& write) {
    try {
        write();
    } catch (const IoError& error) {
        outcome_.io_error = true;
        outcome_.ending = RunEnding::failed;
        outcome_.problems.emplace_back(error.what());
    }
}

RouteOutcome RouteRun::run(const std::function<void(const RouteProgress&)>& on_period) {
    const auto start = Clock::now();
    const auto stopped = [&] { return stop_ != nullptr && *stop_; };
    try {
        bool go_on = true;
        while (go_on && !stopped() && (settings_.periods == 0 || outcome_.periods < settings_.periods)) {
            const Index before = outcome_.periods;
            RouteProgress progress;
            go_on = turn(progress);
            if (outcome_.periods > before) on_period(progress);  // events alone are no period
        }
        if (stopped()) {
            outcome_.ending = RunEnding::interrupted;
        } else if (outcome_.periods == 0 && !outcome_.io_error) {
            throw DataError({.source = scenario_.stream->source(),
                             .line = scenario_.stream->line(),
                             .column = 0,
                             .field = ""},
                            "there is no period of demand", "at least one");
        }
    } catch (const DataError& error) {
        outcome_.data_error = true;
        outcome_.ending = RunEnding::failed;
        outcome_.problems.emplace_back(error.what());
    } catch (const IoError& error) {
        outcome_.io_error = true;
        outcome_.ending = RunEnding::failed;
        outcome_.problems.emplace_back(error.what());
    }
    outcome_.seconds = since(start);
    finish();
    return outcome_;
}

bool RouteRun::turn(RouteProgress& progress) {
    if (turns_ == 0) decide();
    DemandPeriod period;
    // The feed is silent while it is waited for, not while splits are chosen.
    const auto asked = Clock::now();
    if (!scenario_.stream->announce(period)) return false;
    outputs_->waited += since(asked);
    progress = {};
    progress.periods = outcome_.periods;
    progress.held = outcome_.held;
    observed_ = false;
    if (fed_) outcome_.problems.clear();  // who fed it was told
    const bool go_on = play(period, progress);
    store_turn();
    return go_on && !outcome_.io_error;
}

/// Learners are made in the first period that has demand: their step and the unit of losses come from its
/// size. Its splits are those of the start.
void RouteRun::begin(const DemandPeriod& first) {
    set_unit(*scenario_.routing, first.demand, parts_.start, scratch_);
    const bool given = settings_.step != "auto";
    parts_.step = given ? parse_real(settings_.step, "step")
                        : reference_step(scenario_.routing, first.demand, parts_.start);
    make_players();
    epochs_->begin(lead_->facts(), 0);
}

void RouteRun::make_players() {
    lead_ = make_route_learner(settings_.learner, parts_);
    EpochAccount::Options options{.settings = original_settings(),
                                  .dimension = scenario_.routing->dimension(),
                                  .max_steps = settings_.max_steps};
    if (settings_.max_seconds < kInfinity) options.max_seconds = settings_.max_seconds;
    epochs_ = std::make_unique<Epochs>(std::move(options), settings_.ledger, journal());
    comparison_ = Comparison(parts_, lead_sums_, series_ != nullptr);
}

bool RouteRun::play(DemandPeriod& period, RouteProgress& progress) {
    if (!period.events.empty()) change_network(period.events);
    if (journal_) decided_ = decision();
    row_ = {};
    row_.number = outcome_.periods + 1;
    row_.label = period.label;
    row_.epoch = epoch_;
    note_figures(nullptr);
    try {
        reveal(period);
        if (period.demand.empty()) {  // events alone
            if (outputs_->files) outputs_->files->announce(period.events);
            return true;
        }
        check_reachable(period);
        measure(period);
    } catch (const DamagedFile&) {
        throw;
    } catch (const DataError& error) {
        if (settings_.on_bad_period == "stop") throw;
        hold(period, error.what(), progress);
        decide();
        return true;
    }
    if (!lead_ && !has_demand(period.demand)) {
        wait(period, progress);
        return true;
    }
    return play_demand(period, progress);
}

/// A period without demand before the first one with demand: there is nothing to learn from yet.
void RouteRun::wait(const DemandPeriod& period, RouteProgress& progress) {
    ++outcome_.periods;
    before_ = played_;
    row_.status = kWaiting;
    lead_sums_.add(row_.figures, 0, 0);
    note_figures(nullptr);
    watch(period, {});
    end_period(period, progress);
    decide();
}

/// Everything that shows or keeps a period gets it.
void RouteRun::end_period(const DemandPeriod& period, RouteProgress& progress) {
    row_.alarms_open = alarms_.open().size();
    guarded([&] {
        if (outputs_->files)
            outputs_->files->write(row_, {*scenario_.routing, period.demand, played_, links_, period.events},
                                   alarms_);
        if (epochs_) epochs_->flush();
    });
    if (series_)
        series_->add(row_, links_.utilisation, epochs_ ? epochs_->regret() : 0,
                     epochs_ ? epochs_->regret_bound() : 0);
    progress = {.periods = outcome_.periods,
                .held = outcome_.held,
                .last = &row_,
                .raised = alarms_.raised_now(),
                .cleared = alarms_.cleared_now()};
}

bool RouteRun::play_demand(DemandPeriod& period, RouteProgress& progress) {
    ++outcome_.periods;
    if (!lead_) begin(period);
    before_ = played_;
    record_.clear();
    record_.add_dense(period.demand, 0);
    const Real floor = comparison_.play(record_);
    learn();
    watch(period, {});
    end_period(period, progress);
    progress.floor_cost = floor;
    if (settings_.generate > 0 && outcome_.periods % settings_.generate == 0) search_paths();
    decide();
    if (row_.status != name(RoundStatus::refused)) return true;
    ++outcome_.refused;
    outcome_.problems.push_back(
        fmt::format("{}:{}: the loss is not a finite number here; the splits stay as they "
                    "were",
                    scenario_.stream->source(), scenario_.stream->line()));
    if (settings_.on_bad_period != "stop") return true;
    outcome_.ending = RunEnding::refused;
    return false;
}

void RouteRun::change_network(std::span<const NetworkEvent> events) {
    outcome_.events += events.size();
    end_epoch(RunEnding::finished);
    keeper_.apply(events);
    if (series_) series_->note_events(outcome_.periods, events, *scenario_.network, *scenario_.routing);
    revise();
    decide();
}

/// Splits for the period to come: told at once, before anything is known of it. What events change is told
/// again.
void RouteRun::decide() {
    if (lead_) copy(lead_->decide(), played_);
    if (!outputs_->decisions) return;
    guarded([&] {
        outputs_->decisions->write(outcome_.periods + 1, row_.label, scenario_.routing->paths, played_);
    });
}

std::string RouteRun::decision() const {
    return decision_json(outcome_.periods + 1, row_.label, *scenario_.network, scenario_.routing->paths,
                         played_);
}

/// From the start there was no way, so it is the data that is wrong; what an incident cuts off is an alarm.
void RouteRun::check_reachable(const DemandPeriod& period) const {
    if (settings_.slack > 0) return;  // it may go unserved, at its price; the alarm stays
    for (const Index pair : scenario_.unreachable) {
        if (period.demand[pair] == 0) continue;
        const Pair& lost = scenario_.stream->pairs()[pair];
        const Network& network = *scenario_.network;
        throw DataError(
            {.source = scenario_.stream->source(),
             .line = scenario_.stream->line(),
             .column = 0,
             .field = network.node_name(lost.origin) + "->" + network.node_name(lost.destination)},
            fmt::format("there is demand {:g}, and no path", period.demand[pair]),
            "demand between nodes that are connected, or 0");
    }
}

/// A demand beyond what costs can be computed for is as good as none: nobody learns from it, no sum has it.
void RouteRun::measure(const DemandPeriod& period) {
    row_.figures = measure_period(*scenario_.routing, period.demand, played_, before_, links_, scratch_);
    if (std::isfinite(row_.figures.cost)) return;
    const Real demand = row_.figures.demand;
    row_.figures = {};
    links_ = {};
    throw DataError({.source = scenario_.stream->source(),
                     .line = scenario_.stream->line(),
                     .column = 0,
                     .field = "demand"},
                    fmt::format("the cost of this demand, {:g} altogether, is not a finite number", demand),
                    "demand that the network's costs can be computed for");
}

void RouteRun::hold(const DemandPeriod& period, const std::string& problem, RouteProgress& progress) {
    ++outcome_.periods;
    ++outcome_.held;
    outcome_.problems.push_back(problem + " (held: the splits stay as they were)");
    row_.status = "held";
    row_.measured = false;
    lead_sums_.add_held(0, 0);
    comparison_.hold();
    watch(period, problem);
    end_period({.label = period.label, .demand = {}, .events = period.events}, progress);
}

/// Closed on the network it was played on.
void RouteRun::end_epoch(RunEnding ending) {
    if (lead_) epochs_->end(lead_->close(), ending, lead_->seconds());
}

/// The network is not what it was: everybody follows, and a new epoch begins.
void RouteRun::revise() {
    const auto repair = [&](View x) { keeper_.repair(x); };
    repair(played_);
    if (!before_.empty()) repair(before_);
    if (!lead_) {
        repair(parts_.start);
        return;
    }
    const RoundReport report = lead_->revise(repair);
    if (report.status == RoundStatus::refused) {
        throw DataError({.source = scenario_.stream->source(),
                         .line = scenario_.stream->line(),
                         .column = 0,
                         .field = "events"},
                        "with this change of the network costs are no finite numbers any more",
                        "capacities that costs can be computed for, or \"close\": true");
    }
    epochs_->begin(lead_->facts(), lead_->seconds());
    ++epoch_;
    comparison_.revise(repair);
    outcome_.paths_added = keeper_.added();
}

void RouteRun::learn() {
    if (settings_.generate > 0) recent_.push(record_);
    const RoundReport report = lead_->observe(record_);
    row_.seconds = lead_->seconds() - std::exchange(lead_seconds_, lead_->seconds());
    row_.status = name(report.status);
    row_.steps = report.steps;
    if (report.status != RoundStatus::refused) {
        row_.entry_gap = report.entry_gap;
        row_.exit_gap = report.exit_gap;
        row_.tolerance = report.tolerance;
    }
    outcome_.busiest_decision = std::max<Real>(outcome_.busiest_decision, row_.seconds);
    guarded([&] { epochs_->add(report, lead_->ensemble()); });
    note_figures(&report);
    lead_sums_.add(row_.figures, row_.seconds, report.cost.record_gradients);
}

/// Of a turn without a round, what stays known.
void RouteRun::note_figures(const RoundReport* report) {
    const bool measured = report != nullptr && report->status != RoundStatus::refused;
    const bool waiting = row_.status == kWaiting;
    const auto known = [](bool holds, Real value) { return holds ? value : kNotKnown; };
    const PeriodFigures& figures = row_.figures;
    const bool met = report != nullptr;
    figures_ = {known(met || waiting, figures.cost),
                known(met || waiting, figures.demand),
                known(met || waiting, figures.utilisation_max),
                known(met || waiting, figures.churn),
                known(measured, met ? report->entry_gap : 0),
                known(measured, met ? report->firm_bound + report->gap_rounding : 0),
                known(measured, met ? report->tolerance : 0),
                epochs_ ? epochs_->regret() : 0,
                epochs_ ? epochs_->regret_bound() : 0,
                known(met, static_cast<Real>(row_.steps)),
                known(met, met ? static_cast<Real>(report->cost.record_gradients) : 0),
                known(met, row_.seconds)};
}

void RouteRun::watch(const DemandPeriod& period, std::string_view problem) {
    observed_ = true;
    std::vector<Index> unroutable;
    if (problem.empty()) {
        for (const Index pair : keeper_.unreachable())
            if (period.demand[pair] > 0) unroutable.push_back(pair);
    }
    AlarmInput input{.period = row_.number, .problem = problem, .waited = std::exchange(outputs_->waited, 0)};
    if (problem.empty()) {
        input.utilisation = links_.utilisation;
        input.demand = period.demand;
        input.unroutable = unroutable;
        input.entry_gap = row_.entry_gap;
    }
    alarms_.observe(input);
}

void RouteRun::search_paths() {
    Scratch::Frame frame(scratch_);
    const std::vector<Real> weights(recent_.size(), 1 / static_cast<Real>(recent_.size()));
    constexpr Real kMargin = 1e-3;
    const Pricing pricing =
        pricer_.price(*scenario_.routing, recent_.mix(weights, frame), lead_->decide(), kMargin, scratch_);
    if (pricing.changes.empty()) return;
    end_epoch(RunEnding::finished);
    keeper_.add(pricing);
    revise();
}

std::vector<Certificate> RouteRun::certificates(RunEnding ending) {
    if (!epochs_) return {};
    return epochs_->certificates_here(lead_->close(), ending, lead_->seconds());
}

std::vector<MethodRow> RouteRun::methods() const {
    std::vector<MethodRow> rows{lead_sums_.row()};
    rows.front().name = settings_.learner;
    rows.front().label = strategy_label(settings_.learner, settings_);
    rows.front().lead = true;
    comparison_.add_rows(rows);
    if (!rows.back().floor) return rows;
    const Real floor = rows.back().total_cost;
    for (MethodRow& row : rows) row.ratio = row.total_cost / floor;
    return rows;
}

void RouteRun::finish() {
    outcome_.alarms = alarms_.total();
    outcome_.paths_added = keeper_.added();
    outcome_.certificates = certificates(outcome_.ending);
    over_ = true;
    outcome_.methods = methods();
    // Before the files are closed: the state says how far they went.
    finish_store(outcome_.ending == RunEnding::finished);
    if (epochs_) guarded([&] { epochs_->close_ledger(lead_->close(), outcome_.ending, lead_->seconds()); });
    if (outputs_->files) guarded([&] { outputs_->files->finish(outcome_.methods, scenario_.notes); });
    if (outputs_->decisions) guarded([&] { outputs_->decisions->close(); });
    if (!settings_.report.empty()) guarded([&] { write_report(settings_.report, report()); });
}

ReportData RouteRun::report() const {
    const std::vector<std::vector<Real>> costs = comparison_.costs();
    const ReportFacts facts{.settings = settings_,
                            .scenario = scenario_,
                            .version = version_,
                            .command = command_,
                            .methods = outcome_.methods,
                            .rival_costs = costs,
                            .certificates = outcome_.certificates,
                            .alarms = alarms_.all()};
    return series_->report(facts);
}

}  // namespace proxstream
