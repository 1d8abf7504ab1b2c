/// The settings of `route` and `assign`, with their options.
#pragma once

#include "front/learner_settings.hpp"
#include "route/alarms.hpp"
#include "run/run_settings.hpp"
#include "run/setting_list.hpp"
#include "store/store_settings.hpp"

#include <span>
#include <string>

namespace proxstream {

struct NetworkSettings {
    std::string network;  // a file, or builtin:ring, builtin:grid, builtin:mesh with their arguments
    std::string format = "auto";
    std::string nodes;  // coordinates
    std::string toll_factor = "auto";
    std::string distance_factor = "auto";
};

struct DemandSettings {
    std::string demand;  // a file, a folder, "-"; empty: the built-in network's own, or the file's trips
    std::string demand_format = "auto";
    Real scale = 1;
    Real peak = 0;      // utilisation that the best static splits reach after scaling capacities; 0: unscaled
    Index periods = 0;  // the number of the last period; 0: all of them
    Index repeat = 1;
    std::string first_demand;  // a file; the first splits are optimal for it
    Real minutes = 0;          // of a period; 0: unknown, or the built-in's
    std::string on_bad_period = "stop";
};

struct PathSettings {
    Index paths = 4;
    bool diverse = false;
    std::string path_file;
    Index generate = 0;  // periods between searches for missing paths; 0: never
    Index spare = 4;     // extra path slots for them
    Real slack = 0;      // price of a unit of demand not served; 0: everything is served
    Real path_price = 0;
};

struct RouteSettings : NetworkSettings,
                       DemandSettings,
                       PathSettings,
                       LearnerSettings,
                       SeedSettings,
                       AlarmOptions,
                       RunSettings,
                       StoreSettings {
    RouteSettings() {
        inner = "blocks";
        max_steps = 50;
    }

    // costs
    std::string cost = "bpr";
    std::string objective = "system";

    // rivals
    std::string rivals;  // separated by ";"; empty: the default ones
    bool compare = true;
    bool clairvoyant = true;
    Real rival_gap = 1e-4;  // relative gap of re-solving rivals and the lower bound

    // output
    std::string out;
    std::string detail = "links";
    std::string decisions;
    std::string report;
    std::string ledger;

    /// The options, in the order of the help.
    static std::span<const OptionRow<RouteSettings>> options();
};

/// The form of link times: with the objective delay, queues unless the settings name another form.
std::string link_cost(const RouteSettings& settings);

/// Throws ConfigError with every violation.
void validate(const RouteSettings& settings);

}  // namespace proxstream
