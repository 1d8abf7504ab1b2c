/// The formats of networks, trips and link flows: a reader for each, and how it is recognised.
#pragma once

#include "proxstream/io/byte_source.hpp"
#include "proxstream/traffic/open_network.hpp"

namespace proxstream {

/// CSV: columns from, to and capacity; optional: name, length, free_time, b, power and toll.
NetworkFile read_link_table(const Input& input);
/// CSV: columns origin, destination and demand.
Trips read_demand_table(const Input& input, const Network& network, std::vector<std::string>& notes);
bool names_link_table(std::string_view line);
bool names_demand_table(std::string_view line);

/// Link lists of routing benchmarks: `Node_num: 12 Edge_num: 30`, then a table with a row for each link.
NetworkFile read_topology(const Input& input);

/// SNDlib, native or XML, with the demands of the file as trips, if it has any.
NetworkFile read_sndlib(const Input& input);
/// The demands alone, between nodes of `network`: files of dynamic demand hold one matrix each.
Trips read_sndlib_demands(const Input& input, const Network& network, std::vector<std::string>& notes);
bool begins_sndlib(std::string_view line);

/// The TNTP text format of road networks, as real files use it. It reads columns named in a comment, empty
/// fields, semicolons without blanks or missing, node numbers of any size and order. Returns the network and
/// the factors of its metadata; no trips.
NetworkFile read_tntp_network(const Input& input);
/// Reads pairs with demand. Demand within a zone is counted separately.
Trips read_tntp_trips(const Input& input, const Network& network, std::vector<std::string>& notes);
/// The volume of each link: columns from, to and volume, by name, separated by blanks, tabs or commas.
/// Parallel links take their rows in order. Throws DataError unless every link has a row and every row a
/// link.
std::vector<Real> read_tntp_flows(const Input& input, const Network& network);
bool begins_tntp(std::string_view line);

}  // namespace proxstream
