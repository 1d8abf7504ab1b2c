/// Incidents on the links of the built-in city, and surges of its zones.
#pragma once

#include "traffic/city_demand.hpp"

#include <vector>

namespace proxstream {

/// Each purpose draws with its own step number, so that draws are independent.
enum CityPurpose : std::uint32_t { kPairBurst, kOriginBurst, kGoalBurst, kIncident, kSurge };

/// The changes since the previous period. At most one link is closed at a time. Of several incidents on a
/// link the first of the day counts. Incidents end with the day.
std::vector<NetworkEvent> events_of_period(const CityDemandOptions& options, const Network& network,
                                           Index period);

struct Surge {
    Index zone = 0;  // of the city's
    Real to = 1;     // factor of trips to the zone in the period
    Real from = 1;
};

/// Surges that overlap with a period.
std::vector<Surge> surges_of_period(const CityDemandOptions& options, Index zones, Index period);

}  // namespace proxstream
