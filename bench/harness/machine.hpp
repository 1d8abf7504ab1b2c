/// What the figures were measured on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace proxstream::bench {

/// Name and value, in the order they are shown.
using MachineFacts = std::vector<std::pair<std::string, std::string>>;

MachineFacts describe_machine();
/// Bytes of the largest cache the system tells of; 32 MiB where it tells of none.
std::size_t last_cache();

}  // namespace proxstream::bench
