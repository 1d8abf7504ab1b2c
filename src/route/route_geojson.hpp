/// Networks as GeoJSON, for maps.
#pragma once

#include "proxstream/traffic/network.hpp"

#include "traffic/period_figures.hpp"

#include <string>

namespace proxstream {

/// Nodes as points, links as lines. Coordinates are those of the network's file, in whatever system it uses;
/// those it does not give are taken from `drawn` (drawn_network) and marked `made_up`.
std::string network_geojson(const Network& network, const Network& drawn, ConstView capacity);

/// Links alone, with their loads in the period called `label`.
std::string flows_geojson(const Network& network, const Network& drawn, const LinkFigures& links,
                          ConstView capacity, const std::string& label);

}  // namespace proxstream
