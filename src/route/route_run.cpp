#include "proxstream/route/route_run.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/route/decision_log.hpp"
#include "proxstream/route/reference_step.hpp"
#include "proxstream/route/report_layout.hpp"
#include "proxstream/route/route_files.hpp"
#include "proxstream/run/report_page.hpp"
#include "proxstream/traffic/split_set.hpp"

#include "route/report_series.hpp"

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

struct RouteRun::Outputs {
    std::optional<RouteFiles> files;
    std::optional<DecisionLog> decisions;
    double waited = 0;  // for the feed, since the last period
};

struct RouteRun::Series : ReportSeries {};

RouteRun::RouteRun(const RouteSettings& settings, StopFlag stop, std::string version, std::string command)
    : settings_(settings),
      stop_(stop),
      version_(std::move(version)),
      command_(std::move(command)),
      scenario_(open_scenario(settings_, stop)),
      keeper_(*scenario_.network, scenario_.routing, scenario_.unreachable),
      parts_{.settings = &settings_,
             .network = scenario_.network.get(),
             .routing = scenario_.routing,
             .start = even_splits(scenario_.routing->paths),
             .mean_demand = scenario_.mean_demand},
      played_(parts_.start),
      lead_sums_(scenario_.network->links()),
      alarms_(alarm_options(settings_), *scenario_.network, scenario_.stream->pairs()),
      outputs_(std::make_unique<Outputs>()),
      series_(settings_.report.empty() ? nullptr : std::make_unique<Series>()),
      pricer_(*scenario_.network),
      recent_(scenario_.routing, kSearched) {
    if (series_) {
        require_report_page();
        require_folder_of(settings_.report);
    }
    if (!settings_.out.empty()) {
        RouteFacts facts;
        facts.version = version_;
        facts.command = command_;
        facts.settings = figure_settings(settings_);
        facts.cost = link_cost(settings_);
        facts.objective = settings_.objective;
        facts.demand_unit = scenario_.demand_unit;
        facts.cost_unit = scenario_.cost_unit;
        outputs_->files.emplace(settings_.out, route_detail(settings_.detail), facts, *scenario_.network,
                                report_network(*scenario_.network), *scenario_.routing);
        if (settings_.ledger.empty()) settings_.ledger = settings_.out + "/ledger.jsonl";
    }
    if (!settings_.decisions.empty()) outputs_->decisions.emplace(settings_.decisions, *scenario_.network);
}

RouteRun::~RouteRun() = default;

/// Runs `write`; a failure is noted and ends the run.
void RouteRun::guarded(RouteOutcome& outcome, const std::function<void()>& write) {
    try {
        write();
    } catch (const IoError& error) {
        outcome.io_error = true;
        outcome.ending = RunEnding::failed;
        outcome.problems.emplace_back(error.what());
    }
}

RouteOutcome RouteRun::run(const std::function<void(const RouteProgress&)>& on_period) {
    const auto start = Clock::now();
    RouteOutcome outcome;
    RouteProgress progress;
    DemandPeriod period;
    const auto stopped = [&] { return stop_ != nullptr && *stop_; };
    try {
        decide(outcome);
        while (!outcome.io_error && !stopped() &&
               (settings_.periods == 0 || outcome.periods < settings_.periods)) {
            // The feed is silent while it is waited for, not while splits are chosen.
            const auto asked = Clock::now();
            if (!scenario_.stream->announce(period)) break;
            outputs_->waited += since(asked);
            const Index before = outcome.periods;
            const bool go_on = play(period, outcome, progress);
            if (outcome.periods > before) on_period(progress);  // events alone are no period
            if (!go_on) break;
        }
        if (stopped()) {
            outcome.ending = RunEnding::interrupted;
        } else if (outcome.periods == 0 && !outcome.io_error) {
            throw DataError({.source = scenario_.stream->source(),
                             .line = scenario_.stream->line(),
                             .column = 0,
                             .field = ""},
                            "there is no period of demand", "at least one");
        }
    } catch (const DataError& error) {
        outcome.data_error = true;
        outcome.ending = RunEnding::failed;
        outcome.problems.emplace_back(error.what());
    } catch (const IoError& error) {
        outcome.io_error = true;
        outcome.ending = RunEnding::failed;
        outcome.problems.emplace_back(error.what());
    }
    outcome.seconds = since(start);
    finish(outcome);
    return outcome;
}

