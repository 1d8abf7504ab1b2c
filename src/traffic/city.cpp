#include "proxstream/traffic/city.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "traffic/number_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kMostNodes = 100'000;
constexpr Real kRingDistance = 900;  // metres
constexpr Real kBlock = 500;         // metres
constexpr Real kCrossing = 0.15;     // minutes that a crossing at a link's end takes
constexpr Real kPeopleEach = 8'000;  // of an average zone
constexpr Real kJobsEach = 4'000;

/// Each purpose draws with its own record number, so that draws are independent.
enum StreetPurpose : std::uint32_t { kShift, kTurn, kWidth, kPeople, kJobs };

struct RoadClass {
    Real speed;     // kilometres an hour
    Real capacity;  // vehicles an hour
    Real b, power;
};
constexpr RoadClass kStreet{35, 900, 0.6, 3};
constexpr RoadClass kArterial{55, 1'900, 0.3, 4};
constexpr RoadClass kMotorway{90, 4'200, 0.15, 4};

Real distance(const Place& a, const Place& b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

class Builder {
  public:
    explicit Builder(const CityOptions& options) : options_(options) {}

    City build() {
        options_.form == CityForm::ring ? lay_rings() : lay_grid();
        settle();
        return std::move(city_);
    }

  private:
    Real draw(StreetPurpose purpose, Index what) const {
        return normal({.seed = options_.seed, .record = purpose, .sample = what});
    }
    /// About -1 to 1.
    Real jitter(StreetPurpose purpose, Index what) const {
        return 2 * uniform({.seed = options_.seed, .record = purpose, .sample = what}) - 1;
    }
    NodeIndex add_node(const std::string& name, Place place) {
        const NodeIndex node = city_.network.node(name);
        city_.network.set_place(node, place);
        places_.push_back(place);
        return node;
    }
    void add_road(NodeIndex a, NodeIndex b, const RoadClass& road) {
        const Real length = std::round(distance(places_[a], places_[b]));
        const Real wider = 1 + 0.1 * jitter(kWidth, city_.network.links());
        const Link link{.from = a,
                        .to = b,
                        .capacity = 10 * std::round(road.capacity * wider / 10),
                        .length = length,
                        .free_time = length / (road.speed * 1000 / 60) + kCrossing,
                        .b = road.b,
                        .power = road.power};
        Link back = link;
        std::swap(back.from, back.to);
        city_.network.add_link(link);
        city_.network.add_link(back);
    }

    void lay_rings() {
        const Index rings = options_.rows, spokes = options_.columns;
        const NodeIndex centre = add_node("centre", {0, 0});
        for (Index r = 1; r <= rings; ++r) {
            for (Index s = 0; s < spokes; ++s) {
                const Real radius =
                    kRingDistance * (static_cast<Real>(r) + 0.12 * jitter(kShift, r * spokes + s));
                const Real turn =
                    (static_cast<Real>(s) + 0.12 * jitter(kTurn, r * spokes + s)) / static_cast<Real>(spokes);
                const Real angle = 2 * std::numbers::pi * turn;
                add_node(fmt::format("r{}s{}", r, s + 1),
                         {radius * std::sin(angle), radius * std::cos(angle)});
            }
        }
        const auto at = [&](Index r, Index s) {
            return r == 0 ? centre : static_cast<NodeIndex>(1 + (r - 1) * spokes + s % spokes);
        };
        for (Index r = 1; r <= rings; ++r) {
            const bool outer = r == rings && rings >= 4;
            for (Index s = 0; s < spokes; ++s) {
                const bool wide = spokes < 6 || s % 2 == 0;
                add_road(at(r - 1, s), at(r, s), wide ? kArterial : kStreet);
                add_road(at(r, s), at(r, s + 1), outer ? kMotorway : r % 3 == 0 ? kArterial : kStreet);
            }
        }
    }

    void lay_grid() {
        const Index rows = options_.rows, columns = options_.columns;
        for (Index y = 0; y < rows; ++y) {
            for (Index x = 0; x < columns; ++x) {
                const Index what = y * columns + x;
                add_node(fmt::format("x{}y{}", x + 1, y + 1),
                         {kBlock * (static_cast<Real>(x) + 0.15 * jitter(kShift, what)),
                          kBlock * (static_cast<Real>(y) + 0.15 * jitter(kTurn, what))});
            }
        }
        const auto at = [&](Index x, Index y) { return static_cast<NodeIndex>(y * columns + x); };
        const auto road = [](Index line) { return line % 4 == 1 ? kArterial : kStreet; };
        for (Index y = 0; y < rows; ++y) {
            for (Index x = 0; x < columns; ++x) {
                if (x + 1 < columns) add_road(at(x, y), at(x + 1, y), road(y));
                if (y + 1 < rows) add_road(at(x, y), at(x, y + 1), road(x));
            }
        }
    }

    /// Zones far from each other, one after the other, the first in the middle. People live everywhere, jobs
    /// concentrate in the middle, and both are uneven.
    void settle() {
        Place middle;
        for (const Place& place : places_) {
            middle.x += place.x / static_cast<Real>(places_.size());
            middle.y += place.y / static_cast<Real>(places_.size());
        }
        std::vector<Real> away;  // from the nearest zone; before there is one, from far outside
        Real radius = 0;
        for (const Place& place : places_) radius = std::max(radius, distance(place, middle));
        for (const Place& place : places_) away.push_back(10 * radius - distance(place, middle));
        std::vector<NodeIndex> nodes;
        while (nodes.size() < std::min(options_.zones, places_.size())) {
            const auto farthest = std::max_element(away.begin(), away.end()) - away.begin();
            nodes.push_back(static_cast<NodeIndex>(farthest));
            for (Index i = 0; i < places_.size(); ++i)
                away[i] = std::min(away[i], distance(places_[i], places_[nodes.back()]));
            away[nodes.back()] = -1;
        }
        std::sort(nodes.begin(), nodes.end());
        Real people = 0, jobs = 0;
        for (const NodeIndex node : nodes) {
            const Real out = distance(places_[node], middle) / radius;
            city_.zones.push_back({node, std::exp(-0.7 * out + 0.4 * draw(kPeople, node)),
                                   std::exp(-2 * out + 0.5 * draw(kJobs, node))});
            people += city_.zones.back().people;
            jobs += city_.zones.back().jobs;
        }
        const Real zones = static_cast<Real>(nodes.size());
        for (Zone& zone : city_.zones) {
            zone.people = std::max<Real>(1, std::round(zone.people * kPeopleEach * zones / people));
            zone.jobs = std::max<Real>(1, std::round(zone.jobs * kJobsEach * zones / jobs));
        }
    }

    const CityOptions& options_;
    City city_;
    std::vector<Place> places_;
};

using Numbers = NumberRows<CityOptions, 3>;
constexpr Numbers kRingNumbers{{{"rings", &CityOptions::rows, 1, kMostNodes},
                                {"spokes", &CityOptions::columns, 3, kMostNodes},
                                {"zones", &CityOptions::zones, 2, kMostNodes}}};
constexpr Numbers kGridNumbers{{{"rows", &CityOptions::rows, 2, kMostNodes},
                                {"columns", &CityOptions::columns, 2, kMostNodes},
                                {"zones", &CityOptions::zones, 2, kMostNodes}}};

const Numbers& numbers_of(CityForm form) {
    return form == CityForm::ring ? kRingNumbers : kGridNumbers;
}

void check(const CityOptions& options) {
    Violations violations;
    check_numbers(numbers_of(options.form), "city", options, violations);
    violations.require(!violations.empty() || options.rows * options.columns <= kMostNodes,
                       "city: {} times {} nodes: at most {} are possible", options.rows, options.columns,
                       kMostNodes);
    violations.conclude();
}

}  // namespace

CityOptions CityOptions::parse(std::string_view text) {
    const Spec spec = Spec::parse(text);
    CityOptions options;
    if (spec.name() == "grid") {
        options.form = CityForm::grid;
        options.rows = options.columns = 8;
    } else if (spec.name() != "ring") {
        throw ConfigError(unknown_name("form of a city", spec.name(), {"ring", "grid"}));
    }
    read_numbers(numbers_of(options.form), spec, options);
    options.seed = spec.count_or("seed", options.seed);
    spec.finish();
    check(options);
    return options;
}

City make_city(const CityOptions& options) {
    check(options);
    return Builder(options).build();
}

}  // namespace proxstream
