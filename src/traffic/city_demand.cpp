#include "traffic/city_demand.hpp"

#include "proxstream/core/error.hpp"

#include "traffic/city_incidents.hpp"
#include "traffic/number_rows.hpp"
#include "traffic/shortest_paths.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace proxstream {
namespace {

using Options = CityDemandOptions;

constexpr NumberRows<Options, 6> kNumbers{{{"days", &Options::days, 1, 3660},
                                           {"peak", &Options::peak, 0.01, 0.99},
                                           {"burst", &Options::burst, 0, 2},
                                           {"memory", &Options::memory, 0, 0.95},
                                           {"surges", &Options::surges, 0, 100},
                                           {"incidents", &Options::incidents, 0, 100}}};
/// Shares of a burst's variance that are a pair's own, its origin's and its destination's.
constexpr Real kOwn = 0.6, kOrigins = 0.2, kGoals = 0.2;

Options checked(const Options& options) {
    Violations violations;
    const Index allowed[] = {5, 10, 15, 30, 60};
    violations.require(
        std::find(std::begin(allowed), std::end(allowed), options.minutes) != std::end(allowed),
        "city demand: minutes = {}: 5, 10, 15, 30 or 60 are possible", options.minutes);
    check_numbers(kNumbers, "city demand", options, violations);
    violations.conclude();
    return options;
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

CityDemandOptions CityDemandOptions::parse(std::string_view text) {
    const Spec spec = Spec::parse(text);
    if (spec.name() != "week") throw ConfigError(unknown_name("demand of a city", spec.name(), {"week"}));
    CityDemandOptions options;
    options.minutes = spec.count_or("minutes", options.minutes);
    read_numbers(kNumbers, spec, options);
    spec.finish();
    return options;
}

CityDemand::CityDemand(const City& city, const CityDemandOptions& options)
    : city_(city), options_(checked(options)), smooth_(options.memory) {
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
            flows_.push_back({i, j, commute[i * n + j], commute[j * n + i], errands[i * n + j]});
        }
    }
    scale_to_peak();
}

/// Scales so that the busiest period of a workday reaches the peak.
void CityDemand::scale_to_peak() {
    std::vector<Real> mean, busiest;
    Real most = 0;
    for (Index period = 0; period < options_.periods_a_day(); ++period) {
        mean_demand(period, mean);
        const Real total = std::accumulate(mean.begin(), mean.end(), Real{0});
        if (total > most) busiest = mean;
        most = std::max(most, total);
    }
    const Real scale = scale_to_utilisation(city_.network, pairs_, busiest, options_.peak, 0.25);
    for (Flow& flow : flows_) {
        flow.work *= scale;
        flow.back *= scale;
        flow.other *= scale;
    }
}

void CityDemand::mean_demand(Index period, std::vector<Real>& out) const {
    const Index a_day = options_.periods_a_day();
    const Real hour = (static_cast<Real>(period % a_day) + 0.5) * static_cast<Real>(options_.minutes) / 60;
    const DayShape shape = day_shape(period / a_day % 7 >= 5, hour);
    out.resize(pairs_.size());
    for (Index i = 0; i < pairs_.size(); ++i) {
        const Flow& flow = flows_[i];
        out[i] = shape.to_work * flow.work + shape.home * flow.back + shape.other * flow.other;
    }
}

void CityDemand::demand(Index period, std::vector<Real>& out) const {
    mean_demand(period, out);
    const Index n = city_.zones.size();
    const auto noise = [&](CityPurpose purpose, Index which) {
        return smooth_({.seed = options_.seed, .round = period, .step = purpose, .sample = which});
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
        const Index a = flows_[i].from, b = flows_[i].to;
        const Real z = std::sqrt(kOwn) * noise(kPairBurst, i) + origins[a] + goals[b];
        out[i] *= std::exp(options_.burst * (z - options_.burst / 2)) * from[a] * to[b];
    }
}

std::vector<NetworkEvent> CityDemand::events(Index period) const {
    return events_of_period(options_, city_.network, period);
}

std::string CityDemand::label(Index period) const {
    namespace time = std::chrono;
    const Index a_day = options_.periods_a_day();
    const auto minute = period % a_day * options_.minutes;
    const time::sys_days monday = time::year{2024} / time::January / 1;
    const time::year_month_day day(monday + time::days(period / a_day));
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}", static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()), minute / 60,
                       minute % 60);
}

bool CityDemand::announce(DemandPeriod& period) {
    if (next_ == periods()) return false;
    period = {label(next_), {}, events(next_)};
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
