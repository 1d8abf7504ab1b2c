/// Names of the files that a run writes into its folder, and the columns of its tables (docs/route-files.md).
#pragma once

#include <array>
#include <string_view>

namespace proxstream::route_tables {

inline constexpr std::string_view kRun = "run.json";
/// Identifies our folders, as "program" in run.json.
inline constexpr std::string_view kProgram = "proxstream route";
inline constexpr std::string_view kNetworkMap = "network.geojson";
inline constexpr std::string_view kLastFlowsMap = "flows_last.geojson";

/// `columns`: those before the figures of period_columns() or method_columns(), if the table has them.
struct CsvTable {
    std::string_view file, columns;
};
inline constexpr CsvTable kLinks{"links.csv", "link,name,from,to,capacity,free_time"};
inline constexpr CsvTable kPairs{"pairs.csv", "pair,origin,destination"};
inline constexpr CsvTable kPaths{"paths.csv", "path,slot,pair,origin,destination,epoch,state,links,nodes"};
inline constexpr CsvTable kPeriods{"periods.csv", "period,label,status"};
inline constexpr CsvTable kEvents{"events.csv", "period,event,link,name,factor,text"};
inline constexpr CsvTable kAlarms{"alarms.csv", "alarm,kind,subject,state,period,value,text"};
inline constexpr CsvTable kMethods{"methods.csv", "method,label"};
inline constexpr CsvTable kFlows{"link_flows.csv", "period,link,load,time,utilisation,capacity,cost"};
inline constexpr CsvTable kSplits{"splits.csv", "period,path,split,time"};
inline constexpr CsvTable kDemand{"demand.csv", "period,pair,demand"};

inline constexpr std::array<std::string_view, 13> kAllFiles{
    kRun,         kNetworkMap,  kLastFlowsMap, kLinks.file, kPairs.file,  kPaths.file, kPeriods.file,
    kEvents.file, kAlarms.file, kMethods.file, kFlows.file, kSplits.file, kDemand.file};

}  // namespace proxstream::route_tables
