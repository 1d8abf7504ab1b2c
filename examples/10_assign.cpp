// Braess's paradox: a new road makes every trip longer. Six thousand cars an hour drive from a to b.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <proxstream/assign.hpp>

namespace ps = proxstream;

int main() {
    ps::Network network;
    // Minutes at no load, and how many more each 1000 cars add: t = free (1 + b load / capacity).
    const auto road = [&](const char* from, const char* to, double minutes, double more) {
        network.add_link({.from = network.node(from),
                          .to = network.node(to),
                          .free_time = minutes,
                          .b = more / minutes,
                          .power = 1});
    };
    road("a", "c", 0.01, 10);
    road("a", "d", 50, 1);
    road("c", "b", 50, 1);
    road("d", "b", 0.01, 10);
    const ps::Trips demand{.pairs = {{network.node("a"), network.node("b")}}, .demand = {6}};
    const ps::Assignment without = ps::assign(network, demand, {.objective = "user"});
    road("c", "d", 10, 1);
    const ps::Assignment with = ps::assign(network, demand, {.objective = "user"});

    std::printf("a trip takes %.1f minutes without the short cut and %.1f with it\n", without.total_time / 6,
                with.total_time / 6);
    for (const ps::PathFlow& path : with.path_flows) {
        std::printf("  %.3f thousand cars: a", path.flow);
        for (const ps::LinkIndex link : path.links)
            std::printf(" - %s", network.node_name(network.link(link).to).c_str());
        std::printf("\n");
    }
    return with.reached() && with.total_time > without.total_time ? EXIT_SUCCESS : EXIT_FAILURE;
}
