/// Names of nodes and pairs in text, and the demand of pairs while it is read.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/traffic/network.hpp"

#include "io/field_text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// Every ordered pair of the first `zones` nodes.
std::vector<Pair> all_pairs(Index zones);

/// FROM->TO.
std::string pair_name(const Network& network, Pair pair);

/// ORIGIN->DESTINATION, or with - _ : as the separator. Node names may contain these characters. Returns
/// nullopt unless exactly one cut gives two nodes of the network.
std::optional<Pair> parse_pair(const Network& network, std::string_view text);

/// The node of that name. Throws DataError at where().
template <class Where>
NodeIndex read_node(const Network& network, std::string_view name, Where where) {
    if (const auto found = network.find_node(name)) return *found;
    throw DataError(where(), quoted_excerpt(name) + " is not a node", "nodes of the network");
}

/// The pairs of a demand stream, ascending.
class PairIndex {
  public:
    /// Throws ConfigError for a pair of a node with itself or a node that the network does not have.
    PairIndex(const Network& network, std::vector<Pair> pairs);

    const std::vector<Pair>& pairs() const noexcept { return pairs_; }
    std::optional<Index> find(Pair pair) const;

  private:
    std::vector<Pair> pairs_;
};

/// Turns demand entries in any order into Trips: sorted, without duplicates, none from a node to itself.
class TripsBuilder {
  public:
    /// Entries of 0 are ignored.
    void add(Pair pair, Real amount);
    /// The sum of all entries, demand within nodes included.
    Real total() const noexcept { return total_; }
    Trips build(std::vector<std::string>& notes);

  private:
    struct Entry {
        Pair pair;
        Real amount = 0;
    };
    std::vector<Entry> entries_;
    Real within_ = 0;
    Real total_ = 0;
};

}  // namespace proxstream
