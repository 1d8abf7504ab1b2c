#include "traffic/pair_index.hpp"

#include <algorithm>

#include <fmt/format.h>

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

std::vector<Pair> all_pairs(Index zones) {
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

void TripsBuilder::add(Pair pair, Real amount) {
    if (amount == 0) return;
    total_ += amount;
    if (pair.origin == pair.destination) {
        within_ += amount;
    } else {
        entries_.push_back({pair, amount});
    }
}

Trips TripsBuilder::build(std::vector<std::string>& notes) {
    // Stable, so that demand given twice is summed in the order of the file.
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.pair < b.pair; });
    Trips trips;
    trips.within = within_;
    for (const Entry& entry : entries_) {
        if (!trips.pairs.empty() && trips.pairs.back() == entry.pair) {
            trips.demand.back() += entry.amount;
        } else {
            trips.pairs.push_back(entry.pair);
            trips.demand.push_back(entry.amount);
        }
    }
    if (const Index again = entries_.size() - trips.pairs.size(); again > 0) {
        notes.push_back(count_of(again, "demand") + " of a pair that had one already: added to it");
    }
    if (within_ > 0) {
        notes.push_back(fmt::format("demand of {:.10g} stays within its node and uses no link", within_));
    }
    return trips;
}

}  // namespace proxstream
