/// Which paths are missing: for every pair the cheapest path of the whole network at the present marginal
/// costs, held against those it has. Where it is cheaper than all of them, it prices out.
#pragma once

#include "traffic/demand_batch.hpp"
#include "traffic/shortest_paths.hpp"

#include <vector>

namespace proxstream {

struct Pricing {
    std::vector<PathChange> changes;  // paths to add, each in an empty slot or instead of an unused path
    Index full = 0;                   // pairs that want a path and have no slot for it
    Real total = 0;                   // sum of splits times the prices of their paths
    Real lowest = 0;                  // the same with everybody on the cheapest path found

    /// (total - lowest) / lowest: for one demand, and a convex objective, a bound on what is left to gain,
    /// relative to the linear model's value. Several demands that are no multiples of one another are priced
    /// at their mean marginal costs, and what is said then is about the paths that were found.
    Real gap() const { return lowest > 0 ? (total - lowest) / lowest : total > 0 ? kInfinity : 0; }
};

class ColumnPricer {
  public:
    explicit ColumnPricer(const Network& network);

    /// Not for the unweighted objective. A path is wanted if it is cheaper by more than `margin` times the
    /// cheapest the pair has, slack included. Paths are searched by their links' prices; a price on shares
    /// counts for those that are found.
    Pricing price(const Routing& routing, const DemandMix& mix, ConstView x, Real margin, Scratch& scratch);

  private:
    struct Part;
    void price_origin(const Routing& routing, const DemandMix& mix, ConstView x, const PathSet::Tree& tree,
                      Real margin, Part& part) const;

    std::vector<ShortestPaths> searches_;  // one for each part of the work
    std::vector<Real> free_times_;         // by link
    std::vector<Real> link_prices_;        // by link and column
    std::vector<Real> mean_prices_;        // by link: what paths are searched with
    std::vector<Real> slot_prices_;
    std::vector<Real> slot_mean_prices_;
};

}  // namespace proxstream
