/// Built-in networks and their demand, by name: builtin:ring, builtin:grid, builtin:mesh.
#pragma once

#include "traffic/demand_stream.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace proxstream {

/// A network and its demand.
struct NetworkSource {
    std::string title = {};
    std::shared_ptr<const Network> network = {};
    std::function<std::unique_ptr<DemandStream>()> open_demand =
        {};                                        // opens the stream at its beginning; may be empty
    Real minutes = 0;                              // of a period; 0: unknown
    std::string demand_unit = {}, cost_unit = {};  // may be empty
};

struct BuiltInRow {
    std::string_view name, usage, help;
};
std::span<const BuiltInRow> built_in_networks();
std::span<const BuiltInRow> built_in_demands();

/// `network` is one of built_in_networks() with its arguments; `demand` empty or `week[:..]` for the cities,
/// `bursts[:..]` for the mesh. Throws ConfigError.
NetworkSource make_built_in(const std::string& network, const std::string& demand, std::uint64_t seed);

}  // namespace proxstream
