/// Link lists of routing benchmarks: `Node_num: 12 Edge_num: 30`, then a line of column names and a row a
/// link.
#pragma once

#include "proxstream/traffic/open_network.hpp"

namespace proxstream {

NetworkFile read_topology(const Input& input);

}  // namespace proxstream
