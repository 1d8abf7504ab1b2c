// Two towns send traffic to a city, over a bridge, through a tunnel or around a lake. Demand comes in bursts,
// and the splits over the paths are chosen before it is known.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <proxstream/core/draw.hpp>
#include <proxstream/router.hpp>

namespace ps = proxstream;

int main() {
    ps::Network network;
    const auto road = [&](const char* from, const char* to, double capacity, double minutes) {
        network.add_link({network.node(from), network.node(to), "", capacity, 0, minutes});
    };
    road("north", "bridge", 60, 4), road("north", "lake", 50, 9), road("south", "bridge", 50, 5);
    road("south", "tunnel", 50, 6), road("bridge", "city", 70, 3), road("tunnel", "city", 60, 5);
    road("lake", "city", 50, 9), road("bridge", "tunnel", 30, 2);
    const ps::NodeIndex city = network.node("city");
    const std::vector<ps::Pair> pairs{{network.node("north"), city}, {network.node("south"), city}};

    ps::Router router(network, pairs, {.paths = 3, .cost = "davidson:j=0.5,cap=0.95"});  // queues
    double cost = 0;
    for (std::uint64_t t = 1; t <= 400; ++t) {
        if (t == 200) router.close_link("bridge-tunnel");
        const double north = 25 * std::exp(0.3 * ps::normal({.round = t, .sample = 0}));
        const double south = 20 * std::exp(0.3 * ps::normal({.round = t, .sample = 1}));
        cost += router.observe(std::vector<double>{north, south}).cost / 400;
    }
    std::printf("mean cost of a period %.1f; splits for the next period:\n", cost);
    for (const ps::PathShare& path : router.splits()) {
        std::printf("  %5.1f %%  %s", 100 * path.share, path.pair == 0 ? "north" : "south");
        for (const auto link : path.links)
            std::printf(" - %s", network.node_name(network.link(link).to).c_str());
        std::printf("\n");
    }
    std::printf("\n%s", router.certificate().text.c_str());
    return router.certificate().sound() ? EXIT_SUCCESS : EXIT_FAILURE;
}
