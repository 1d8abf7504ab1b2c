#include "route/route_run.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/stopwatch.hpp"
#include "run/report_page.hpp"
#include "traffic/run_start.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// The search for missing paths uses at most this many of the last demands.
constexpr Index kSearched = 16;

}  // namespace

RouteRun::RouteRun(const RouteSettings& settings, StopFlag stop, RunOrigin origin)
    : RouteRun(settings, open_scenario(settings, stop), stop, false, std::move(origin)) {}

RouteRun::RouteRun(const RouteSettings& settings, Scenario scenario, RunOrigin origin)
    : RouteRun(settings, std::move(scenario), nullptr, true, std::move(origin)) {}

RouteRun::RouteRun(const RouteSettings& settings, Scenario scenario, StopFlag stop, bool fed,
                   RunOrigin origin)
    : TurnRun(std::move(origin)),
      settings_(settings),
      scenario_(std::move(scenario)),
      keeper_(*scenario_.network, scenario_.routing, scenario_.unreachable),
      parts_{.settings = &settings_,
             .network = scenario_.network.get(),
             .routing = scenario_.routing,
             .start = scenario_.start,
             .mean_demand = scenario_.mean_demand},
      primary_{.sums = MethodSums(scenario_.network->links())},
      splits_{.now = parts_.start, .before = {}},
      alarms_(static_cast<const AlarmOptions&>(settings_), *scenario_.network, scenario_.stream->pairs()),
      search_{.pricer = ColumnPricer(*scenario_.network),
              .recent = DemandBatch(scenario_.routing, kSearched)},
      input_{.stop = stop, .fed = fed} {
    if (!settings_.report.empty()) require_report_page();
    // A store can make the page later. A run on posted demand has no end, so it gathers nothing.
    if (!settings_.report.empty() || (!fed && !settings_.store.empty())) outputs_.series.emplace();
}

bool RouteRun::next() {
    if (at_limit(outcome_.periods, settings_.periods)) return false;
    if (turns() == 0) decide();
    last_.period = {};
    {
        // Measures the wait for the feed, without the time to choose splits.
        const Stopwatch watch(input_.waited);
        if (scenario_.stream->announce(last_.period)) return true;
    }
    const bool stopped = input_.stop != nullptr && *input_.stop;
    if (outcome_.periods == 0 && !input_.fed && !stopped)
        throw DataError(here(), "there is no period of demand", "at least one");
    return false;
}

TurnResult RouteRun::play() {
    last_.progress = {.periods = outcome_.periods, .held = outcome_.held};
    last_.observed = false;
    if (input_.fed) outcome_.problems.clear();  // the answer to each post reports its own
    return {.last = !play_period()};
}

/// Makes the learners in the first period with demand, because its size determines their step and the unit of
/// losses. The splits of this period are the starting ones.
void RouteRun::begin_learning() {
    const ConstView first = last_.period.demand;
    set_unit(*scenario_.routing, first, parts_.start, scratch_);
    const bool given = settings_.step != "auto";
    parts_.step =
        given ? parse_real(settings_.step, "step") : reference_step(scenario_.routing, first, parts_.start);
    make_players();
    primary_.epochs->begin(primary_.learner->facts(), 0);
}

void RouteRun::make_players() {
    primary_.learner = make_route_learner(settings_.learner, parts_);
    EpochAccount::Options options{.settings = original_settings(),
                                  .dimension = scenario_.routing->dimension(),
                                  .max_steps = settings_.max_steps};
    if (settings_.max_seconds < kInfinity) options.max_seconds = settings_.max_seconds;
    const bool in_folder = settings_.ledger.empty() && !settings_.out.empty();
    primary_.epochs.emplace(std::move(options),
                            in_folder ? settings_.out + "/ledger.jsonl" : settings_.ledger, journal_);
    comparison_ = Comparison(parts_, primary_.sums, outputs_.series.has_value());
}

