#include "front/check_network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
void check_links(const Network& network, Violations& violations) {
    violations.require(network.links() > 0, "network: it has no links; at least one is needed");
    for (LinkIndex index = 0; index < network.links(); ++index) {
        const Link& link = network.link(index);
        const auto require = [&](bool holds, const char* what, Real value, const char* allowed) {
            violations.require_value(holds, fmt::format("link {}: {}", network.link_name(index), what), value,
                                     allowed);
        };
        require(link.capacity > 0 && std::isfinite(link.capacity), "capacity", link.capacity,
                "a finite number above 0");
        for (const auto& [what, value] : {std::pair{"free_time", link.free_time},
                                          {"b", link.b},
                                          {"length", link.length},
                                          {"toll", link.toll}})
            require(value >= 0 && std::isfinite(value), what, value, "a finite number, at least 0");
        require(link.power >= 0 && link.power <= 100, "power", link.power, "in [0, 100]");
    }
}

void refuse_data(const std::string& source, const std::string& field, const std::string& problem,
                 const std::string& expected) {
    throw DataError({.source = source, .line = 0, .column = 0, .field = field}, problem, expected);
}

std::vector<Index> ascending_order(std::span<const Pair> pairs) {
    std::vector<Index> order(pairs.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return pairs[a] < pairs[b]; });
    return order;
}

std::string pair_name(const Network& network, const Pair& pair) {
    return network.node_name(pair.origin) + "->" + network.node_name(pair.destination);
}

void check_pairs(const Network& network, std::span<const Pair> pairs, const std::string& source) {
    for (Index i = 0; i < pairs.size(); ++i) {
        const Pair& pair = pairs[i];
        for (const NodeIndex node : {pair.origin, pair.destination}) {
            if (node >= network.nodes())
                refuse_data(source, fmt::format("pair {}", i), fmt::format("there is no node {}", node),
                            fmt::format("node numbers below {}", network.nodes()));
        }
        if (pair.origin == pair.destination)
            refuse_data(source, pair_name(network, pair), "the pair starts and ends at the same node",
                        "two different nodes");
    }
    std::vector<Pair> sorted(pairs.begin(), pairs.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
        refuse_data(source, pair_name(network, *twice), "the pair is listed twice", "each pair once");
}

void check_demand(const Network& network, std::span<const Pair> pairs, ConstView demand,
                  const std::string& source) {
    if (demand.size() != pairs.size())
        refuse_data(source, "", fmt::format("it has {} numbers", demand.size()),
                    fmt::format("one for each of {} pairs", pairs.size()));
    for (Index i = 0; i < demand.size(); ++i) {
        if (demand[i] >= 0 && std::isfinite(demand[i])) continue;
        refuse_data(source, pair_name(network, pairs[i]), fmt::format("demand is {}", demand[i]),
                    "a finite number, at least 0");
    }
}

}  // namespace proxstream
