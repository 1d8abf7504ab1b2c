#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/drive_run.hpp"
#include "app/resume_settings.hpp"
#include "app/verbs.hpp"
#include "io/standard_error.hpp"
#include "route/epochs.hpp"
#include "route/route_run.hpp"
#include "route/route_tables.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

std::string or_dash(Real value, const char* format) {
    return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

void echo_scenario(const RouteSettings& settings, const Scenario& scenario) {
    const PathSet& paths = scenario.routing->paths;
    eprint("proxstream route\n");
    eprint("  network    {}: {} nodes, {} links\n", scenario.title, scenario.network->nodes(),
           scenario.network->links());
    eprint("  demand     {}, {} pairs\n", scenario.stream->source(), paths.pairs());
    eprint("  paths      {} in {} tree nodes\n", paths.live_slots(), paths.tree_nodes());
    eprint("  objective  {}, cost {}\n", settings.objective, link_cost(settings));
    eprint("  learner    {}, window {}, inner {}\n", settings.learner, settings.window, settings.inner);
    for (const std::string& note : scenario.stream->notes()) eprint("  note       {}\n", note);
    for (const std::string& note : scenario.notes) eprint("  note       {}\n", note);
    if (!scenario.unreachable.empty())
        eprint("  note       {} pairs have no path; demand on one is refused\n", scenario.unreachable.size());
}

void print_methods(const std::vector<MethodRow>& methods) {
    std::size_t width = 8;
    for (const MethodRow& row : methods) width = std::max(width, row.label.size());
    fmt::print("{:<{}}  {:>12} {:>8} {:>8} {:>10} {:>7} {:>7} {:>9} {:>12} {:>9}\n", "method", width,
               "total cost", "/ bound", "churn %", "overload %", "max u", "p95 u", "unserved", "grads/period",
               "seconds");
    for (const MethodRow& row : methods) {
        fmt::print("{:<{}}{} {:>12.7g} {:>8} {:>8.3f} {:>10.3f} {:>7.3f} {:>7.3f} {:>9.4g} {:>12} {:>9.3f}\n",
                   row.label, width, row.primary ? '*' : ' ', row.total_cost, or_dash(row.ratio, "{:.4f}"),
                   100 * row.churn, 100 * row.overload_share, row.utilisation_max, row.utilisation_p95,
                   row.unserved, or_dash(row.gradients, "{:.1f}"), row.seconds);
    }
}

void print_outcome(const RouteSettings& settings, const RouteRun& run, const RouteOutcome& outcome) {
    fmt::print("\n{} periods in {:.3g} s", outcome.periods, outcome.seconds);
    if (outcome.held > 0) fmt::print(", {} of them held", outcome.held);
    fmt::print("; {} events, {} alarms", outcome.events, outcome.alarms);
    if (outcome.paths_added > 0) fmt::print(", {} paths added", outcome.paths_added);
    if (outcome.ending == RunEnding::interrupted) fmt::print(", interrupted");
    fmt::print("\nlongest decision {:.3g} ms; reference step {:.4g}\n\n", 1e3 * outcome.busiest_decision,
               run.step());
    print_methods(outcome.methods);
    if (!outcome.certificates.empty()) fmt::print("\n{}", epochs_text(outcome.certificates));
    if (outcome.io_error) return;
    if (!settings.out.empty()) fmt::print("\nwritten to {}\n", settings.out);
    if (!settings.report.empty()) fmt::print("\nreport: {}\n", settings.report);
}

/// Alarms as they come, and a line after some periods.
class RouteScreen {
  public:
    static constexpr const char* kTurn = "record";

    RouteScreen(const RouteSettings& settings, RouteRun& run)
        : settings_(settings), run_(run), schedule_(settings.progress) {
        eprint("\n{:>8} {:<16} {:>11} {:>11} {:>8} {:>7} {:>8} {:>10} {:>5} {:>8} {:>6}\n", "period", "label",
               "demand", "cost", "of bound", "max u", "churn %", "entry gap", "steps", "ms", "alarms");
    }

    void on_turn() {
        const RouteProgress& progress = run_.progress();
        if (progress.last == nullptr) return;  // events alone
        const PeriodRow& row = *progress.last;
        for (const Alarm& alarm : progress.raised)
            eprint("{:>8} ! {} {}: {}\n", row.number, name(alarm.kind), alarm.subject, alarm.text);
        for (const Alarm& alarm : progress.cleared)
            eprint("{:>8}   {} {}: cleared\n", row.number, name(alarm.kind), alarm.subject);
        if (schedule_.due(row.number)) print(row, progress.lower_bound_cost);
    }
    /// Standard output may carry the decisions.
    void end() {
        if (settings_.decisions != "-") print_outcome(settings_, run_, run_.outcome());
    }

  private:
    static void print(const PeriodRow& row, Real lower_bound) {
        if (!row.measured) {
            eprint("{:>8} {:<16} {:>11}\n", row.number, row.label.substr(0, 16), "held");
            return;
        }
        eprint("{:>8} {:<16} {:>11.5g} {:>11.5g} {:>8} {:>7.3f} {:>8.2f} {:>10} {:>5} {:>8.2f} {:>6}\n",
               row.number, row.label.substr(0, 16), row.figures.demand, row.figures.cost,
               or_dash(row.figures.cost / lower_bound, "{:.3f}"), row.figures.utilisation_max,
               100 * row.figures.churn, or_dash(row.entry_gap, "{:.3g}"), row.steps, 1e3 * row.seconds,
               row.alarms_open);
    }

    const RouteSettings& settings_;
    RouteRun& run_;
    LineSchedule schedule_;
};

int run_route(const RouteSettings& settings, const RunOrigin& origin, bool resumed) {
    set_threads(settings.threads);
    RouteRun run(settings, stop_requested(), origin);
    return drive_run<RouteScreen>(settings, run, resumed, [&] { echo_scenario(settings, run.scenario()); });
}

}  // namespace

int route(const std::vector<std::string>& arguments) {
    RouteSettings settings;
    const auto done = parse_command_line(
        "route",
        "Chooses splits over the paths of a network before each period's demand is known, so that the mean "
        "cost of the last W periods stays stationary. Ends with a table of rivals on the same periods and a "
        "certificate.\n"
        "  proxstream route NETWORK DEMAND [options]     proxstream route builtin:ring --report report.html",
        arguments, settings,
        {.files =
             [&](OutputPlan& plan) {
                 if (!settings.out.empty()) {
                     for (const std::string_view file : route_tables::kAllFiles)
                         plan.writes_in("out", settings.out, file);
                 }
                 // More epochs than these are not foreseen.
                 constexpr Index kEpochs = 100;
                 for (Index epoch = 2; !settings.ledger.empty() && epoch <= kEpochs; ++epoch)
                     plan.writes_in("ledger", "", epoch_path(settings.ledger, epoch));
             },
         .checks = {[&] { validate(settings); }}});
    if (done) return *done;
    return run_route(settings, origin_of("route", arguments), false);
}

int resume_route(const std::string& path, const std::vector<std::string>& arguments) {
    RouteSettings settings;
    if (const auto done = resume_settings(path, arguments, settings, {"periods"})) return *done;
    return run_route(settings, {PROXSTREAM_VERSION, {}}, true);
}

}  // namespace proxstream::app
