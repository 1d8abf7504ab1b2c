#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "io/output_file.hpp"
#include "route/scenario.hpp"
#include "traffic/assignment.hpp"
#include "traffic/split_set.hpp"
#include "traffic/tntp.hpp"

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

std::string_view describe(AssignmentStatus status) {
    switch (status) {
        case AssignmentStatus::reached:
            return "the gap is reached";
        case AssignmentStatus::out_of_rounds:
            return "the rounds ran out before the gap was reached";
        case AssignmentStatus::out_of_time:
            return "the time ran out before the gap was reached";
        case AssignmentStatus::stalled:
            return "nothing improves any more: the gap is below what rounding lets it reach";
        case AssignmentStatus::stopped:
            return "interrupted";
    }
    return "";
}

Real total_time(const LinkCosts& costs, ConstView loads) {
    Real total = 0;
    for (LinkIndex link = 0; link < loads.size(); ++link)
        total += loads[link] * costs.time(link, loads[link]).time;
    return total;
}

void write_flows(const std::string& path, const Network& network, const LinkCosts& costs, ConstView loads) {
    OutputFile file(path);
    file.write("link,from,to,flow,time,utilisation\n");
    for (LinkIndex link = 0; link < loads.size(); ++link) {
        file.write(fmt::format("{},{},{},{},{},{}\n", link, network.node_name(network.link(link).from),
                               network.node_name(network.link(link).to), loads[link],
                               costs.time(link, loads[link]).time, loads[link] / costs.capacity(link)));
    }
    file.close();
}

/// Flows somebody else found: how far ours are from them, and what they cost.
void compare_flows(const std::string& path, const Network& network, const LinkCosts& costs, ConstView loads) {
    const std::vector<Real> theirs = read_tntp_flows(path, network);
    Real largest = 0;
    Real worst = 0;
    for (Index link = 0; link < loads.size(); ++link) {
        largest = std::max(largest, theirs[link]);
        worst = std::max(worst, std::abs(loads[link] - theirs[link]));
    }
    const Real time = total_time(costs, theirs);
    fmt::print(
        "against      {}: total time {:.10g}, ours is {:+.3g} relative to it; largest difference of a flow "
        "{:.4g} "
        "({:.2g} of the largest flow)\n",
        path, time, total_time(costs, loads) / time - 1, worst, worst / largest);
}

}  // namespace

int assign_demand(const std::vector<std::string>& arguments) {
    RouteSettings settings;
    AssignTexts texts;
    AssignmentOptions options;
    const auto done = parse_command_line<RouteSettings>(
        "assign",
        "Assigns one demand matrix to a network: the system optimum or the user equilibrium over all its "
        "paths, which "
        "are\nfound on the way, to a relative gap.\n  proxstream assign NETWORK TRIPS --objective user --gap "
        "1e-6",
        arguments, route_options(), settings,
        {.extras = {{"gap", "GAP",
                     "relative gap to reach: (total - on shortest paths) / on shortest paths [1e-6]",
                     &texts.gap},
                    {"max-rounds", "N", "rounds of searching paths and sweeping [200]", &texts.rounds},
                    {"max-seconds", "S", "time to spend [no limit]", &texts.seconds},
                    {"flows", "FILE", "write the flow and time of every link as CSV", &texts.flows},
                    {"against", "FILE", "flows of somebody else (TNTP flow file or CSV) to compare with",
                     &texts.against}},
         .takes = takes,
         .checks = {
             [&] { validate(settings); },
             [&] {
                 std::vector<std::string> violations;
                 // What is no number lies in no range either.
                 const auto number = [](const std::string& text) {
                     try {
                         return parse_real(text, "");
                     } catch (const ConfigError&) {
                         return std::numeric_limits<Real>::quiet_NaN();
                     }
                 };
                 options.gap = number(texts.gap);
                 const Real rounds = number(texts.rounds);
                 options.max_seconds = number(texts.seconds);
                 if (!(options.gap >= 0 && options.gap < 1))
                     violations.push_back("gap = " + texts.gap + ": must be a number in [0, 1)");
                 if (!(rounds >= 1 && rounds <= 1e9))
                     violations.push_back("max-rounds = " + texts.rounds + ": must be a number in [1, 1e9]");
                 if (!(options.max_seconds > 0))
                     violations.push_back("max-seconds = " + texts.seconds + ": must be a positive number");
                 if (Objective::parse(settings.objective).kind == ObjectiveKind::unweighted)
                     violations.emplace_back("objective: unweighted is not convex; assign has no gap for it");
                 if (!violations.empty()) throw ConfigError(violations);
                 options.max_rounds = static_cast<Index>(rounds);
             }}});
    if (done) return *done;
    set_threads(settings.threads);
    options.stop = stop_requested();

    StaticScenario scenario = open_static_scenario(settings);
    Routing& routing = *scenario.routing;
    std::vector<Real> x = even_splits(routing.paths);
    ColumnPricer pricer(*scenario.network);
    const DemandColumn column{scenario.demand};
    const ColumnUse use{};
    const DemandMix mix{{&column, 1}, {&use, 1}, 1};
    Scratch scratch;
    Real total = 0;
    for (const Real each : scenario.demand) total += each;
    fmt::print("{}: {} nodes, {} links, {} pairs, demand {:.10g}\n", scenario.title,
               scenario.network->nodes(), scenario.network->links(), routing.paths.pairs(), total);
    for (const std::string& note : scenario.notes) fmt::print("note: {}\n", note);
    if (!routing.costs.convex())
        fmt::print("note: this objective is not convex; the gap is about its linear model\n");
    if (!settings.quiet)
        fmt::print("\n{:>6} {:>11} {:>18} {:>9} {:>9}\n", "round", "gap", "objective", "paths", "seconds");
    AssignmentResult result;
    double spent = 0;
    for (Index slots = 8;; slots *= 2) {
        widen(routing, *scenario.network, slots, x);
        AssignmentOptions rest = options;
        rest.max_rounds = options.max_rounds - result.last.round;
        rest.max_seconds = options.max_seconds - spent;
        const Index before = result.last.round;
        AssignmentResult found =
            assign(routing, pricer, mix, x, rest, scratch, [&](const AssignmentRound& round) {
                if (settings.quiet) return;
                fmt::print("{:>6} {:>11.4g} {:>18.11g} {:>9} {:>9.3f}\n", before + round.round, round.gap,
                           round.value, round.paths, spent + round.seconds);
            });
        spent += found.last.seconds;
        found.last.round += before;
        result = found;
        const bool wants_room = result.full > 0 && result.status == AssignmentStatus::stalled;
        if (!wants_room || slots > 4096) break;
    }

    std::vector<Real> loads(routing.costs.links());
    find_loads(routing.paths, mix.columns, x, loads, scratch);
    fmt::print("\n{}: {}\n", settings.objective, describe(result.status));
    fmt::print("relative gap {:.4g} after {} rounds, {:.3f} s\n", result.last.gap, result.last.round, spent);
    fmt::print("objective    {:.12g}\ntotal time   {:.12g}\npaths        {}\n", result.last.value,
               total_time(routing.costs, loads), result.last.paths);
    if (!texts.against.empty()) compare_flows(texts.against, *scenario.network, routing.costs, loads);
    if (!texts.flows.empty()) write_flows(texts.flows, *scenario.network, routing.costs, loads);
    if (result.status == AssignmentStatus::stopped) return kInterrupted;
    return result.status == AssignmentStatus::reached ? kOk : kNotCertified;
}

}  // namespace proxstream::app