bool RouteRun::play_period() {
    DemandPeriod& period = last_.period;
    if (!period.events.empty()) change_network(period.events);
    if (journal_ != nullptr) last_.decided = next_decision();
    last_.row = {};
    last_.row.number = outcome_.periods + 1;
    last_.row.label = period.label;
    last_.row.epoch = primary_.epoch;
    note_figures(nullptr);
    try {
        reveal();
        if (period.demand.empty()) {  // only events
            if (outputs_.files) outputs_.files->announce(period.events);
            return true;
        }
        check_reachable(period);
        measure();
    } catch (const DamagedFile&) {
        throw;
    } catch (const DataError& error) {
        if (settings_.on_bad_period == "stop") throw;
        hold(error.what());
        decide();
        return true;
    }
    if (primary_.learner || has_demand(period.demand)) return play_demand();
    wait();
    return true;
}

/// A period before the first demand: there is nothing to learn from yet.
void RouteRun::wait() {
    ++outcome_.periods;
    splits_.before = splits_.now;
    last_.row.status = kWaiting;
    primary_.sums.add(last_.row.figures, 0, 0);
    note_figures(nullptr);
    watch({});
    end_period(last_.period.demand);
    decide();
}

void RouteRun::end_period(ConstView demand) {
    PeriodRow& row = last_.row;
    row.alarms_open = alarms_.open().size();
    outcome_.guarded([&] {
        if (outputs_.files) {
            outputs_.files->write(
                row, {*scenario_.routing, demand, splits_.now, last_.links, last_.period.events}, alarms_);
        }
        if (primary_.epochs) primary_.epochs->flush();
    });
    if (outputs_.series) {
        outputs_.series->add(row, last_.links.utilisation, primary_.epochs ? primary_.epochs->regret() : 0,
                             primary_.epochs ? primary_.epochs->regret_bound() : 0);
    }
    last_.progress = {.periods = outcome_.periods,
                      .held = outcome_.held,
                      .last = &row,
                      .raised = alarms_.raised_now(),
                      .cleared = alarms_.cleared_now()};
}

bool RouteRun::play_demand() {
    ++outcome_.periods;
    if (!primary_.learner) begin_learning();
    splits_.before = splits_.now;
    last_.demand.clear();
    last_.demand.add_dense(last_.period.demand, 0);
    const Real lower_bound = comparison_.play(last_.demand);
    learn();
    watch({});
    end_period(last_.period.demand);
    last_.progress.lower_bound_cost = lower_bound;
    if (settings_.generate > 0 && outcome_.periods % settings_.generate == 0) search_paths();
    decide();
    if (last_.row.status != name(RoundStatus::refused)) return true;
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
    if (outputs_.series)
        outputs_.series->note_events(outcome_.periods, events, *scenario_.network, *scenario_.routing);
    revise();
    decide();
}

/// Writes the splits for the next period before its demand is known, and again if events change them.
void RouteRun::decide() {
    if (primary_.learner) copy(primary_.learner->decide(), splits_.now);
    if (!outputs_.decisions) return;
    outcome_.guarded([&] {
        outputs_.decisions->write(outcome_.periods + 1, label(), scenario_.routing->paths, splits_.now);
    });
}

std::string RouteRun::next_decision() const {
    return decision_json(outcome_.periods + 1, label(), *scenario_.network, scenario_.routing->paths,
                         splits_.now);
}

DataLocation RouteRun::here(std::string field) const {
    return {.source = scenario_.stream->source(),
            .line = scenario_.stream->line(),
            .column = 0,
            .field = std::move(field)};
}

/// A pair that never had a path means wrong data. A pair that an incident cuts off raises an alarm.
void RouteRun::check_reachable(const DemandPeriod& period) const {
    if (settings_.slack > 0) return;  // the demand may stay unserved, at a price, and raises an alarm
    for (const Index pair : scenario_.unreachable) {
        if (period.demand[pair] == 0) continue;
        const Pair& lost = scenario_.stream->pairs()[pair];
        const Network& network = *scenario_.network;
        throw DataError(here(network.node_name(lost.origin) + "->" + network.node_name(lost.destination)),
                        fmt::format("there is demand {:g}, and no path", period.demand[pair]),
                        "demand between nodes that are connected, or 0");
    }
}

