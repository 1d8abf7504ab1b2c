/// Small random networks with everything a path search has to cope with, and the walks a twin enumerates.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/traffic/network.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxstream::testing {

struct RandomNetwork {
    Network network;
    std::vector<Real> costs;
};

/// Directed multigraph with parallel links, loops at a node, barred nodes, closed links, links of no cost,
/// and costs from a few values, so that ties are common; or all different, where `distinct`.
inline RandomNetwork random_network(std::uint64_t seed, Index nodes, Index links, bool distinct = false) {
    RandomNetwork made;
    std::uint64_t draws = 0;
    const auto below = [&](std::uint64_t bound) {
        return uniform_below({.seed = seed, .sample = ++draws}, bound);
    };
    for (Index i = 0; i < nodes; ++i) {
        const NodeIndex node = made.network.node("n" + std::to_string(i));
        if (below(8) == 0) made.network.bar_through(node);
    }
    for (Index i = 0; i < links; ++i) {
        made.network.add_link(
            {.from = static_cast<NodeIndex>(below(nodes)), .to = static_cast<NodeIndex>(below(nodes))});
        Real cost = static_cast<Real>(below(5));
        if (distinct) cost = 0.1 + uniform({.seed = seed, .round = 1, .sample = i});
        if (below(12) == 0) cost = kInfinity;
        made.costs.push_back(cost);
    }
    return made;
}

}  // namespace proxstream::testing
