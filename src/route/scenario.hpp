/// The network of a run with its paths, costs and demand, made from settings.
#pragma once

#include "proxstream/io/byte_source.hpp"

#include "route/built_in.hpp"
#include "route/route_settings.hpp"
#include "traffic/demand_reader.hpp"
#include "traffic/routing.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

struct Scenario : NetworkSource {
    std::shared_ptr<Routing> routing;
    std::unique_ptr<DemandStream> stream;
    std::vector<Index> unreachable;  // pairs without a path
    std::vector<Real> start;         // splits until the first demand is known
    std::vector<Real> mean_demand;   // over the whole stream; empty: it can be read only once
    std::vector<std::string> notes;  // decisions of the readers, each a sentence
};

/// Opens and reads everything up to the first period. Throws ConfigError, DataError, IoError.
Scenario open_scenario(const RouteSettings& settings, StopFlag stop);

/// The same for demand that the caller feeds into the stream `feed`. Pairs: those of settings.demand or of
/// the built-in network, otherwise all pairs of zones. Nothing is known in hindsight.
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
