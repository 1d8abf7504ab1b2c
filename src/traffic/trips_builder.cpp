#include "traffic/trips_builder.hpp"

#include "proxstream/core/spec.hpp"

#include "traffic/field_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {

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
