/// Networks for maps.
#pragma once

#include "proxstream/traffic/network.hpp"

#include "route/report_data.hpp"
#include "traffic/period_figures.hpp"

#include <span>
#include <string>

namespace proxstream {

/// Nodes as points, links as lines. Coordinates are those of the network's file, in whatever system it uses;
/// those it does not give are taken from `drawn` and marked `made_up`.
std::string network_geojson(const Network& network, const ReportNetwork& drawn, ConstView capacity);

/// Links alone, with what was on them.
std::string flows_geojson(const Network& network, const ReportNetwork& drawn, const LinkFigures& links,
                          ConstView capacity, const std::string& label);

}  // namespace proxstream
