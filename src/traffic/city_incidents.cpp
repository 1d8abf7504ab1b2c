#include "traffic/city_incidents.hpp"

#include "proxstream/core/draw.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Uniform numbers for the i-th happening of a day, by purpose.
struct Dice {
    const CityDemandOptions& options;
    CityPurpose purpose;
    Index day;

    Real operator()(Index happening, std::uint32_t which) const {
        return uniform(
            {.seed = options.seed, .round = day, .record = which, .step = purpose, .sample = happening});
    }
    /// A whole number whose mean is `mean`: its two neighbours.
    Index how_many(Real mean) const {
        const Real whole = std::floor(mean);
        return static_cast<Index>(whole) + ((*this)(0, 100) < mean - whole ? 1U : 0U);
    }
};

}  // namespace

std::vector<Incident> incidents_of_day(const CityDemandOptions& options, Index links, Index day) {
    const Dice dice{options, kIncident, day};
    const Index periods = periods_a_day(options);
    std::vector<Incident> found;
    for (Index i = 0, count = dice.how_many(options.incidents); i < count; ++i) {
        const Real hour = 6 + 15 * dice(i, 0);
        const Real minutes = 30 + 90 * dice(i, 1);
        const auto begin = static_cast<Index>(hour * 60 / static_cast<Real>(options.minutes));
        const auto length =
            std::max<Index>(1, static_cast<Index>(std::lround(minutes / static_cast<Real>(options.minutes))));
        const bool closed = i == 0 && dice(i, 2) < 0.2;
        const Real factor = closed ? 1 : std::round(100 * (0.3 + 0.3 * dice(i, 3))) / 100;
        const auto link = static_cast<LinkIndex>(dice(i, 4) * static_cast<Real>(links));
        found.push_back({std::min(link, static_cast<LinkIndex>(links - 1)), day * periods + begin,
                         day * periods + std::min(periods, begin + length), factor, closed});
    }
    return found;
}

std::vector<NetworkEvent> events_of_period(const CityDemandOptions& options, const Network& network,
                                           Index period) {
    struct Change {
        const Incident* before = nullptr;
        const Incident* now = nullptr;
    };
    std::map<LinkIndex, Change> changes;
    const Index today = period / periods_a_day(options);
    const std::vector<Incident> now = incidents_of_day(options, network.links(), today);
    std::vector<Incident> yesterday;
    const bool morning = period > 0 && period % periods_a_day(options) == 0;
    if (morning) yesterday = incidents_of_day(options, network.links(), today - 1);
    const auto active = [](const Incident& incident, Index when) {
        return incident.begin <= when && when < incident.end;
    };
    for (const Incident& each : now) {
        if (active(each, period) && changes[each.link].now == nullptr) changes[each.link].now = &each;
    }
    if (period > 0) {
        for (const Incident& each : morning ? yesterday : now) {
            if (active(each, period - 1) && changes[each.link].before == nullptr)
                changes[each.link].before = &each;
        }
    }
    std::vector<NetworkEvent> events;
    for (const auto& [link, change] : changes) {
        const bool was_closed = change.before != nullptr && change.before->closed;
        const bool is_closed = change.now != nullptr && change.now->closed;
        const Real was = change.before != nullptr ? change.before->factor : 1;
        const Real is = change.now != nullptr ? change.now->factor : 1;
        const std::string name = network.link_name(link);
        if (was_closed && !is_closed)
            events.push_back(
                {.kind = NetworkEvent::Kind::open, .link = link, .text = name + " is open again"});
        if (is != was) {
            events.push_back(
                {.link = link,
                 .factor = is,
                 .text = is < 1 ? fmt::format("incident on {}: {:.0f} % of its capacity left", name, 100 * is)
                                : fmt::format("incident on {} is over", name)});
        }
        if (is_closed && !was_closed)
            events.push_back({.kind = NetworkEvent::Kind::close, .link = link, .text = name + " is closed"});
    }
    return events;
}

std::vector<Surge> surges_of_period(const CityDemandOptions& options, Index zones, Index period) {
    const Index day = period / periods_a_day(options);
    const Dice dice{options, kSurge, day};
    const Real hour =
        (static_cast<Real>(period % periods_a_day(options)) + 0.5) * static_cast<Real>(options.minutes) / 60;
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
