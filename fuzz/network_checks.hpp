/// What every network and every trip table keeps to, whatever it was read from.
#pragma once

#include "proxstream/traffic/open_network.hpp"

#include "fuzz_support.hpp"

#include <cmath>

namespace proxstream::fuzz {

inline void check_network(const NetworkFile& file) {
    const Network& network = file.network;
    require(network.links() > 0 && file.zones <= network.nodes() && !file.format.empty());
    for (const Link& link : network.all_links()) {
        require(link.from < network.nodes() && link.to < network.nodes());
        require(std::isfinite(link.capacity) && link.capacity > 0);
        for (const Real value : {link.length, link.free_time, link.b, link.power, link.toll}) {
            require(std::isfinite(value) && value >= 0);
        }
    }
}

inline void check_trips(const Trips& trips, const Network& network) {
    require(trips.pairs.size() == trips.demand.size() && trips.within >= 0);
    for (std::size_t i = 0; i < trips.pairs.size(); ++i) {
        const Pair pair = trips.pairs[i];
        require(pair.origin < network.nodes() && pair.destination < network.nodes());
        require(pair.origin != pair.destination && trips.demand[i] > 0);
        require(i == 0 || trips.pairs[i - 1] < pair);
    }
}

/// Four nodes 1 to 4 with a few links, two of them parallel.
inline const Network& small_network() {
    static const NetworkFile kFile =
        read_network(memory_input("n", "from,to,capacity\n1,2,1\n2,3,1\n3,4,1\n4,1,1\n1,2,1\n2,1,1\n"), {});
    return kFile.network;
}

}  // namespace proxstream::fuzz
