/// Demand of the built-in city, a matrix of vehicles an hour for each period, from Monday midnight on.
///
/// Trips to work follow a gravity model from people to jobs, and return in the evening. Other trips go from
/// people to people and jobs all day. Workdays have rush hours around 8:00 and 17:15, weekends a single flat
/// peak. Every pair has random bursts, partly shared by zones. A zone may have a surge (a match, a concert):
/// trips to it for an hour, and from it afterwards. Incidents take 40 to 70 % of a link's capacity for 30 to
/// 120 minutes, or close it.
///
/// Scale: in the mean matrix of the busiest hour of a workday the busiest link uses `peak` of its capacity.
/// Bursts, surges and incidents are left out, and splits are near the user equilibrium of a queueing-type
/// time (scale_to_utilisation). Capacities are those of the city; nothing is fitted to a method.
///
/// Every number is a function of options, period and pair alone.
#pragma once

#include "proxstream/traffic/city.hpp"

#include "traffic/demand_model.hpp"
#include "traffic/demand_stream.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct CityDemandOptions {
    Index minutes = 15;  // of a period: 5, 10, 15, 30 or 60
    Index days = 7;      // the first is a Monday
    Real peak = 0.9;     // from 0.01 to 0.99
    Real burst = 0.3;    // deviation of the logarithm of a pair's demand around its mean, from 0 to 2
    Real memory = 0.7;   // correlation of bursts from one period to the next, from 0 to 0.95
    Real surges = 2;     // a week, in all zones together; from 0 to 100
    Real incidents = 2;  // a day; from 0 to 100
    std::uint64_t seed = 1;

    /// Reads `week[:days=7,minutes=15,peak=0.9,..]`, all but the seed. Throws ConfigError.
    static CityDemandOptions parse(std::string_view text);
    Index periods_a_day() const noexcept { return 1440 / minutes; }
};

class CityDemand final : public DemandStream {
  public:
    /// `city` has to outlive it. Throws ConfigError that names every option that cannot be used.
    CityDemand(const City& city, const CityDemandOptions& options);

    const std::vector<Pair>& pairs() const override { return pairs_; }
    bool announce(DemandPeriod& period) override;
    void reveal(DemandPeriod& period) override;
    std::string source() const override { return "built-in city"; }
    std::uint64_t line() const override { return next_; }

    /// Any period, from 0. The position of the stream does not change.
    std::string label(Index period) const;
    void demand(Index period, std::vector<Real>& out) const;
    std::vector<NetworkEvent> events(Index period) const;
    /// The demand of a period without bursts and surges.
    void mean_demand(Index period, std::vector<Real>& out) const;
    Index periods() const noexcept { return options_.days * options_.periods_a_day(); }

  private:
    /// A pair: its zones, and its trips at a share of 1, in vehicles an hour.
    struct Flow {
        Index from = 0, to = 0;
        Real work = 0, back = 0, other = 0;
    };
    void scale_to_peak();

    const City& city_;
    CityDemandOptions options_;
    SmoothNormal smooth_;
    std::vector<Pair> pairs_;
    std::vector<Flow> flows_;  // of each pair
    Index next_ = 0;
};

std::unique_ptr<CityDemand> city_demand(const City& city, const CityDemandOptions& options);

}  // namespace proxstream
