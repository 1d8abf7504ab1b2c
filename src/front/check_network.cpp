#include "front/check_network.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

DataLocation at(const std::string& source, std::string field) {
    return {.source = source, .line = 0, .column = 0, .field = std::move(field)};
}

}  // namespace

void check_links(const Network& network, std::vector<std::string>& violations) {
    if (network.links() == 0) violations.emplace_back("network: it has no links; at least one is needed");
    for (LinkIndex index = 0; index < network.links(); ++index) {
        const Link& link = network.link(index);
        const auto require = [&](bool holds, const char* what, Real value, const char* allowed) {
            if (!holds)
                violations.push_back(fmt::format("link {}: {} = {}: must be {}", network.link_name(index),
                                                 what, value, allowed));
        };
        require(link.capacity > 0 && std::isfinite(link.capacity), "capacity", link.capacity,
                "a finite number above 0");
        const auto require_positive = [&](const char* what, Real value) {
            require(value >= 0 && std::isfinite(value), what, value, "a finite number, at least 0");
        };
        require_positive("free_time", link.free_time);
        require_positive("b", link.b);
        require_positive("length", link.length);
        require_positive("toll", link.toll);
        require(link.power >= 0 && link.power <= 100, "power", link.power, "in [0, 100]");
    }
}

std::string pair_name(const Network& network, const Pair& pair) {
    return network.node_name(pair.origin) + "->" + network.node_name(pair.destination);
}

void check_pairs(const Network& network, std::span<const Pair> pairs, const std::string& source) {
    for (Index i = 0; i < pairs.size(); ++i) {
        const Pair& pair = pairs[i];
        for (const NodeIndex node : {pair.origin, pair.destination}) {
            if (node >= network.nodes())
                throw DataError(at(source, fmt::format("pair {}", i)),
                                fmt::format("there is no node {}", node),
                                fmt::format("node numbers below {}", network.nodes()));
        }
        if (pair.origin == pair.destination)
            throw DataError(at(source, pair_name(network, pair)), "the pair starts and ends at the same node",
                            "two different nodes");
    }
    std::vector<Pair> sorted(pairs.begin(), pairs.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
        throw DataError(at(source, pair_name(network, *twice)), "the pair is listed twice", "each pair once");
}

void check_demand(const Network& network, std::span<const Pair> pairs, ConstView demand,
                  const std::string& source) {
    if (demand.size() != pairs.size())
        throw DataError(at(source, ""), fmt::format("it has {} numbers", demand.size()),
                        fmt::format("one for each of {} pairs", pairs.size()));
    for (Index i = 0; i < demand.size(); ++i) {
        if (demand[i] >= 0 && std::isfinite(demand[i])) continue;
        throw DataError(at(source, pair_name(network, pairs[i])), fmt::format("demand is {}", demand[i]),
                        "a finite number, at least 0");
    }
}

}  // namespace proxstream
