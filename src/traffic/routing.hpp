/// A network as it is routed on now: paths, costs, and the prices that are not a link's. Between rounds paths
/// come and go and capacities change; the records of a window are demands, and are evaluated on it as it is.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/traffic/link_costs.hpp"

#include "traffic/path_set.hpp"

#include <span>
#include <vector>

namespace proxstream {

struct Routing {
    PathSet paths;
    LinkCosts costs;
    Real path_price = 0;                  // of a share of 1, times the free-flow time of its path
    std::vector<Real> share_prices = {};  // what that comes to, by slot; empty: none
    Real slack_price = 0;                 // of a unit of demand that leaves the network by an empty path
    std::vector<char> closed = {};        // by link: no path may be added there; empty: none is closed
    Real unit = 1;                        // losses are divided by it, so that they are of the order of 1

    Index dimension() const noexcept { return paths.slots(); }
    /// What a run changes of it.
    void exchange(Checkpoint& checkpoint);
};

/// A demand vector that others are multiples of: a column of the batched passes.
struct DemandColumn {
    ConstView demand;  // by pair; empty: 1 for every pair
};

/// loads[link * columns + k] = what column k puts on the link at splits x. One walk over the trees, whatever
/// the number of columns; large ones on several threads, with the same bits.
void find_loads(const PathSet& paths, std::span<const DemandColumn> columns, ConstView x, View loads,
                Scratch& scratch);

/// gradient[slot] = sum over columns of demand times the sum of prices[link * columns + k] along its path; 0
/// for empty slots.
void price_paths(const PathSet& paths, std::span<const DemandColumn> columns, ConstView prices, View gradient,
                 Scratch& scratch);

}  // namespace proxstream
