/// The folder a run writes: tables of text that add up, which reconcile() checks (docs/route-files.md).
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
/// Numbers are in the shortest form that reads back as the same bits; an empty field is a number nobody
/// knows. A row is a line, and lines are handed to the system whole: a run that is killed leaves whole lines.
/// A period's row in periods.csv comes last: the period is complete if it is there.
#pragma once

#include "route/alarms.hpp"
#include "route/report_data.hpp"
#include "route/route_rows.hpp"
#include "traffic/demand_stream.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

enum class RouteDetail : std::uint8_t { periods, links, all };
std::string_view name(RouteDetail detail);
/// Throws ConfigError that names what is allowed.
RouteDetail route_detail(std::string_view text);

/// What run.json says beyond counts.
struct RouteFacts {
    std::string version = {};
    std::string command = {};  // to run it again
    std::vector<std::pair<std::string, std::string>> settings = {};
    std::string cost = {};         // form of the link costs, as the command line takes it
    std::string objective = {};    // likewise
    std::string demand_unit = {};  // of demand and capacity
    std::string cost_unit = {};
};

/// A period as it was: views that need to last for the call only.
struct PeriodState {
    const Routing& routing;
    ConstView demand;          // by pair; empty: not known
    ConstView splits;          // by slot
    const LinkFigures& links;  // not looked at where the demand is not known
    std::span<const NetworkEvent> events;
};

class RouteFiles {
  public:
    /// Makes the folder. Files of a run before are replaced; throws ConfigError naming a file that is not
    /// ours and has the name of one, IoError if a file cannot be written. `drawn` has the places of the
    /// nodes. Capacities in `routing` are what events are factors of.
    RouteFiles(std::string folder, RouteDetail detail, RouteFacts facts, const Network& network,
               const ReportNetwork& drawn, const Routing& routing);
    /// Goes on with the folder of a run: `state`, which exchange() wrote between two periods, says from
    /// where, and what stands behind that place in its files is dropped.
    RouteFiles(std::string folder, RouteDetail detail, RouteFacts facts, const Network& network,
               const ReportNetwork& drawn, const Routing& routing, Checkpoint& state);
    ~RouteFiles();
    RouteFiles(RouteFiles&&) noexcept;

    /// What happened to the network before a period that has not come yet: written down with the next one.
    void announce(std::span<const NetworkEvent> events);
    /// Every period in turn, after `alarms` has observed it.
    void write(const PeriodRow& row, const PeriodState& state, const AlarmDesk& alarms);
    /// Methods, flows_last.geojson and the end of run.json. `notes`: sentences on what had to be decided.
    void finish(std::span<const MethodRow> methods, std::span<const std::string> notes = {});

    const std::string& folder() const noexcept;
    /// Between two periods; writing only.
    void exchange(Checkpoint& checkpoint);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
