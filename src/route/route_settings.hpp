/// Everything `route` and `assign` can be told, with the table that names it.
#pragma once

#include "core/option_table.hpp"
#include "store/store_settings.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proxstream {

struct RouteSettings : StoreSettings {
    // network
    std::string network;  // a file, or builtin:ring, builtin:grid, builtin:mesh with their arguments
    std::string format = "auto";
    std::string nodes;  // coordinates
    std::string toll_factor = "auto";
    std::string distance_factor = "auto";

    // demand
    std::string
        demand;  // a file, a folder, "-"; empty: the built-in network's own, or the network file's trips
    std::string demand_format = "auto";
    Real scale = 1;
    Real peak = 0;      // capacities are scaled so that static splits reach this utilisation; 0: as given
    Index periods = 0;  // the last one; 0: as many as there are
    Index repeat = 1;
    std::string first_demand;  // a file; splits of the first period are the best ones for it
    Real minutes = 0;          // of a period; 0: not known, or the built-in's
    std::string on_bad_period = "stop";

    // paths
    Index paths = 4;
    bool diverse = false;
    std::string path_file;
    Index generate = 0;  // periods between searches for missing paths; 0: never
    Index spare = 4;     // slots a pair for them
    Real slack = 0;      // price of a unit of demand not served; 0: everything is served
    Real path_price = 0;
    Real mu = 0;

    // costs
    std::string cost = "bpr";
    std::string objective = "system";

    // learner
    std::string learner = "time-smoothed";
    std::string window = "auto";
    std::string selection = "auto";  // of the automatic window: mean of its members, or draw one
    std::string model = "auto";
    Real hysteresis = 1;
    Real switching = 0;
    std::string step = "auto";
    std::string tolerance = "auto";
    std::string inner = "blocks";
    Index max_steps = 50;
    Real effort = 0;
    Real max_seconds = kInfinity;  // a period
    Index seed = 1;

    // rivals
    std::string rivals;  // separated by ";"; empty: the usual ones
    bool compare = true;
    bool clairvoyant = true;
    Real rival_gap = 1e-4;

    // alarms
    Real alarm_utilisation = 0.9;
    Real clear_utilisation = 0.8;
    Index sustain = 3;
    Real anomaly = 6;
    Real stale_seconds = 0;

    // run
    Index threads = 1;

    // output
    std::string out;
    std::string detail = "links";
    std::string decisions;
    std::string report;
    std::string ledger;
    Index progress = 0;
    bool quiet = false;
};

std::span<const OptionRow<RouteSettings>> route_options();

/// Whether figures may depend on the option.
bool bears_on_figures(const OptionRow<RouteSettings>& row);

/// Those options with their values, as a ledger or a folder carries them.
std::vector<std::pair<std::string, std::string>> figure_settings(const RouteSettings& settings);

/// The form of the links' times: the objective delay is made of queues unless it is told which.
std::string link_cost(const RouteSettings& settings);

/// Every violation at once; throws ConfigError.
void validate(const RouteSettings& settings);

}  // namespace proxstream
