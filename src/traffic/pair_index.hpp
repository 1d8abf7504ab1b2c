/// The pairs of a demand stream, and how they are written in text.
#pragma once

#include "proxstream/traffic/network.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

class PairIndex {
  public:
    /// Throws ConfigError for a pair of a node with itself or a node that the network does not have.
    PairIndex(const Network& network, std::vector<Pair> pairs);
    /// Every ordered pair of the first `zones` nodes.
    static std::vector<Pair> all_pairs(Index zones);

    const std::vector<Pair>& pairs() const noexcept { return pairs_; }
    std::optional<Index> find(Pair pair) const;

  private:
    std::vector<Pair> pairs_;
};

/// FROM->TO.
std::string pair_name(const Network& network, Pair pair);

/// ORIGIN->DESTINATION, or with - _ : in between. Node names may contain these too: nothing if no cut, or
/// more than one, gives two nodes of the network.
std::optional<Pair> parse_pair(const Network& network, std::string_view text);

}  // namespace proxstream
