/// Settings made into things: a network with paths and costs, and the demand that comes to it.
#pragma once

#include "proxstream/io/byte_source.hpp"

#include "route/route_settings.hpp"
#include "traffic/demand_stream.hpp"
#include "traffic/fed_demand.hpp"
#include "traffic/routing.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace proxstream {

struct Scenario {
    std::string title;
    std::shared_ptr<const Network> network;
    std::shared_ptr<Routing> routing;
    std::unique_ptr<DemandStream> stream;
    std::vector<Index> unreachable;      // pairs no path serves
    std::vector<Real> start;             // splits in force until the first demand is known
    std::vector<Real> mean_demand;       // over the whole stream; empty where it can be read only once
    std::vector<std::string> notes;      // what had to be decided, in sentences
    Real minutes = 0;                    // of a period; 0: not known
    std::string demand_unit, cost_unit;  // may be empty
};

/// Opens and reads everything up to the first period. Throws ConfigError, DataError, IoError.
Scenario open_scenario(const RouteSettings& settings, StopFlag stop);

/// The same on demand that is handed in, for the pairs of settings.demand, of the built-in network, or for
/// all pairs of zones; nothing is known in hindsight. `feed` is the stream in it.
Scenario open_fed_scenario(const RouteSettings& settings, FedDemand*& feed);

/// A network and one trip table, as `assign` reads them from files.
struct StaticTask {
    std::string title;
    std::shared_ptr<const Network> network;
    LinkCosts::Factors factors;
    Trips trips;
    std::vector<std::string> notes;
};
StaticTask open_static_task(const RouteSettings& settings);

}  // namespace proxstream
