/// The TNTP text format of road networks: links, trips and link flows, with the habits of real files: columns
/// named in a comment, fields left empty, semicolons glued on or missing, node numbers of any size and order.
#pragma once

#include "proxstream/io/byte_source.hpp"
#include "proxstream/traffic/open_network.hpp"

namespace proxstream {

/// The network and the factors its metadata may name; no trips.
NetworkFile read_tntp_network(const Input& input);

/// Pairs with demand; what stays within a zone is kept apart.
Trips read_tntp_trips(const Input& input, const Network& network, std::vector<std::string>& notes);

/// A volume a link: columns from, to and volume, by name, separated by blanks, tabs or commas. Parallel links
/// take their rows in order. Throws DataError unless every link has a row and every row a link.
std::vector<Real> read_tntp_flows(const Input& input, const Network& network);
std::vector<Real> read_tntp_flows(const std::string& path, const Network& network);

}  // namespace proxstream
