/// Networks and demand as plain CSV tables.
#pragma once

#include "proxstream/traffic/open_network.hpp"

namespace proxstream {

/// Columns from, to and capacity, and where wanted name, length, free_time, b, power and toll.
NetworkFile read_link_table(const Input& input);
/// Columns origin, destination and demand.
Trips read_demand_table(const Input& input, const Network& network, std::vector<std::string>& notes);

/// Whether the line names the columns of such a table.
bool names_link_table(std::string_view line);
bool names_demand_table(std::string_view line);

}  // namespace proxstream
