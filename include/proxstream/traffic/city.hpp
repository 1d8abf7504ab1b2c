/// The built-in city: a network with places in metres, made from a seed, of any size.
///
///   ring  rings around a centre and spokes that cross them; every second spoke and every third ring is an
///         arterial, the outermost of four rings or more a motorway
///   grid  rows and columns of streets; every fourth is an arterial
///
/// Every street has both directions, so the network is strongly connected and stays so when one link is
/// closed. Capacities are in vehicles an hour, lengths in metres, times in minutes; b and power are those of
/// the BPR formula, steeper for streets than for motorways.
#pragma once

#include "proxstream/traffic/network.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace proxstream {

enum class CityForm { ring, grid };

struct CityOptions {
    CityForm form = CityForm::ring;
    Index rows = 5;      // rings, from 1; of a grid from 2
    Index columns = 12;  // spokes, from 3; of a grid from 2
    Index zones = 24;    // where trips start and end, from 2; more than there are nodes: every node
    std::uint64_t seed = 1;

    /// `ring[:rings=5,spokes=12,zones=24,seed=1]` or `grid[:rows=8,columns=8,zones=24,seed=1]`; throws
    /// ConfigError.
    static CityOptions parse(std::string_view text);
};

/// A node where people live and work.
struct Zone {
    NodeIndex node = 0;
    Real people = 0;
    Real jobs = 0;
};

struct City {
    Network network;
    std::vector<Zone> zones;  // ascending by node
};

/// Throws ConfigError that names every option that cannot be used.
City make_city(const CityOptions& options);

}  // namespace proxstream
