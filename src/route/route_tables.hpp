/// Names of the files a run writes and of their columns: one place for those who write and those who read.
#pragma once

#include <array>
#include <string_view>

namespace proxstream::route_tables {

inline constexpr std::string_view kRun = "run.json";
inline constexpr std::string_view kProgram = "proxstream route";  // "program" in it: the folder is ours
inline constexpr std::string_view kNetworkMap = "network.geojson";
inline constexpr std::string_view kLastFlowsMap = "flows_last.geojson";

template <std::size_t N>
struct Table {
    std::string_view file;
    std::array<std::string_view, N> columns;
};
template <class... Names>
constexpr Table<sizeof...(Names)> table(std::string_view file, Names... names) {
    return {file, {std::string_view(names)...}};
}

inline constexpr auto kLinks = table("links.csv", "link", "name", "from", "to", "capacity", "free_time");
inline constexpr auto kPairs = table("pairs.csv", "pair", "origin", "destination");
inline constexpr auto kPaths =
    table("paths.csv", "path", "slot", "pair", "origin", "destination", "epoch", "state", "links", "nodes");
inline constexpr auto kPeriods =
    table("periods.csv", "period", "label", "status", "demand", "unserved", "cost", "prices", "time",
          "mean_time", "utilisation_max", "utilisation_p95", "utilisation_median", "utilisation_mean",
          "overloaded", "overload", "churn", "paths_used", "paths_changed", "entry_residual", "exit_residual",
          "tolerance", "steps", "seconds", "epoch", "alarms_open");
inline constexpr auto kEvents = table("events.csv", "period", "event", "link", "name", "factor", "text");
inline constexpr auto kAlarms =
    table("alarms.csv", "alarm", "kind", "subject", "state", "period", "value", "text");
inline constexpr auto kMethods =
    table("methods.csv", "method", "label", "total_cost", "ratio", "churn", "overload_share",
          "utilisation_max", "utilisation_p95", "unserved", "gradients", "seconds", "role");
inline constexpr auto kFlows =
    table("link_flows.csv", "period", "link", "load", "time", "utilisation", "capacity", "cost");
inline constexpr auto kSplits = table("splits.csv", "period", "path", "split", "time");
inline constexpr auto kDemand = table("demand.csv", "period", "pair", "demand");

inline constexpr std::array<std::string_view, 13> kAllFiles{
    kRun,         kNetworkMap,  kLastFlowsMap, kLinks.file, kPairs.file,  kPaths.file, kPeriods.file,
    kEvents.file, kAlarms.file, kMethods.file, kFlows.file, kSplits.file, kDemand.file};

}  // namespace proxstream::route_tables