/// Refuses a demand whose cost is not finite: it enters no sum, and no method learns from it.
void RouteRun::measure() {
    PeriodFigures& figures = last_.row.figures;
    figures = measure_period(*scenario_.routing, last_.period.demand, splits_.now, splits_.before,
                             last_.links, scratch_);
    if (std::isfinite(figures.cost)) return;
    const Real demand = figures.demand;
    figures = {};
    last_.links = {};
    throw DataError(here("demand"),
                    fmt::format("the cost of this demand, {:g} altogether, is not a finite number", demand),
                    "demand that the network's costs can be computed for");
}

void RouteRun::hold(const std::string& problem) {
    ++outcome_.periods;
    ++outcome_.held;
    outcome_.problems.push_back(problem + " (held: the splits stay as they were)");
    last_.row.status = "held";
    last_.row.measured = false;
    primary_.sums.add_held(0, 0);
    comparison_.hold();
    watch(problem);
    end_period({});
}

/// The certificate refers to the network on which the epoch was played.
void RouteRun::end_epoch(RunEnding ending) {
    if (primary_.learner)
        primary_.epochs->end(primary_.learner->close(), ending, primary_.learner->seconds());
}

/// After a change of the network, adapts all methods and starts a new epoch.
void RouteRun::revise() {
    const auto repair = [&](View x) { keeper_.repair(x); };
    repair(splits_.now);
    if (!splits_.before.empty()) repair(splits_.before);
    if (!primary_.learner) {
        repair(parts_.start);
        return;
    }
    const RoundReport report = primary_.learner->revise(repair);
    if (report.status == RoundStatus::refused) {
        throw DataError(here("events"), "after this change of the network, costs are not finite",
                        "capacities that costs can be computed for, or \"close\": true");
    }
    primary_.revision_gradients += report.cost.record_gradients;
    primary_.epochs->begin(primary_.learner->facts(), primary_.learner->seconds());
    ++primary_.epoch;
    comparison_.revise(repair);
    outcome_.paths_added = keeper_.added();
}

void RouteRun::learn() {
    if (settings_.generate > 0) search_.recent.push(last_.demand);
    const RoundReport report = primary_.learner->observe(last_.demand);
    PeriodRow& row = last_.row;
    const double seconds = primary_.learner->seconds();
    row.seconds = seconds - std::exchange(primary_.seconds, seconds);
    row.status = name(report.status);
    row.steps = report.steps;
    if (report.status != RoundStatus::refused) {
        row.entry_gap = report.entry_gap;
        row.exit_gap = report.exit_gap;
        row.tolerance = report.tolerance;
    }
    outcome_.busiest_decision = std::max<Real>(outcome_.busiest_decision, row.seconds);
    outcome_.guarded([&] { primary_.epochs->add(report, primary_.learner->ensemble()); });
    note_figures(&report);
    primary_.sums.add(row.figures, row.seconds,
                      report.cost.record_gradients + std::exchange(primary_.revision_gradients, 0));
}

/// What is known of a turn without a round.
void RouteRun::note_figures(const RoundReport* report) {
    const PeriodRow& row = last_.row;
    const bool measured = report != nullptr && report->status != RoundStatus::refused;
    const bool waiting = row.status == kWaiting;
    const auto known = [](bool holds, Real value) { return holds ? value : kNotKnown; };
    const PeriodFigures& figures = row.figures;
    const bool met = report != nullptr;
    last_.figures = {known(met || waiting, figures.cost),
                     known(met || waiting, figures.demand),
                     known(met || waiting, figures.utilisation_max),
                     known(met || waiting, figures.churn),
                     known(measured, met ? report->entry_gap : 0),
                     known(measured, met ? report->firm_bound + report->gap_rounding : 0),
                     known(measured, met ? report->tolerance : 0),
                     primary_.epochs ? primary_.epochs->regret() : 0,
                     primary_.epochs ? primary_.epochs->regret_bound() : 0,
                     known(met, static_cast<Real>(row.steps)),
                     known(met, met ? static_cast<Real>(report->cost.record_gradients) : 0),
                     known(met, row.seconds)};
}

