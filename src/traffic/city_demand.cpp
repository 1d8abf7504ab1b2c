#include "traffic/city_demand.hpp"

#include "proxstream/core/error.hpp"

#include "traffic/burst.hpp"
#include "traffic/city_incidents.hpp"
#include "traffic/day_shape.hpp"
#include "traffic/demand_scale.hpp"
#include "traffic/gravity.hpp"
#include "traffic/shortest_paths.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kMostDays = 3660;
constexpr std::array<Index, 5> kMinutes = {5, 10, 15, 30, 60};
/// Shares of a burst's variance that are a pair's own, its origin's and its destination's.
constexpr Real kOwn = 0.6, kOrigins = 0.2, kGoals = 0.2;

void check(const CityDemandOptions& options) {
    std::vector<std::string> violations;
    const auto within = [&](const char* name, Real value, Real least, Real most) {
        if (!(value >= least && value <= most))
            violations.push_back(
                fmt::format("city demand: {} = {}: from {} to {} are possible", name, value, least, most));
    };
    if (std::find(kMinutes.begin(), kMinutes.end(), options.minutes) == kMinutes.end())
        violations.push_back(
            fmt::format("city demand: minutes = {}: 5, 10, 15, 30 or 60 are possible", options.minutes));
    within("days", static_cast<Real>(options.days), 1, static_cast<Real>(kMostDays));
    within("peak", options.peak, 0.01, 0.99);
    within("burst", options.burst, 0, 2);
    within("memory", options.memory, 0, 0.95);
    within("surges", options.surges, 0, 100);
    within("incidents", options.incidents, 0, 100);
    if (!violations.empty()) throw ConfigError(std::move(violations));
}

/// Free times between zones; within one, half the way to its nearest neighbour.
std::vector<Real> costs_between(const City& city) {
    const Index n = city.zones.size();
    std::vector<Real> times;
    for (const Link& link : city.network.all_links()) times.push_back(link.free_time);
    ShortestPaths search(city.network);
    std::vector<Real> costs(n * n, kInfinity);
    for (Index i = 0; i < n; ++i) {
        search.run(city.zones[i].node, times);
        Real nearest = kInfinity;
        for (Index j = 0; j < n; ++j) {
            if (i == j) continue;
            costs[i * n + j] = search.distance(city.zones[j].node);
            nearest = std::min(nearest, costs[i * n + j]);
        }
        costs[i * n + i] = nearest / 2;
    }
    return costs;
}

}  // namespace

struct CityDemand::Parts {
    Parts(const City& made, const CityDemandOptions& options) : city(made), smooth(options.memory) {}

    const City& city;
    SmoothNormal smooth;
    std::vector<Index> from, to;          // zones of each pair
    std::vector<Real> work, back, other;  // of each pair, at a share of 1, in vehicles an hour
};

CityDemand::~CityDemand() = default;

CityDemand::CityDemand(const City& city, const CityDemandOptions& options) : options_(options) {
    check(options);
    periods_ = options.days * periods_a_day(options);
    auto parts = std::make_unique<Parts>(city, options);
    const Index n = city.zones.size();
    std::vector<Real> people, jobs, both;
    for (const Zone& zone : city.zones) {
        people.push_back(zone.people);
        jobs.push_back(zone.jobs);
        both.push_back(zone.people + zone.jobs);
    }
    const std::vector<Real> costs = costs_between(city);
    const Real typical =
        std::accumulate(costs.begin(), costs.end(), Real{0}) / static_cast<Real>(costs.size());
    const std::vector<Real> commute = gravity(people, jobs, costs, 2 / typical);
    const std::vector<Real> errands = gravity(both, both, costs, 3 / typical);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            if (i == j) continue;
            pairs_.push_back({city.zones[i].node, city.zones[j].node});
            parts->from.push_back(i);
            parts->to.push_back(j);
            parts->work.push_back(commute[i * n + j]);
            parts->back.push_back(commute[j * n + i]);
            parts->other.push_back(errands[i * n + j]);
        }
    }
    Parts& made = *parts;
    parts_ = std::move(parts);
    // The busiest period of a workday carries what was promised.
    std::vector<Real> mean, busiest;
    Real most = 0;
    for (Index period = 0; period < periods_a_day(options); ++period) {
        mean_demand(period, mean);
        const Real total = std::accumulate(mean.begin(), mean.end(), Real{0});
        if (total > most) busiest = mean;
        most = std::max(most, total);
    }
    const Real scale = scale_to_utilisation(city.network, pairs_, busiest, options.peak, 0.25);
    for (std::vector<Real>* each : {&made.work, &made.back, &made.other}) {
        for (Real& value : *each) value *= scale;
    }
}

void CityDemand::mean_demand(Index period, std::vector<Real>& out) const {
    const Index a_day = periods_a_day(options_);
    const Real hour = (static_cast<Real>(period % a_day) + 0.5) * static_cast<Real>(options_.minutes) / 60;
    const DayShape shape = day_shape(period / a_day % 7 >= 5, hour);
    out.resize(pairs_.size());
    for (Index i = 0; i < pairs_.size(); ++i) {
        out[i] =
            shape.to_work * parts_->work[i] + shape.home * parts_->back[i] + shape.other * parts_->other[i];
    }
}

void CityDemand::demand(Index period, std::vector<Real>& out) const {
    mean_demand(period, out);
    const Index n = parts_->city.zones.size();
    const auto noise = [&](CityPurpose purpose, Index which) {
        return parts_->smooth({.seed = options_.seed, .round = period, .step = purpose, .sample = which});
    };
    std::vector<Real> origins(n), goals(n), to(n, 1), from(n, 1);
    for (Index i = 0; i < n; ++i) {
        origins[i] = std::sqrt(kOrigins) * noise(kOriginBurst, i);
        goals[i] = std::sqrt(kGoals) * noise(kGoalBurst, i);
    }
    for (const Surge& surge : surges_of_period(options_, n, period)) {
        to[surge.zone] *= surge.to;
        from[surge.zone] *= surge.from;
    }
    for (Index i = 0; i < pairs_.size(); ++i) {
        const Index a = parts_->from[i], b = parts_->to[i];
        const Real z = std::sqrt(kOwn) * noise(kPairBurst, i) + origins[a] + goals[b];
        out[i] *= std::exp(options_.burst * (z - options_.burst / 2)) * from[a] * to[b];
    }
}

std::vector<NetworkEvent> CityDemand::events(Index period) const {
    return events_of_period(options_, parts_->city.network, period);
}

std::string CityDemand::label(Index period) const {
    namespace time = std::chrono;
    const Index a_day = periods_a_day(options_);
    const auto minute = period % a_day * options_.minutes;
    const time::sys_days monday = time::year{2024} / time::January / 1;
    const time::year_month_day day(monday + time::days(period / a_day));
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}", static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()), minute / 60,
                       minute % 60);
}

bool CityDemand::announce(DemandPeriod& period) {
    if (next_ == periods_) return false;
    period.label = label(next_);
    period.events = events(next_);
    period.demand.clear();
    ++next_;
    return true;
}

void CityDemand::reveal(DemandPeriod& period) {
    demand(next_ - 1, period.demand);
}

std::unique_ptr<CityDemand> city_demand(const City& city, const CityDemandOptions& options) {
    return std::make_unique<CityDemand>(city, options);
}

}  // namespace proxstream