/// Everybody that needs to know the size of demand is made when the first one is there; the splits it met are
/// those of the start.
void RouteRun::begin(const DemandPeriod& first) {
    Routing& routing = *scenario_.routing;
    const DemandColumn column{first.demand};
    const ColumnUse use{};
    const Real cost = evaluate(routing, {{&column, 1}, {&use, 1}, 1}, parts_.start, {}, scratch_);
    if (cost > 0) routing.unit = cost;
    const bool given = settings_.step != "auto";
    parts_.step = given ? parse_real(settings_.step, "step")
                        : reference_step(scenario_.routing, first.demand, parts_.start);
    lead_ = make_route_learner(settings_.learner, parts_);
    Epochs::Options options{.ledger = settings_.ledger,
                            .settings = figure_settings(settings_),
                            .dimension = routing.dimension(),
                            .max_steps = settings_.max_steps};
    if (settings_.max_seconds < kInfinity) options.max_seconds = settings_.max_seconds;
    epochs_ = std::make_unique<Epochs>(std::move(options));
    epochs_->begin(lead_->facts(), 0);
    contest_ = Contest(parts_);
}

bool RouteRun::play(DemandPeriod& period, RouteOutcome& outcome, RouteProgress& progress) {
    progress.raised = progress.cleared = {};
    outcome.events += period.events.size();
    if (!period.events.empty()) {
        end_epoch(RunEnding::finished);
        keeper_.apply(period.events);
        if (series_)
            series_->note_events(outcome.periods, period.events, *scenario_.network, *scenario_.routing);
        revise(outcome);
        decide(outcome);
    }
    row_ = {};
    row_.number = outcome.periods + 1;
    row_.label = period.label;
    row_.epoch = epoch_;
    try {
        scenario_.stream->reveal(period);
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
        hold(period, error.what(), outcome, progress);
        decide(outcome);
        return !outcome.io_error;
    }
    ++outcome.periods;
    if (!lead_) begin(period);
    before_ = played_;
    record_.clear();
    record_.add_dense(period.demand, 0);
    const Real floor = contest_.play(record_);
    learn(outcome);
    watch(period, {});
    row_.alarms_open = alarms_.open().size();
    guarded(outcome, [&] {
        if (outputs_->files)
            outputs_->files->write(row_, {*scenario_.routing, period.demand, played_, links_, period.events},
                                   alarms_);
        epochs_->flush();
    });
    if (series_) series_->add(row_, links_.utilisation, epochs_->regret(), epochs_->regret_bound());
    progress = {.periods = outcome.periods,
                .held = outcome.held,
                .last = &row_,
                .floor_cost = floor,
                .raised = alarms_.raised_now(),
                .cleared = alarms_.cleared_now()};
    if (settings_.generate > 0 && outcome.periods % settings_.generate == 0) search_paths(outcome);
    decide(outcome);
    if (row_.status == name(RoundStatus::refused)) {
        ++outcome.refused;
        outcome.problems.push_back(
            fmt::format("{}:{}: the loss is not a finite number here; the splits stay as they "
                        "were",
                        scenario_.stream->source(), scenario_.stream->line()));
        if (settings_.on_bad_period == "stop") {
            outcome.ending = RunEnding::refused;
            return false;
        }
    }
    return !outcome.io_error;
}

