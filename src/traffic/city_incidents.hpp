/// What happens to the links of the built-in city, and to its zones.
#pragma once

#include "traffic/city_demand.hpp"

#include <vector>

namespace proxstream {

/// Each purpose draws from its own step number, so that no two share numbers.
enum CityPurpose : std::uint32_t { kPairBurst, kOriginBurst, kGoalBurst, kIncident, kSurge };

inline Index periods_a_day(const CityDemandOptions& options) {
    constexpr Index kMinutesADay = 1440;
    return kMinutesADay / options.minutes;
}

/// A link is slow or closed from one period of a day to another.
struct Incident {
    LinkIndex link = 0;
    Index begin = 0, end = 0;  // periods, counted from the stream's first
    Real factor = 1;
    bool closed = false;
};

/// Those of one day, which end with it. Only the first may be a closure: never are two links closed at once.
std::vector<Incident> incidents_of_day(const CityDemandOptions& options, Index links, Index day);

/// The changes from the period before. Of several incidents on a link the first of the day counts.
std::vector<NetworkEvent> events_of_period(const CityDemandOptions& options, const Network& network,
                                           Index period);

struct Surge {
    Index zone = 0;  // of the city's
    Real to = 1;     // what trips to the zone are multiplied by in the period
    Real from = 1;
};

/// Those that touch a period.
std::vector<Surge> surges_of_period(const CityDemandOptions& options, Index zones, Index period);

}  // namespace proxstream
