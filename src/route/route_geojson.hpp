/// Networks as GeoJSON, for maps.
#pragma once

#include "proxstream/traffic/network.hpp"

#include "traffic/period_figures.hpp"

#include <string>

namespace proxstream {

/// Nodes as points, links as lines, in the coordinate system of the network's file. Missing coordinates are
/// taken from `drawn` (drawn_network) and marked `made_up`.
std::string network_geojson(const Network& network, const Network& drawn, ConstView capacity);

/// Only the links, with their loads in the period called `label`.
std::string flows_geojson(const Network& network, const Network& drawn, const LinkFigures& links,
                          ConstView capacity, const std::string& label);

}  // namespace proxstream
