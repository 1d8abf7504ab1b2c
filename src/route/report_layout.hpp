/// Where a report draws its nodes.
#pragma once

#include "proxstream/traffic/network.hpp"

#include "route/report_data.hpp"

#include <span>
#include <vector>

namespace proxstream {

/// Names, capacities and places. Nodes without a place get one: between their neighbours if the network has
/// places at all, from lay_out otherwise.
ReportNetwork report_network(const Network& network);

/// Places for a graph that has none: near what they are linked to, no two on one spot, links about 1 long.
/// The same for the same graph; seconds for 10,000 nodes at most.
std::vector<Place> lay_out(Index nodes, std::span<const ReportLink> links);

}  // namespace proxstream
