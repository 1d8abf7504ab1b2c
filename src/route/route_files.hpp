/// The files that a run writes into its folder: consistent tables of text (docs/route-files.md).
///
///   run.json           settings, counts, units; whether the run came to its end
///   network.geojson    nodes and links
///   links.csv          link,name,from,to,capacity,free_time
///   pairs.csv          pair,origin,destination
///   paths.csv          path,slot,pair,origin,destination,epoch,state,links,nodes: a row when a path comes
///                      (live) and one when it goes (gone); links by number, in the order of travel
///   periods.csv        a row a period
///   events.csv         period,event,link,name,factor,text
///   alarms.csv         alarm,kind,subject,state,period,value,text: a row when raised and one when cleared
///   methods.csv        a row a method, at the end
///   flows_last.geojson links with load, utilisation and time of the last period that was measured
///   link_flows.csv     period,link,load,time,utilisation,capacity,cost: detail links and all
///   splits.csv         period,path,split,time: used paths, detail all
///   demand.csv         period,pair,demand: pairs with demand, detail all
///
/// An empty field is an unknown number. A run that is killed leaves whole lines (CsvFile). The row of a
/// period in periods.csv is written last: if it is there, the period is complete.
#pragma once

#include "io/csv_file.hpp"
#include "route/alarms.hpp"
#include "route/path_log.hpp"
#include "route/route_rows.hpp"
#include "store/journal.hpp"
#include "traffic/demand_stream.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

enum class RouteDetail : std::uint8_t { periods, links, all };
std::string_view name(RouteDetail detail);
/// Throws ConfigError that names what is allowed.
RouteDetail route_detail(std::string_view text);

/// The content of run.json, except counts.
struct RouteFacts {
    std::string version = {};
    std::string command = {};  // to run it again
    std::vector<std::pair<std::string, std::string>> settings = {};
    std::string cost = {};         // form of the link costs, as the command line takes it
    std::string objective = {};    // likewise
    std::string demand_unit = {};  // of demand and capacity
    std::string cost_unit = {};
};

/// The state of a period, as views that must be valid during the call.
struct PeriodState {
    const Routing& routing;
    ConstView demand;          // by pair; empty: unknown
    ConstView splits;          // by slot
    const LinkFigures& links;  // ignored if the demand is unknown
    std::span<const NetworkEvent> events;
};

class RouteFiles {
  public:
    /// Factors of events refer to the capacities in `routing`. Nothing is written before open().
    RouteFiles(std::string folder, RouteDetail detail, RouteFacts facts, const Network& network,
               const Routing& routing);

    /// Continues the files that the restored state has. If it has none, makes the folder and replaces the
    /// files of an earlier run. Throws ConfigError for a file of that name from another source, IoError if a
    /// file cannot be written.
    void open(const Routing& routing, const Journal* journal = nullptr);
    /// Events before the next period; they are written with it.
    void announce(std::span<const NetworkEvent> events);
    /// Call it for every period in turn, after `alarms` has observed it.
    void write(const PeriodRow& row, const PeriodState& state, const AlarmMonitor& alarms);
    /// Methods, flows_last.geojson and the end of run.json. `notes`: decisions of the readers, in sentences.
    void finish(std::span<const MethodRow> methods, std::span<const std::string> notes = {});

    const std::string& folder() const noexcept { return folder_; }
    /// Between two periods.
    void serialise(StateArchive& archive);
    void mark_outputs(OutputMarks& marks);
    std::vector<std::string> outputs() const;

  private:
    /// Tables that grow with the periods; the detail decides which ones are written.
    enum Growing : std::uint8_t { kPeriodRows, kEventRows, kAlarmRows, kFlowRows, kSplitRows, kDemandRows };

    void write_run(bool finished, std::span<const std::string> notes) const;
    void write_network(const Routing& routing) const;
    void write_events(const PeriodRow& row);
    void write_flows(const PeriodRow& row, const PeriodState& period);
    void write_splits(const PeriodRow& row, const PeriodState& period);
    void write_alarms(const AlarmMonitor& alarms);
    void write_period(PeriodRow row);
    void write_methods(std::span<const MethodRow> methods) const;
    std::string path(std::string_view file) const;

    std::string folder_;
    RouteDetail detail_;
    RouteFacts facts_;
    const Network& network_;
    Network drawn_;  // with coordinates for all nodes
    Index pairs_;
    Index paths_now_;
    OutputMarks fixed_;  // files that do not grow
    PathLog paths_;
    std::array<std::optional<CsvFile>, 6> tables_;  // by Growing
    std::vector<NetworkEvent> announced_;
    std::optional<Index> epoch_;
    Index period_count_ = 0;
    Index alarm_count_ = 0;
    LinkFigures last_;
    std::vector<Real> capacity_;  // of every link; 0: closed
    std::string last_label_;
};

}  // namespace proxstream
