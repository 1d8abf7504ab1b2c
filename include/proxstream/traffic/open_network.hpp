/// Networks from files of several formats, told apart by their content.
#pragma once

#include "proxstream/io/byte_source.hpp"
#include "proxstream/traffic/network.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

enum class NetworkFormat { detect, tntp, sndlib, csv, topology };

/// auto, tntp, sndlib, csv or topology; throws ConfigError for another word.
NetworkFormat parse_network_format(std::string_view name);

struct NetworkOptions {
    NetworkFormat format = NetworkFormat::detect;
    /// What a unit of toll and of length adds to a link's time. Some TNTP files name theirs; what is given
    /// here comes first.
    std::optional<Real> toll_factor = {};
    std::optional<Real> distance_factor = {};
    std::string trips_path = {};    // a demand matrix beside the network; empty: what the file itself holds
    std::string nodes_path = {};    // coordinates: a TNTP node file, CSV (node,x,y) or GeoJSON
    std::string geojson_path = {};  // coordinates, as points with a property id, name or node
};

struct NetworkFile {
    Network network;
    std::optional<Trips> trips = {};
    Index zones = 0;  // the first so many nodes may be origins and destinations
    Real toll_factor = 0;
    Real distance_factor = 0;
    std::vector<std::string> notes = {};  // sentences: what had to be decided
    std::string format = {};
};

/// "-" is standard input. Throws IoError, DataError, ConfigError.
NetworkFile open_network(const std::string& path, const NetworkOptions& options = {});
NetworkFile read_network(const Input& input, const NetworkOptions& options = {});

/// A demand matrix in any of the formats: TNTP trips, SNDlib demands, CSV (origin,destination,demand).
Trips read_trips(const Input& input, const Network& network, std::vector<std::string>& notes);

/// Coordinates for the nodes of `network`, in any of the formats of NetworkOptions::nodes_path.
void read_places(const Input& input, Network& network, std::vector<std::string>& notes);

}  // namespace proxstream
