#include "traffic/demand_scale.hpp"

#include "traffic/shortest_paths.hpp"

#include <algorithm>

namespace proxstream {
namespace {

constexpr int kAssignments = 40;

/// All demand on the shortest paths at these times.
void load_shortest(ShortestPaths& search, std::span<const Pair> pairs, ConstView demand, ConstView times,
                   View loads) {
    std::fill(loads.begin(), loads.end(), 0);
    std::vector<LinkIndex> path;
    for (Index i = 0; i < pairs.size(); ++i) {
        if (i == 0 || pairs[i].origin != pairs[i - 1].origin) search.run(pairs[i].origin, times);
        search.path(pairs[i].destination, path);
        for (const LinkIndex link : path) loads[link] += demand[i];
    }
}

}  // namespace

Real scale_to_utilisation(const Network& network, std::span<const Pair> pairs, ConstView demand, Real wanted,
                          Real queueing) {
    const Index links = network.links();
    std::vector<Real> times(links), loads(links), mean(links, 0);
    for (LinkIndex i = 0; i < links; ++i) times[i] = network.link(i).free_time;
    ShortestPaths search(network);
    Real scale = 1;
    for (int k = 1; k <= kAssignments; ++k) {
        load_shortest(search, pairs, demand, times, loads);
        Real busiest = 0;
        for (LinkIndex i = 0; i < links; ++i) {
            mean[i] += (loads[i] - mean[i]) / k;
            busiest = std::max(busiest, mean[i] / network.link(i).capacity);
        }
        scale = wanted / busiest;
        for (LinkIndex i = 0; i < links; ++i) {
            const Real share = scale * mean[i] / network.link(i).capacity;
            times[i] = network.link(i).free_time * (1 + queueing * share / (1 - share));
        }
    }
    return scale;
}

}  // namespace proxstream