void RouteRun::watch(std::string_view problem) {
    last_.observed = true;
    const ConstView demand = last_.period.demand;
    std::vector<Index> unroutable;
    AlarmInput input{
        .period = last_.row.number, .problem = problem, .waited = std::exchange(input_.waited, 0)};
    if (problem.empty()) {
        for (const Index pair : keeper_.unreachable())
            if (demand[pair] > 0) unroutable.push_back(pair);
        input.utilisation = last_.links.utilisation;
        input.demand = demand;
        input.unroutable = unroutable;
        input.entry_gap = last_.row.entry_gap;
    }
    alarms_.observe(input);
}

void RouteRun::search_paths() {
    Scratch::Frame frame(scratch_);
    const DemandBatch& recent = search_.recent;
    const std::vector<Real> weights(recent.size(), 1 / static_cast<Real>(recent.size()));
    constexpr Real kMargin = 1e-3;
    const Pricing pricing = search_.pricer.price(*scenario_.routing, recent.mix(weights, frame),
                                                 primary_.learner->decide(), kMargin, scratch_);
    if (pricing.changes.empty()) return;
    end_epoch(RunEnding::finished);
    keeper_.add(pricing);
    revise();
}

std::vector<Certificate> RouteRun::certificates(RunEnding ending) const {
    if (!primary_.epochs) return {};
    return primary_.epochs->certificates_here(primary_.learner->close(), ending, primary_.learner->seconds());
}

std::vector<MethodRow> RouteRun::methods() const {
    std::vector<MethodRow> rows{primary_.sums.row()};
    rows.front().name = settings_.learner;
    rows.front().label = strategy_label(settings_.learner, settings_);
    rows.front().primary = true;
    comparison_.add_rows(rows);
    if (!rows.back().lower_bound) return rows;
    const Real lower_bound = rows.back().total_cost;
    for (MethodRow& row : rows) row.ratio = row.total_cost / lower_bound;
    return rows;
}

void RouteRun::certify(RunEnding ending) {
    outcome_.alarms = alarms_.total();
    outcome_.paths_added = keeper_.added();
    outcome_.certificates = certificates(ending);
    outcome_.sound = sound(outcome_.certificates);
    outcome_.methods = methods();
}

RunResult RouteRun::result() const {
    return {.certificate = epochs_json(outcome_.certificates),
            .page = outputs_.series ? to_json(report()) : std::string()};
}

void RouteRun::finish() {
    if (primary_.epochs) {
        outcome_.guarded([&] {
            primary_.epochs->close_ledger(primary_.learner->close(), outcome_.ending,
                                          primary_.learner->seconds());
        });
    }
    if (outputs_.files) outcome_.guarded([&] { outputs_.files->finish(outcome_.methods, scenario_.notes); });
    if (outputs_.decisions) outcome_.guarded([&] { outputs_.decisions->close(); });
    if (!settings_.report.empty()) outcome_.guarded([&] { write_report(settings_.report, report()); });
}

ReportData RouteRun::report() const {
    const std::vector<std::vector<Real>> costs = comparison_.costs();
    return outputs_.series->report({.settings = settings_,
                                    .scenario = scenario_,
                                    .version = origin_.version,
                                    .command = origin_.command,
                                    .methods = outcome_.methods,
                                    .rival_costs = costs,
                                    .certificates = outcome_.certificates,
                                    .alarms = alarms_.all()});
}

}  // namespace proxstream
