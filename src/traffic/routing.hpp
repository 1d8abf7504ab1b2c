/// The present state of a network: paths, costs, and prices beyond those of links. Paths and capacities
/// change between rounds; all demands of a window are evaluated in the present state.
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
    Real path_price = 0;                  // of a share of 1, for each unit of its free-flow time
    std::vector<Real> share_prices = {};  // path_price times free-flow time, by slot; empty: none
    Real slack_price = 0;                 // per unit of demand that leaves the network by an empty path
    std::vector<char> closed = {};        // by link; empty: none is closed
    Real unit = 1;                        // losses are divided by it, so that they are of the order of 1

    Index dimension() const noexcept { return paths.slots(); }
    /// The parts that change during a run.
    void serialise(StateArchive& archive);
};

/// A demand vector, of which other demands are multiples: a column of the batched passes.
struct DemandColumn {
    ConstView demand;  // by pair; empty: 1 for every pair
};

/// loads[link * columns + k]: the load of column k on the link at splits x. One walk over the trees serves
/// all columns; large ones use several threads, with the same bits.
void find_loads(const PathSet& paths, std::span<const DemandColumn> columns, ConstView x, View loads,
                Scratch& scratch);
/// The same for one demand.
void find_loads(const PathSet& paths, ConstView demand, ConstView x, View loads, Scratch& scratch);

/// gradient[slot] = sum over columns of demand times the sum of prices[link * columns + k] along its path; 0
/// for empty slots.
void price_paths(const PathSet& paths, std::span<const DemandColumn> columns, ConstView prices, View gradient,
                 Scratch& scratch);

}  // namespace proxstream
