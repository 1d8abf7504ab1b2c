/// Where pages and maps draw nodes.
#pragma once

#include "proxstream/traffic/network.hpp"

#include <span>
#include <vector>

namespace proxstream {

/// The network with a place for every node. Nodes that have none lie between their neighbours if the network
/// has places at all, else where lay_out puts them.
Network drawn_network(Network network);

/// Places for a graph without any: near what they are linked to, no two on one spot, links about 1 long. The
/// same for the same graph; seconds for 10,000 nodes at most.
std::vector<Place> lay_out(Index nodes, std::span<const Link> links);

}  // namespace proxstream
