/// Coordinates of nodes for pages and maps.
#pragma once

#include "proxstream/traffic/network.hpp"

#include <span>
#include <vector>

namespace proxstream {

/// The network with coordinates for every node. Missing coordinates lie between those of the neighbours if
/// the network has any, otherwise lay_out() makes them.
Network drawn_network(Network network);

/// Coordinates for a graph without any: neighbours are near, no two nodes coincide, links are about 1 long.
/// Deterministic. Takes seconds for 10,000 nodes.
std::vector<Place> lay_out(Index nodes, std::span<const Link> links);

}  // namespace proxstream