/// Splits for the period to come: told at once, before anything is known of it. What events change is told
/// again.
void RouteRun::decide(RouteOutcome& outcome) {
    if (lead_) copy(lead_->decide(), played_);
    if (!outputs_->decisions) return;
    guarded(outcome, [&] {
        outputs_->decisions->write(outcome.periods + 1, row_.label, scenario_.routing->paths, played_);
    });
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

void RouteRun::hold(const DemandPeriod& period, const std::string& problem, RouteOutcome& outcome,
                    RouteProgress& progress) {
    ++outcome.periods;
    ++outcome.held;
    outcome.problems.push_back(problem + " (held: the splits stay as they were)");
    row_.status = "held";
    row_.measured = false;
    lead_sums_.add_held(0, 0);
    contest_.hold();
    watch(period, problem);
    row_.alarms_open = alarms_.open().size();
    guarded(outcome, [&] {
        if (outputs_->files)
            outputs_->files->write(row_, {*scenario_.routing, {}, played_, links_, period.events}, alarms_);
    });
    if (series_)
        series_->add(row_, links_.utilisation, epochs_ ? epochs_->regret() : 0,
                     epochs_ ? epochs_->regret_bound() : 0);
    progress = {.periods = outcome.periods,
                .held = outcome.held,
                .last = &row_,
                .raised = alarms_.raised_now(),
                .cleared = alarms_.cleared_now()};
}

/// Closed on the network it was played on.
void RouteRun::end_epoch(RunEnding ending) {
    if (lead_) epochs_->end(lead_->close(), ending, lead_->seconds());
}

/// The network is not what it was: everybody follows, and a new epoch begins.
void RouteRun::revise(RouteOutcome& outcome) {
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
    contest_.revise(repair);
    outcome.paths_added = keeper_.added();
}

void RouteRun::learn(RouteOutcome& outcome) {
    if (settings_.generate > 0) recent_.push(record_);
    const RoundReport report = lead_->observe(record_);
    row_.seconds = lead_->seconds() - std::exchange(lead_seconds_, lead_->seconds());
    row_.status = name(report.status);
    row_.steps = report.steps;
    if (report.status != RoundStatus::refused) {
        row_.entry_residual = report.entry_residual;
        row_.exit_residual = report.exit_residual;
        row_.tolerance = report.tolerance;
    }
    outcome.busiest_decision = std::max<Real>(outcome.busiest_decision, row_.seconds);
    guarded(outcome, [&] { epochs_->add(report, lead_->bank()); });
    lead_sums_.add(row_.figures, row_.seconds, report.cost.record_gradients);
}

void RouteRun::watch(const DemandPeriod& period, std::string_view problem) {
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
        input.entry_residual = row_.entry_residual;
    }
    alarms_.observe(input);
}

void RouteRun::search_paths(RouteOutcome& outcome) {
    Scratch::Frame frame(scratch_);
    const std::vector<Real> weights(recent_.size(), 1 / static_cast<Real>(recent_.size()));
    constexpr Real kMargin = 1e-3;
    const Pricing pricing =
        pricer_.price(*scenario_.routing, recent_.mix(weights, frame), lead_->decide(), kMargin, scratch_);
    if (pricing.changes.empty()) return;
    end_epoch(RunEnding::finished);
    keeper_.add(pricing);
    revise(outcome);
}

void RouteRun::finish(RouteOutcome& outcome) {
    outcome.alarms = alarms_.total();
    outcome.paths_added = keeper_.added();
    if (epochs_) {
        guarded(outcome, [&] { end_epoch(outcome.ending); });
        outcome.certificates = epochs_->certificates();
    }
    MethodRow& lead = outcome.methods.emplace_back(lead_sums_.row());
    lead.name = settings_.learner;
    lead.label = strategy_label(settings_.learner, settings_);
    lead.lead = true;
    contest_.add_rows(outcome.methods);
    if (outcome.methods.back().floor) {
        const Real floor = outcome.methods.back().total_cost;
        for (MethodRow& row : outcome.methods) row.ratio = row.total_cost / floor;
    }
    if (outputs_->files) guarded(outcome, [&] { outputs_->files->finish(outcome.methods, scenario_.notes); });
    if (outputs_->decisions) guarded(outcome, [&] { outputs_->decisions->close(); });
    if (series_) guarded(outcome, [&] { fill_report(outcome); });
}

void RouteRun::fill_report(const RouteOutcome& outcome) {
    const std::vector<std::vector<Real>> costs = contest_.costs();
    const ReportFacts facts{.settings = settings_,
                            .scenario = scenario_,
                            .version = version_,
                            .command = command_,
                            .methods = outcome.methods,
                            .rival_costs = costs,
                            .certificates = outcome.certificates,
                            .alarms = alarms_.all()};
    write_report(settings_.report, series_->report(facts));
}

}  // namespace proxstream
