/// Finds missing paths. For every pair this is the cheapest path of the whole network at the present marginal
/// costs, if cheaper than all its paths.
#pragma once

#include "traffic/demand_batch.hpp"
#include "traffic/shortest_paths.hpp"

#include <vector>

namespace proxstream {

struct Pricing {
    std::vector<PathChange> changes;  // paths to add, each in an empty slot or instead of an unused path
    Index full = 0;                   // pairs that have no slot for a missing path
    Real total = 0;                   // sum of splits times the prices of their paths
    Real lowest = 0;                  // the same with all demand on the cheapest path found

    /// (total - lowest) / lowest. For one demand and a convex objective it bounds the remaining gain,
    /// relative to the value of the linear model. Several demands that are not multiples of one another are
    /// priced at their mean marginal costs; the gap then covers only the paths found.
    Real gap() const { return lowest > 0 ? (total - lowest) / lowest : total > 0 ? kInfinity : 0; }
};

class ColumnPricer {
  public:
    explicit ColumnPricer(const Network& network);

    /// Not for the unweighted objective. A path is missing if it is cheaper than the pair's cheapest one,
    /// slack included, by more than `margin` times that one. The search uses link prices; a price on shares
    /// is added to the paths found.
    Pricing price(const Routing& routing, const DemandMix& mix, ConstView x, Real margin, Scratch& scratch);

  private:
    struct Task;
    struct Part;
    void price_origin(const Task& task, const PathSet::Tree& tree, Part& part) const;
    Real price_present(const Task& task, Index pair, Part& part) const;
    Real price_missing(const Task& task, Index pair, Real lowest, Part& part) const;

    std::vector<ShortestPaths> searches_;  // one for each part of the work
    std::vector<Real> free_times_;         // by link
    std::vector<Real> link_prices_;        // by link and column
    std::vector<Real> mean_prices_;        // by link, for the search
    std::vector<Real> slot_prices_;
    std::vector<Real> slot_mean_prices_;
};

}  // namespace proxstream
