#include "traffic/pair_index.hpp"

#include "proxstream/core/error.hpp"

#include "io/parse_number.hpp"

#include <algorithm>

namespace proxstream {

PairIndex::PairIndex(const Network& network, std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    for (const Pair& pair : pairs_) {
        if (pair.origin >= network.nodes() || pair.destination >= network.nodes()) {
            throw ConfigError("pairs: node " + std::to_string(std::max(pair.origin, pair.destination)) +
                              " is none of the network's " + std::to_string(network.nodes()));
        }
        if (pair.origin == pair.destination) {
            throw ConfigError("pairs: " + pair_name(network, pair) + " starts where it ends");
        }
    }
}

std::vector<Pair> PairIndex::all_pairs(Index zones) {
    std::vector<Pair> pairs;
    pairs.reserve(zones * (zones > 0 ? zones - 1 : 0));
    for (NodeIndex origin = 0; origin < zones; ++origin) {
        for (NodeIndex destination = 0; destination < zones; ++destination) {
            if (origin != destination) pairs.push_back({origin, destination});
        }
    }
    return pairs;
}

std::optional<Index> PairIndex::find(Pair pair) const {
    const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
    if (found == pairs_.end() || *found != pair) return std::nullopt;
    return static_cast<Index>(found - pairs_.begin());
}

std::string pair_name(const Network& network, Pair pair) {
    return network.node_name(pair.origin) + "->" + network.node_name(pair.destination);
}

std::optional<Pair> parse_pair(const Network& network, std::string_view text) {
    std::optional<Pair> found;
    for (auto cut = text.find_first_of("-_:"); cut != std::string_view::npos;
         cut = text.find_first_of("-_:", cut + 1)) {
        const Index width = text.substr(cut, 2) == "->" ? 2 : 1;
        const auto origin = network.find_node(without_blanks(text.substr(0, cut)));
        const auto destination = network.find_node(without_blanks(text.substr(cut + width)));
        if (!origin || !destination) continue;
        if (width == 2) return Pair{*origin, *destination};
        if (found) return std::nullopt;
        found = Pair{*origin, *destination};
    }
    return found;
}

}  // namespace proxstream
