#include "traffic/city_demand.hpp"

#include "proxstream/core/error.hpp"

#include "traffic/demand_model.hpp"
#include "traffic/shortest_paths.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

Real sum(const std::vector<Real>& values) {
    return std::accumulate(values.begin(), values.end(), Real{0});
}

TEST(Gravity, KeepsItsMarginsAndFallsWithCost) {
    const Index n = 7;
    std::vector<Real> from, to, cost;
    for (Index i = 0; i < n; ++i) {
        from.push_back(1 + 9 * uniform({.seed = 1, .sample = i}));
        to.push_back(1 + 9 * uniform({.seed = 2, .sample = i}));
    }
    for (Index i = 0; i < n * n; ++i) cost.push_back(5 * uniform({.seed = 3, .sample = i}));
    const std::vector<Real> trips = gravity(from, to, cost, 0.8);
    for (Index i = 0; i < n; ++i) {
        Real row = 0, column = 0;
        for (Index j = 0; j < n; ++j) {
            row += trips[i * n + j];
            column += trips[j * n + i];
        }
        EXPECT_NEAR(row, from[i] / sum(from), 1e-10);
        EXPECT_NEAR(column, to[i] / sum(to), 1e-10);
    }
    // What is left after the margins is the exponential alone: cross ratios know nothing of a and b.
    const auto cross = [&](const std::vector<Real>& t) { return t[0] * t[n + 1] / (t[1] * t[n]); };
    std::vector<Real> bare;
    for (const Real c : cost) bare.push_back(std::exp(-0.8 * c));
    EXPECT_NEAR(cross(trips) / cross(bare), 1, 1e-9);
}

TEST(SmoothNormal, HasTheDeclaredCorrelation) {
    for (const Real memory : {0.0, 0.5, 0.8}) {
        const SmoothNormal smooth(memory);
        Real mean = 0, square = 0, product = 0, far = 0;
        const Index count = 20'000;
        std::vector<Real> z;
        for (Index t = 0; t < count + 20; ++t) z.push_back(smooth({.seed = 9, .round = t}));
        for (Index t = 0; t < count; ++t) {
            mean += z[t] / count;
            square += z[t] * z[t] / count;
            product += z[t] * z[t + 1] / count;
            far += z[t] * z[t + 20] / count;
        }
        EXPECT_NEAR(mean, 0, 0.06);
        EXPECT_NEAR(square, 1, 0.06);
        EXPECT_NEAR(product, memory, 0.05);
        EXPECT_NEAR(far, 0, 0.05);
    }
}

TEST(DemandScale, ReachesTheWantedUtilisation) {
    // One way only: the utilisation is known without a search.
    Network line;
    for (const char* name : {"a", "b", "c"}) line.node(name);
    line.add_link({.from = 0, .to = 1, .capacity = 100});
    line.add_link({.from = 1, .to = 2, .capacity = 50});
    const std::vector<Pair> pairs = {{0, 1}, {0, 2}};
    const std::vector<Real> demand = {10, 4};
    EXPECT_NEAR(scale_to_utilisation(line, pairs, demand, 0.7, 0.25), 0.7 / 0.14, 1e-12);
    // Two equal ways: the equilibrium uses both, and carries nearly twice of what one does.
    Network two;
    for (const char* name : {"a", "b"}) two.node(name);
    two.add_link({.from = 0, .to = 1, .capacity = 10});
    two.add_link({.from = 0, .to = 1, .capacity = 10});
    const std::vector<Pair> one = {{0, 1}};
    EXPECT_NEAR(scale_to_utilisation(two, one, std::vector<Real>{1}, 0.9, 0.25), 18, 0.5);
}

class CityWeek : public ::testing::Test {
  protected:
    City city_ = make_city({.rows = 4, .columns = 8, .zones = 10});
};

