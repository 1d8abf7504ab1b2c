/// Path files: paths along links of the network, from their pair's origin to its destination, without loops.
/// Written with every name and number, they are the same paths.
#include "network_checks.hpp"
#include "traffic/path_file.hpp"

#include <algorithm>
#include <array>
#include <set>

using namespace proxstream;

namespace {

constexpr std::array<Pair, 4> kPairs{{{0, 1}, {0, 2}, {1, 3}, {3, 2}}};

/// The nodes of a path that is one of `pair`.
std::vector<NodeIndex> nodes_of(std::span<const LinkIndex> path, Pair pair) {
    const Network& network = fuzz::small_network();
    fuzz::require(!path.empty());
    std::vector<NodeIndex> nodes{pair.origin};
    for (const LinkIndex link : path) {
        fuzz::require(link < network.links() && network.link(link).from == nodes.back());
        nodes.push_back(network.link(link).to);
    }
    fuzz::require(nodes.back() == pair.destination);
    fuzz::require(std::set(nodes.begin(), nodes.end()).size() == nodes.size());
    return nodes;
}

/// A line such as "1" "3": "1" "2"#2 "3"#1
std::string line_of(std::span<const LinkIndex> path, Pair pair) {
    const Network& network = fuzz::small_network();
    const std::vector<NodeIndex> nodes = nodes_of(path, pair);
    const auto quoted = [&](NodeIndex node) { return '"' + network.node_name(node) + '"'; };
    std::string line = quoted(pair.origin) + ' ' + quoted(pair.destination) + ": " + quoted(nodes.front());
    for (std::size_t k = 0; k < path.size(); ++k) {
        const auto beside = network.links_between(nodes[k], nodes[k + 1]);
        const auto number = std::find(beside.begin(), beside.end(), path[k]) - beside.begin() + 1;
        line += ' ' + quoted(nodes[k + 1]) + '#' + std::to_string(number);
    }
    return line + '\n';
}

std::string written(const PathLists& lists) {
    fuzz::require(lists.pairs() == kPairs.size());
    std::string text;
    for (Index pair = 0; pair < kPairs.size(); ++pair) {
        std::set<std::string> lines;
        for (Index path = lists.first_path(pair); path < lists.end_path(pair); ++path) {
            const std::string line = line_of(lists.links(path), kPairs[pair]);
            fuzz::require(lines.insert(line).second);
            text += line;
        }
    }
    return text;
}

PathLists read(const std::string& text) {
    return read_path_file(memory_input("f", text, 64), fuzz::small_network(), kPairs);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text;
    try {
        text = written(read({reinterpret_cast<const char*>(data), size}));
    } catch (const DataError& error) {
        fuzz::require(!std::string_view(error.what()).empty());
        return 0;
    }
    fuzz::require(written(read(text)) == text);
    return 0;
}
