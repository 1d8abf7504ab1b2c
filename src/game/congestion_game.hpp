/// Carriers on a network (atomic-splittable players): each has a share of the demand of every pair and splits
/// it over the pair's paths. Carrier i pays the travel time of its own traffic,
///   cost_i = sum_e y^i_e t_e(y^i_e + R_e) / unit,
/// where y^i_e is its load on link e and R_e the load of its rivals. The unit is the travel time of all
/// demand on empty roads. A record is R, a number for each link.
#pragma once

#include "game/game.hpp"
#include "traffic/routing.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

struct CongestionOptions {
    /// A network file in a format of open_network(), a folder with one *_net.tntp and one *_trips.tntp, or
    /// `builtin:ring[:..]` and `builtin:grid[:..]` as CityOptions reads them, with the demand of a Monday at
    /// 8:00.
    std::string network = "builtin:ring:rings=3,spokes=6,zones=8";
    std::string trips = {};         // a file of demand, for a network file without one
    Index carriers = 3;             // from 2 to 1000
    std::vector<Real> shares = {};  // of the demand, positive; empty: equal ones
    Index paths = 4;                // of a pair
    std::string cost = "bpr";       // as LinkCosts reads it; s-shape makes costs that are not convex
    Real scale = 1;                 // multiplies the demand
};

/// What carriers have in common.
struct CongestionGround {
    Network network;
    std::shared_ptr<const Routing> routing;  // its unit is the one above
    std::vector<Real> demand;                // by pair, of all carriers together
    std::vector<Real> shares;                // by carrier; they sum to 1
};

/// Throws ConfigError, DataError, IoError.
CongestionGround make_congestion_ground(const CongestionOptions& options);
GameDefinition make_congestion_game(std::string name, const std::shared_ptr<const CongestionGround>& ground);

}  // namespace proxstream