TEST_F(CityWeek, HasTwoRushHoursOnWorkdaysAndNoneAtNight) {
    const CityDemand demand(city_, {.minutes = 30});
    std::vector<Real> totals, matrix;
    for (Index period = 0; period < demand.periods(); ++period) {
        demand.mean_demand(period, matrix);
        totals.push_back(sum(matrix));
    }
    ASSERT_EQ(totals.size(), 7U * 48);
    const Real most = *std::max_element(totals.begin(), totals.end());
    for (Index day = 0; day < 7; ++day) {
        std::vector<Real> hours;  // of the peaks
        const auto at = [&](Index i) { return totals[day * 48 + i]; };
        for (Index i = 1; i + 1 < 48; ++i) {
            if (at(i) > at(i - 1) && at(i) >= at(i + 1) && at(i) > most / 2)
                hours.push_back((static_cast<Real>(i) + 0.5) / 2);
        }
        if (day < 5) {
            ASSERT_EQ(hours.size(), 2U) << day;
            EXPECT_NEAR(hours[0], 8, 0.5);
            EXPECT_NEAR(hours[1], 17.25, 0.5);
        } else {
            EXPECT_TRUE(hours.empty()) << day;
        }
        EXPECT_LT(at(6), most / 15) << "three in the morning";
        for (Index i = 1; i < 48; ++i) EXPECT_LT(std::abs(at(i) - at(i - 1)), most / 3) << "a jump";
    }
}

TEST_F(CityWeek, GoesToTheJobsInTheMorningAndBackInTheEvening) {
    const CityDemand demand(city_, {.minutes = 60});
    std::map<Pair, Real> morning, evening;
    std::vector<Real> matrix;
    demand.mean_demand(8, matrix);
    for (Index i = 0; i < matrix.size(); ++i) morning[demand.pairs()[i]] = matrix[i];
    demand.mean_demand(17, matrix);
    for (Index i = 0; i < matrix.size(); ++i) evening[demand.pairs()[i]] = matrix[i];
    Real there = 0, back = 0;  // those who go where there are more jobs for each inhabitant
    for (const Zone& a : city_.zones) {
        for (const Zone& b : city_.zones) {
            if (b.jobs / b.people <= a.jobs / a.people) continue;
            there += morning[{a.node, b.node}] - morning[{b.node, a.node}];
            back += evening[{b.node, a.node}] - evening[{a.node, b.node}];
        }
    }
    EXPECT_GT(there, 0.1 * sum(matrix));
    EXPECT_GT(back, 0.1 * sum(matrix));
}

TEST_F(CityWeek, IsAFunctionOfThePeriodAlone) {
    const CityDemandOptions options{.minutes = 60, .days = 2, .surges = 50, .incidents = 6, .seed = 5};
    const auto stream = city_demand(city_, options);
    const CityDemand other(city_, options);
    std::set<std::string> labels;
    std::vector<DemandPeriod> periods;
    for (DemandPeriod period; stream->announce(period);) {
        EXPECT_TRUE(period.demand.empty()) << "demand is not known yet";
        stream->reveal(period);
        EXPECT_TRUE(labels.insert(period.label).second);
        periods.push_back(period);
    }
    ASSERT_EQ(periods.size(), 48U);
    EXPECT_EQ(periods[0].label, "2024-01-01T00:00");
    EXPECT_EQ(periods[47].label, "2024-01-02T23:00");
    std::vector<Real> again;
    for (Index i = periods.size(); i-- > 0;) {
        other.demand(i, again);
        EXPECT_EQ(again, periods[i].demand) << i;
        EXPECT_EQ(other.events(i).size(), periods[i].events.size());
    }
    CityDemandOptions reseeded = options;
    reseeded.seed = 6;
    CityDemand(city_, reseeded).demand(8, again);
    EXPECT_NE(again, periods[8].demand);
}

TEST_F(CityWeek, HasTheDeclaredScatter) {
    const CityDemand demand(city_, {.minutes = 60, .days = 28, .burst = 0.4, .surges = 0});
    std::vector<Real> mean, matrix;
    Real total = 0, expected = 0, logs = 0, squares = 0, count = 0;
    for (Index period = 0; period < demand.periods(); ++period) {
        demand.mean_demand(period, mean);
        demand.demand(period, matrix);
        for (Index i = 0; i < matrix.size(); ++i) {
            ASSERT_GT(matrix[i], 0);
            const Real log = std::log(matrix[i] / mean[i]);
            logs += log;
            squares += log * log;
            ++count;
        }
        total += sum(matrix);
        expected += sum(mean);
    }
    EXPECT_NEAR(total / expected, 1, 0.03);
    EXPECT_NEAR(logs / count, -0.08, 0.01);
    EXPECT_NEAR(std::sqrt(squares / count - logs / count * logs / count), 0.4, 0.01);
}

