/// The built-in city: a road network of any size with coordinates in metres, generated from a random seed.
///
/// - `ring`: rings around a centre and spokes that cross them. Every second spoke and every third ring is an
///   arterial; of four rings or more the outermost is a motorway.
/// - `grid`: rows and columns of streets; every fourth is an arterial.
///
/// Every street has both directions, so the network is strongly connected and stays so when one link is
/// closed. Capacities are in vehicles an hour, lengths in metres, times in minutes. b and power are those of
/// the BPR formula, steeper for streets than for motorways.
#pragma once

#include "proxstream/traffic/network.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace proxstream {

/// The street plan of a built-in city: `ring` has rings and spokes, `grid` has rows and columns.
/// CityOptions::form selects it.
///
/// \code
/// const City city = make_city({.form = CityForm::grid, .rows = 8, .columns = 8});
/// \endcode
enum class CityForm { ring, grid };

/// Size, form and random seed of a built-in city. The defaults make the ring of 5 rings and 12 spokes that
/// the program calls `builtin:ring`.
///
/// \code
/// const City city = make_city(CityOptions::parse("grid:rows=8,columns=8,seed=3"));
/// const City same = make_city({.form = CityForm::grid, .rows = 8, .columns = 8, .seed = 3});
/// \endcode
struct CityOptions {
    CityForm form = CityForm::ring;  ///< rings and spokes, or a grid
    Index rows = 5;                  ///< number of rings, at least 1; of a grid, of rows, at least 2
    Index columns = 12;              ///< number of spokes, at least 3; of a grid, of columns, at least 2
    Index zones = 24;  ///< nodes where trips start and end, at least 2; more than there are nodes: every node
    std::uint64_t seed = 1;  ///< random seed

    /// Reads `ring[:rings=5,spokes=12,zones=24,seed=1]` or `grid[:rows=8,columns=8,zones=24,seed=1]`. Throws
    /// ConfigError.
    static CityOptions parse(std::string_view text);
};

/// A node where trips start and end, with the number of people who live there and of jobs. Demand between
/// zones is derived from both.
///
/// \code
/// const City city = make_city({});
/// for (const Zone& zone : city.zones)
///     std::cout << city.network.node_name(zone.node) << ": " << zone.people << " people\n";
/// \endcode
struct Zone {
    NodeIndex node = 0;  ///< the node
    Real people = 0;     ///< people who live there
    Real jobs = 0;       ///< jobs there
};

/// A generated city: its road network and its zones. make_city makes one; the same options give the same
/// city.
///
/// \code
/// const City city = make_city({.rows = 3, .columns = 6});
/// std::cout << city.network.links() << " links, " << city.zones.size() << " zones\n";
/// \endcode
struct City {
    Network network;          ///< the streets
    std::vector<Zone> zones;  ///< ascending by node
};

/// Generates a city. Throws ConfigError that names every option that cannot be used.
City make_city(const CityOptions& options);

}  // namespace proxstream
