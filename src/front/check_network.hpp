/// Checks that the short calls on networks share.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/traffic/link_costs.hpp"
#include "proxstream/traffic/network.hpp"

#include <span>
#include <string>
#include <vector>

namespace proxstream {

/// Adds a violation for every link with a capacity, time or parameter that costs cannot be computed with.
void check_links(const Network& network, std::vector<std::string>& violations);

/// "FROM->TO".
std::string pair_name(const Network& network, const Pair& pair);

/// Pairs of existing nodes, no pair twice and none with itself; `source` names the demand. Throws DataError.
void check_pairs(const Network& network, std::span<const Pair> pairs, const std::string& source);

/// One finite number >= 0 for each pair. Throws DataError.
void check_demand(const Network& network, std::span<const Pair> pairs, ConstView demand,
                  const std::string& source);

}  // namespace proxstream
