/// Networks and demands of SNDlib, native or XML.
#pragma once

#include "proxstream/traffic/open_network.hpp"

namespace proxstream {

/// With the demands of the file as trips, if it has any.
NetworkFile read_sndlib(const Input& input);
/// The demands alone, of nodes that `network` knows by name: files of dynamic demand hold a matrix each.
Trips read_sndlib_demands(const Input& input, const Network& network, std::vector<std::string>& notes);

}  // namespace proxstream
