/// Carriers on a network (atomic-splittable players): each has a share of the demand of every pair and splits
/// it over the pair's paths. Carrier i pays the time its own traffic takes,
///   cost_i = sum_e y^i_e t_e(y^i_e + R_e) / unit,
/// y^i being the load it puts on link e, R what its rivals put there; the unit is what all demand together
/// would take on empty roads. A record is R, a number a link, whatever the number of rivals and paths.
#pragma once

#include "proxstream/core/spec.hpp"

#include "game/game.hpp"
#include "traffic/routing.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

/// What carriers share.
struct CongestionGround {
    Network network;
    std::shared_ptr<const Routing> routing;  // its unit is the one above
    std::vector<Real> demand;                // by pair, of all carriers together
    std::vector<Real> shares;                // by carrier; they sum to 1
    std::string cost;                        // the text routing->costs was made from
};

struct CongestionOptions {
    /// A network file in a format of open_network(), a folder with one *_net.tntp and one *_trips.tntp, or
    /// `builtin:ring[:..]` and `builtin:grid[:..]` as CityOptions reads them, with the demand of a Monday at
    /// 8:00.
    std::string network = "builtin:ring:rings=3,spokes=6,zones=8";
    std::string trips = {};         // a file of demand, for a network file that holds none
    Index carriers = 3;             // from 2 to 1000
    std::vector<Real> shares = {};  // of the demand, positive; empty: equal ones
    Index paths = 4;                // a pair
    std::string cost = "bpr";       // as LinkCosts reads it; s-shape makes costs that are not convex
    Real scale = 1;                 // multiplies the demand
};

/// Throws ConfigError, DataError, IoError.
CongestionGround make_congestion_ground(const CongestionOptions& options);

class CongestionCost final : public PlayerCost {
  public:
    CongestionCost(std::shared_ptr<const CongestionGround> ground, Index carrier);

    Index dimension() const override { return ground_->routing->dimension(); }
    Index record_size() const override { return ground_->network.links(); }
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;
    /// Both count on no more than this: a link may carry the whole demand of every pair that has a path along
    /// it, all of them at once. Steep times make that very large (a hundred times what random plays meet, for
    /// BPR of power 4 on crowded roads); it holds all the same. Nullopt for times of infinite slope.
    std::optional<Real> smoothness() const override { return smoothness_; }
    std::optional<Real> variation() const override { return variation_; }
    bool convex() const override { return ground_->routing->costs.convex(); }

  private:
    void find_constants();

    std::shared_ptr<const CongestionGround> ground_;
    Index carrier_;
    std::optional<Real> smoothness_, variation_;
};

GameDefinition make_congestion_game(std::string name, const CongestionOptions& options);
/// `congestion[:NETWORK,trips=FILE,carriers=3,shares=.5/.3/.2,paths=4,cost=bpr,scale=1]`; values with commas
/// in parentheses.
GameDefinition make_congestion(const Spec& spec);

}  // namespace proxstream
