/// Networks from files of several formats, which are recognised by their content.
#pragma once

#include "proxstream/io/byte_source.hpp"
#include "proxstream/traffic/network.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// The formats of network files: TNTP, SNDlib (XML or native text), CSV, and lists of links (`topology`).
/// `detect` recognises them by their content.
///
/// \code
/// const NetworkFormat format = parse_network_format("tntp");
/// \endcode
enum class NetworkFormat { detect, tntp, sndlib, csv, topology };

/// Reads auto, tntp, sndlib, csv or topology. Throws ConfigError for another word.
NetworkFormat parse_network_format(std::string_view name);

/// How to read a network file: its format, further files with demand or coordinates, and the weights of tolls
/// and lengths. The defaults recognise the format and read the one file alone.
///
/// \code
/// const NetworkFile file = open_network("SiouxFalls_net.tntp", {.trips_path = "SiouxFalls_trips.tntp"});
/// std::cout << file.network.links() << " links\n";
/// \endcode
struct NetworkOptions {
    NetworkFormat format = NetworkFormat::detect;  ///< the format; `detect`: by content
    /// Time that a unit of toll adds to a link. Some TNTP files state theirs; a factor given here replaces
    /// it.
    std::optional<Real> toll_factor = {};
    /// The same for a unit of length.
    std::optional<Real> distance_factor = {};
    std::string trips_path = {};  ///< file of a demand matrix; empty: that of the network file, if it has one
    std::string nodes_path = {};  ///< file of coordinates: a TNTP node file, CSV (node,x,y) or GeoJSON
    std::string geojson_path = {};  ///< GeoJSON file of coordinates: points with a property id, name or node
};

/// A network as read from a file, with the demand, zones and factors that came with it. `notes` says which
/// decisions the reader had to make: show them to the user.
///
/// \code
/// const NetworkFile file = open_network("network.csv");
/// for (const std::string& note : file.notes) std::cerr << note << '\n';
/// \endcode
struct NetworkFile {
    Network network;                      ///< the network
    std::optional<Trips> trips = {};      ///< the demand matrix, if there is one
    Index zones = 0;                      ///< this many first nodes may be origins and destinations
    Real toll_factor = 0;                 ///< time for each unit of toll, for LinkCosts::Factors
    Real distance_factor = 0;             ///< time for each unit of length, for LinkCosts::Factors
    std::vector<std::string> notes = {};  ///< decisions of the reader, each a sentence
    std::string format = {};              ///< the format that was found
};

/// Reads a network from a file; "-" is standard input. Throws IoError, DataError or ConfigError.
NetworkFile open_network(const std::string& path, const NetworkOptions& options = {});
/// The same from any input.
NetworkFile read_network(const Input& input, const NetworkOptions& options = {});

/// Reads a demand matrix in any of the formats: TNTP trips, SNDlib demands, CSV (origin,destination,demand).
/// Appends the reader's decisions to `notes`.
Trips read_trips(const Input& input, const Network& network, std::vector<std::string>& notes);

/// Reads coordinates of the nodes of `network`, in any of the formats of NetworkOptions::nodes_path. Appends
/// the reader's decisions to `notes`.
void read_places(const Input& input, Network& network, std::vector<std::string>& notes);

}  // namespace proxstream
