#include "proxstream/assign.hpp"

#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/violations.hpp"
#include "io/output_file.hpp"
#include "route/scenario.hpp"
#include "traffic/network_formats.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

struct AssignTexts {
    std::string gap = "1e-6";
    std::string rounds = "200";
    std::string seconds = "inf";
    std::string flows;
    std::string against;
};

bool takes(const OptionRow<RouteSettings>& row) {
    constexpr std::array<std::string_view, 12> kTaken{
        "network",       "format", "nodes", "toll-factor", "distance-factor", "demand",
        "demand-format", "scale",  "cost",  "objective",   "threads",         "quiet"};
    return std::find(kTaken.begin(), kTaken.end(), row.name) != kTaken.end();
}

void write_flows(const std::string& path, const Network& network, const Assignment& found) {
    OutputFile file = OutputFile::fresh(path);
    file.write("link,from,to,flow,time,utilisation\n");
    for (LinkIndex link = 0; link < network.links(); ++link) {
        file.write(fmt::format("{},{},{},{},{},{}\n", link, network.node_name(network.link(link).from),
                               network.node_name(network.link(link).to), found.link_flows[link],
                               found.link_times[link], found.link_utilisation[link]));
    }
    file.close();
}

/// How far our flows are from reference flows, and what those cost.
void compare_flows(const std::string& path, const Network& network, const Assignment& found,
                   const AssignOptions& options) {
    const std::vector<Real> theirs = read_tntp_flows(file_input(path), network);
    Real largest = 0;
    Real worst = 0;
    for (Index link = 0; link < theirs.size(); ++link) {
        largest = std::max(largest, theirs[link]);
        worst = std::max(worst, std::abs(found.link_flows[link] - theirs[link]));
    }
    const Real time = total_time(network, theirs, options);
    fmt::print(
        "against      {}: total time {:.10g}, ours is {:+.3g} relative to it; largest difference of a flow "
        "{:.4g} "
        "({:.2g} of the largest flow)\n",
        path, time, found.total_time / time - 1, worst, worst / largest);
}

/// Takes the limits of the run from the texts. Throws ConfigError with every violation.
void set_limits(const AssignTexts& texts, const RouteSettings& settings, AssignOptions& options) {
    // NaN fails every check below.
    const auto number = [](const std::string& text) {
        try {
            return parse_real(text, "");
        } catch (const ConfigError&) {
            return std::numeric_limits<Real>::quiet_NaN();
        }
    };
    options.gap = number(texts.gap);
    options.max_seconds = number(texts.seconds);
    const Real rounds = number(texts.rounds);
    Violations violations;
    violations.require(options.gap >= 0 && options.gap < 1, "gap = {}: must be a number in [0, 1)",
                       texts.gap);
    violations.require(rounds >= 1 && rounds <= 1e9, "max-rounds = {}: must be a number in [1, 1e9]",
                       texts.rounds);
    violations.require(options.max_seconds > 0, "max-seconds = {}: must be a positive number", texts.seconds);
    violations.require(Objective::parse(settings.objective).kind != ObjectiveKind::unweighted,
                       "objective: unweighted is not convex; assign has no gap for it");
    violations.conclude();
    options.max_rounds = static_cast<Index>(rounds);
}

void print_task(const StaticTask& task) {
    Real total = 0;
    Index pairs = 0;
    for (const Real each : task.trips.demand) {
        total += each;
        if (each > 0) ++pairs;
    }
    fmt::print("{}: {} nodes, {} links, {} pairs, demand {:.10g}\n", task.title, task.network->nodes(),
               task.network->links(), pairs, total);
    for (const std::string& note : task.notes) fmt::print("note: {}\n", note);
}

void print_result(const std::string& objective, const Assignment& found) {
    for (const std::string& note : found.notes) fmt::print("note: {}\n", note);
    fmt::print("\n{}: {}\n", objective, describe(found.status));
    fmt::print("relative gap {:.4g} after {} rounds, {:.3f} s\n", found.gap, found.rounds, found.seconds);
    fmt::print("objective    {:.12g}\ntotal time   {:.12g}\npaths        {}\n", found.objective,
               found.total_time, found.paths);
}

}  // namespace

int assign_demand(const std::vector<std::string>& arguments) {
    RouteSettings settings;
    AssignTexts texts;
    AssignOptions options;
    const auto done = parse_command_line<RouteSettings>(
        "assign",
        "Assigns one demand matrix to a network: the system optimum or the user equilibrium over all its "
        "paths, to a relative gap. Paths are found during the run.\n  proxstream assign NETWORK TRIPS "
        "--objective user --gap "
        "1e-6",
        arguments, settings,
        {.extras = {{"gap", "GAP",
                     "relative gap to reach: (total - on shortest paths) / on shortest paths [1e-6]",
                     &texts.gap},
                    {"max-rounds", "N", "rounds of searching paths and sweeping [200]", &texts.rounds},
                    {"max-seconds", "S", "time to spend [no limit]", &texts.seconds},
                    {"flows", "FILE", "write the flow and time of every link as CSV", &texts.flows},
                    {"against", "FILE", "reference link flows to compare with (TNTP flow file or CSV)",
                     &texts.against}},
         .files =
             [&](OutputPlan& plan) {
                 plan.reads("against", texts.against);
                 plan.writes("flows", texts.flows);
             },
         .takes = takes,
         .checks = {
             [&] { validate(settings); },
             [&] { set_limits(texts, settings, options); },
         }});
    if (done) return *done;
    set_threads(settings.threads);
    const StaticTask task = open_static_task(settings);
    options.objective = settings.objective;
    options.cost = settings.cost;
    options.toll_factor = task.factors.toll;
    options.distance_factor = task.factors.distance;
    options.demand_source = settings.demand;
    print_task(task);
    if (!settings.quiet)
        fmt::print("\n{:>6} {:>11} {:>18} {:>9} {:>9}\n", "round", "gap", "objective", "paths", "seconds");
    options.on_round = [&](const AssignmentRound& round) {
        if (!settings.quiet)
            fmt::print("{:>6} {:>11.4g} {:>18.11g} {:>9} {:>9.3f}\n", round.round, round.gap, round.objective,
                       round.paths, round.seconds);
        return !*stop_requested();
    };
    const Assignment found = assign(*task.network, task.trips, options);
    print_result(settings.objective, found);
    if (!texts.against.empty()) compare_flows(texts.against, *task.network, found, options);
    if (!texts.flows.empty()) write_flows(texts.flows, *task.network, found);
    if (found.status == AssignmentStatus::stopped) return kInterrupted;
    return found.reached() ? kOk : kNotCertified;
}

}  // namespace proxstream::app
