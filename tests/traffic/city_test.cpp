#include "proxstream/traffic/city.hpp"

#include "proxstream/core/error.hpp"

#include "traffic/shortest_paths.hpp"

#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::vector<CityOptions> sizes() {
    std::vector<CityOptions> all;
    for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 7}, {1, 3}, {2, 5}, {5, 12}, {9, 31}})
        all.push_back({.form = CityForm::ring, .rows = rows, .columns = columns, .seed = rows + columns});
    for (const auto& [rows, columns] : {std::pair<Index, Index>{2, 4}, {2, 2}, {8, 8}, {3, 40}, {24, 17}})
        all.push_back({.form = CityForm::grid, .rows = rows, .columns = columns, .seed = rows + columns});
    return all;
}

bool connected(const Network& network, const std::vector<Real>& costs) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
        ShortestPaths search(network, direction);
        search.run(0, costs);
        for (NodeIndex node = 0; node < network.nodes(); ++node) {
            if (!search.reaches(node)) return false;
        }
    }
    return true;
}

TEST(City, IsConnectedAndPlausibleAtEverySize) {
    for (const CityOptions& options : sizes()) {
        const City city = make_city(options);
        const Index expected =
            options.rows * options.columns + static_cast<Index>(options.form == CityForm::ring);
        EXPECT_EQ(city.network.nodes(), expected);
        std::vector<Real> times;
        std::set<std::pair<NodeIndex, NodeIndex>> ends;
        for (const Link& link : city.network.all_links()) {
            times.push_back(link.free_time);
            EXPECT_NE(link.from, link.to);
            EXPECT_TRUE(ends.insert({link.from, link.to}).second) << "parallel links";
            EXPECT_GE(link.capacity, 800);
            EXPECT_LE(link.capacity, 4700);
            EXPECT_GT(link.free_time, 0);
            EXPECT_LT(link.length / 1000 / (link.free_time / 60), 90) << "faster than a motorway";
            const Place a = *city.network.place(link.from), b = *city.network.place(link.to);
            EXPECT_NEAR(link.length, std::hypot(a.x - b.x, a.y - b.y), 0.5);
            EXPECT_TRUE(link.b > 0 && link.power >= 1);
        }
        EXPECT_TRUE(connected(city.network, times));
    }
}

TEST(City, StaysConnectedWithoutAnyOneLink) {
    for (const CityOptions& options : sizes()) {
        if (options.rows * options.columns > 100) continue;
        const City city = make_city(options);
        for (LinkIndex closed = 0; closed < city.network.links(); ++closed) {
            std::vector<Real> costs(city.network.links(), 1);
            costs[closed] = kInfinity;
            ASSERT_TRUE(connected(city.network, costs)) << city.network.link_name(closed);
        }
    }
}

TEST(City, HasWideRoadsAmongStreets) {
    for (const char* text : {"ring", "grid"}) {
        const City city = make_city(CityOptions::parse(text));
        Index wide = 0, narrow = 0;
        for (const Link& link : city.network.all_links()) ++(link.capacity > 1500 ? wide : narrow);
        EXPECT_GT(wide, city.network.links() / 6) << text;
        EXPECT_GT(narrow, city.network.links() / 6) << text;
    }
}

TEST(City, SpreadsZonesWithPeopleAndJobs) {
    for (const CityOptions& options : sizes()) {
        const City city = make_city(options);
        ASSERT_EQ(city.zones.size(), std::min(options.zones, city.network.nodes()));
        for (Index i = 0; i < city.zones.size(); ++i) {
            EXPECT_TRUE(i == 0 || city.zones[i - 1].node < city.zones[i].node);
            EXPECT_GE(city.zones[i].people, 1);
            EXPECT_GE(city.zones[i].jobs, 1);
        }
    }
    // Jobs are closer to the middle than people.
    const City city = make_city({});
    Real people = 0, jobs = 0, people_away = 0, jobs_away = 0;
    for (const Zone& zone : city.zones) {
        const Place place = *city.network.place(zone.node);
        people += zone.people;
        jobs += zone.jobs;
        people_away += zone.people * std::hypot(place.x, place.y);
        jobs_away += zone.jobs * std::hypot(place.x, place.y);
    }
    EXPECT_LT(jobs_away / jobs, 0.9 * people_away / people);
}

TEST(City, IsAFunctionOfItsSeed) {
    const auto print = [](const City& city) {
        std::vector<Real> all;
        for (const Link& link : city.network.all_links())
            all.insert(all.end(), {link.capacity, link.length, link.free_time});
        for (const Zone& zone : city.zones)
            all.insert(all.end(), {static_cast<Real>(zone.node), zone.people, zone.jobs});
        return all;
    };
    EXPECT_EQ(print(make_city({.seed = 4})), print(make_city({.seed = 4})));
    EXPECT_NE(print(make_city({.seed = 4})), print(make_city({.seed = 5})));
}

TEST(City, ReadsItsOptionsFromText) {
    const CityOptions ring = CityOptions::parse("ring:rings=3,spokes=9,zones=5,seed=7");
    EXPECT_TRUE(ring.form == CityForm::ring && ring.rows == 3 && ring.columns == 9 && ring.zones == 5 &&
                ring.seed == 7);
    const CityOptions grid = CityOptions::parse("grid:rows=3,columns=4");
    EXPECT_TRUE(grid.form == CityForm::grid && grid.rows == 3 && grid.columns == 4);
    EXPECT_THROW(CityOptions::parse("star"), ConfigError);
    EXPECT_THROW(CityOptions::parse("ring:rows=3"), ConfigError);
    EXPECT_THROW(CityOptions::parse("grid:rows=1000,columns=1000"), ConfigError);
    try {
        make_city({.rows = 0, .columns = 2, .zones = 1});
        FAIL() << "nothing was refused";
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 3U);
        EXPECT_EQ(error.violations()[1], "city: spokes = 2: from 3 to 100000 are possible");
    }
}

}  // namespace
}  // namespace proxstream
