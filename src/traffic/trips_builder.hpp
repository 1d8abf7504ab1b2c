/// Demand entries in any order become Trips: sorted, none twice, none of a node with itself.
#pragma once

#include "proxstream/traffic/network.hpp"

#include <string>
#include <vector>

namespace proxstream {

class TripsBuilder {
  public:
    /// Demand of 0 leaves no trace.
    void add(Pair pair, Real amount);
    /// The sum of all that was added, within nodes too.
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
