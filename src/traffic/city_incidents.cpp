#include "traffic/city_incidents.hpp"

#include "proxstream/core/draw.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Uniform numbers for the i-th incident or surge of a day, by purpose.
struct Dice {
    const CityDemandOptions& options;
    CityPurpose purpose;
    Index day;

    Real operator()(Index happening, std::uint32_t which) const {
        return uniform(
            {.seed = options.seed, .round = day, .record = which, .step = purpose, .sample = happening});
    }
    /// A whole number whose mean is `mean`: one of its two neighbours.
    Index how_many(Real mean) const {
        const Real whole = std::floor(mean);
        return static_cast<Index>(whole) + ((*this)(0, 100) < mean - whole ? 1U : 0U);
    }
};

/// The state of a link during an incident.
struct Incident {
    Real factor = 1;
    bool closed = false;
};

/// The links with an incident in a period. Only the first incident of a day may be a closure.
std::map<LinkIndex, Incident> incidents_at(const CityDemandOptions& options, Index links, Index period) {
    const Index a_day = options.periods_a_day();
    const Dice dice{options, kIncident, period / a_day};
    const Index now = period % a_day;
    std::map<LinkIndex, Incident> found;
    for (Index i = 0, count = dice.how_many(options.incidents); i < count; ++i) {
        const Real hour = 6 + 15 * dice(i, 0);
        const Real minutes = 30 + 90 * dice(i, 1);
        const auto begin = static_cast<Index>(hour * 60 / static_cast<Real>(options.minutes));
        const auto length =
            std::max<Index>(1, static_cast<Index>(std::lround(minutes / static_cast<Real>(options.minutes))));
        if (now < begin || now >= begin + length) continue;
        const bool closed = i == 0 && dice(i, 2) < 0.2;
        const Real factor = closed ? 1 : std::round(100 * (0.3 + 0.3 * dice(i, 3))) / 100;
        const auto link = static_cast<LinkIndex>(dice(i, 4) * static_cast<Real>(links));
        found.try_emplace(std::min(link, static_cast<LinkIndex>(links - 1)), Incident{factor, closed});
    }
    return found;
}

}  // namespace

std::vector<NetworkEvent> events_of_period(const CityDemandOptions& options, const Network& network,
                                           Index period) {
    struct Change {
        Incident before, now;
    };
    std::map<LinkIndex, Change> changes;
    for (const auto& [link, now] : incidents_at(options, network.links(), period)) changes[link].now = now;
    if (period > 0) {
        for (const auto& [link, before] : incidents_at(options, network.links(), period - 1))
            changes[link].before = before;
    }
    using Kind = NetworkEvent::Kind;
    std::vector<NetworkEvent> events;
    for (const auto& [link, change] : changes) {
        const auto& [before, now] = change;
        const std::string name = network.link_name(link);
        if (before.closed && !now.closed)
            events.push_back({.kind = Kind::open, .link = link, .text = name + " is open again"});
        if (now.factor != before.factor) {
            events.push_back({.link = link,
                              .factor = now.factor,
                              .text = now.factor < 1
                                          ? fmt::format("incident on {}: {:.0f} % of its capacity left", name,
                                                        100 * now.factor)
                                          : fmt::format("incident on {} is over", name)});
        }
        if (now.closed && !before.closed)
            events.push_back({.kind = Kind::close, .link = link, .text = name + " is closed"});
    }
    return events;
}

std::vector<Surge> surges_of_period(const CityDemandOptions& options, Index zones, Index period) {
    const Index a_day = options.periods_a_day();
    const Dice dice{options, kSurge, period / a_day};
    const Real hour = (static_cast<Real>(period % a_day) + 0.5) * static_cast<Real>(options.minutes) / 60;
    std::vector<Surge> found;
    for (Index i = 0, count = dice.how_many(options.surges / 7); i < count; ++i) {
        const Real begin = 12 + 7.5 * dice(i, 0);
        const Real end = begin + 1.5 + dice(i, 1);
        const Real times = 1.5 + 2 * dice(i, 2);
        // A ramp up and down within an hour before the begin, and within an hour after the end.
        const auto ramp = [&](Real middle) { return std::max<Real>(0, 1 - std::abs(hour - middle) / 0.6); };
        const Real to = 1 + times * ramp(begin - 0.5), from = 1 + times * ramp(end + 0.4);
        if (to == 1 && from == 1) continue;
        const auto zone = static_cast<Index>(dice(i, 3) * static_cast<Real>(zones));
        found.push_back({std::min(zone, zones - 1), to, from});
    }
    return found;
}

}  // namespace proxstream