TEST_F(CityWeek, HasSurgesAtZones) {
    const CityDemand calm(city_, {.minutes = 30, .surges = 0});
    const CityDemand lively(city_, {.minutes = 30, .surges = 10});
    std::vector<Real> a, b;
    Index arrivals = 0, departures = 0;
    for (Index period = 0; period < calm.periods(); ++period) {
        calm.demand(period, a);
        lively.demand(period, b);
        std::map<NodeIndex, Index> from, to;
        for (Index i = 0; i < a.size(); ++i) {
            ASSERT_GE(b[i], a[i]);
            ASSERT_LE(b[i], 25 * a[i]);
            if (b[i] <= a[i]) continue;
            ++from[calm.pairs()[i].origin];
            ++to[calm.pairs()[i].destination];
        }
        for (const auto& [node, pairs] : to) arrivals += static_cast<Index>(pairs == 9 && from[node] < 9);
        for (const auto& [node, pairs] : from) departures += static_cast<Index>(pairs == 9 && to[node] < 9);
    }
    EXPECT_GE(arrivals, 8U);
    EXPECT_GE(departures, 8U);
}

TEST_F(CityWeek, HasIncidentsThatEnd) {
    using Kind = NetworkEvent::Kind;
    const CityDemand demand(city_, {.minutes = 10, .days = 60, .incidents = 3.5});
    std::map<LinkIndex, Index> slow, closed;  // since when
    Index incidents = 0, closures = 0;
    for (Index period = 0; period < demand.periods(); ++period) {
        for (const NetworkEvent& event : demand.events(period)) {
            ASSERT_LT(event.link, city_.network.links());
            EXPECT_NE(event.text.find(city_.network.link_name(event.link)), std::string::npos);
            if (event.kind == Kind::close) {
                EXPECT_TRUE(closed.insert({event.link, period}).second);
                EXPECT_EQ(closed.size(), 1U) << "two links closed at once";
                ++closures;
            } else if (event.kind == Kind::open) {
                ASSERT_EQ(closed.count(event.link), 1U);
                EXPECT_LE(period - closed[event.link], 12U);
                closed.erase(event.link);
            } else if (event.factor < 1) {
                EXPECT_TRUE(event.factor >= 0.3 && event.factor <= 0.6);
                if (slow.insert({event.link, period}).second) ++incidents;
            } else {
                EXPECT_EQ(event.factor, 1);
                ASSERT_EQ(slow.count(event.link), 1U);
                EXPECT_GE(period - slow[event.link], 3U);
                slow.erase(event.link);
            }
        }
        if (period % 144 == 0) {
            EXPECT_TRUE(slow.empty() && closed.empty()) << "an incident at midnight";
        }
    }
    EXPECT_NEAR(static_cast<Real>(incidents + closures), 60 * 3.5, 15);
    EXPECT_GT(closures, 4U);
    EXPECT_TRUE(CityDemand(city_, {.days = 1, .incidents = 0}).events(40).empty());
}

TEST(CityDemandOf, AnySizeWorks) {
    std::vector<Real> matrix;
    for (const char* text :
         {"ring:rings=1,spokes=7", "ring:rings=1,spokes=3,zones=2", "grid:rows=2,columns=4",
          "grid:rows=30,columns=30,zones=12", "ring:rings=12,spokes=20"}) {
        const City city = make_city(CityOptions::parse(text));
        for (const Index minutes : {5U, 60U}) {
            const CityDemand demand(city, {.minutes = minutes, .days = 1});
            const Index z = city.zones.size();
            ASSERT_EQ(demand.pairs().size(), z * (z - 1)) << text;
            EXPECT_TRUE(std::is_sorted(demand.pairs().begin(), demand.pairs().end()));
            demand.demand(480 / minutes, matrix);
            for (const Real value : matrix) EXPECT_TRUE(std::isfinite(value) && value > 0) << text;
        }
    }
}

TEST(CityDemandOf, RefusesOptionsAllAtOnce) {
    const City city = make_city({});
    try {
        city_demand(city, {.minutes = 7,
                           .days = 0,
                           .peak = 1,
                           .burst = -1,
                           .memory = 1,
                           .surges = -1,
                           .incidents = std::nan("")});
        FAIL() << "nothing was refused";
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 7U);
        EXPECT_EQ(error.violations()[0], "city demand: minutes = 7: 5, 10, 15, 30 or 60 are possible");
    }
}

}  // namespace
}  // namespace proxstream
