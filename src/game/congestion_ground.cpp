#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/traffic/open_network.hpp"

#include "game/congestion_game.hpp"
#include "traffic/city_demand.hpp"
#include "traffic/k_shortest.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::string_view kBuiltin = "builtin:";

struct Ground {
    Network network;
    LinkCosts::Factors factors;
    std::vector<Pair> pairs;
    std::vector<Real> demand;
};

Ground city_ground(const std::string& text) {
    constexpr Index kMorning = 32;  // 8:00, in quarters of an hour
    const City city = make_city(CityOptions::parse(text));
    const CityDemand week(city, {});
    Ground ground{city.network, {}, week.pairs(), {}};
    week.mean_demand(kMorning, ground.demand);
    return ground;
}

/// The only file of a folder whose name ends so.
std::string only_file(const std::string& folder, std::string_view ending) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().string().ends_with(ending)) found.push_back(entry.path().string());
    }
    if (found.size() == 1) return found.front();
    throw ConfigError(fmt::format("the folder '{}' has {} files *{}; name the one that is meant", folder,
                                  found.size(), ending));
}

Ground file_ground(const CongestionOptions& options) {
    NetworkOptions open;
    std::string path = options.network;
    open.trips_path = options.trips;
    if (std::filesystem::is_directory(path)) {
        if (open.trips_path.empty()) open.trips_path = only_file(path, "_trips.tntp");
        path = only_file(path, "_net.tntp");
    }
    NetworkFile file = open_network(path, open);
    if (!file.trips)
        throw ConfigError(fmt::format("'{}' holds no demand: give a file of it as trips=", path));
    return {std::move(file.network),
            {file.toll_factor, file.distance_factor},
            std::move(file.trips->pairs),
            std::move(file.trips->demand)};
}

std::vector<Real> read_shares(const CongestionOptions& options) {
    if (options.shares.empty())
        return std::vector<Real>(options.carriers, 1 / static_cast<Real>(options.carriers));
    if (options.shares.size() != options.carriers)
        throw ConfigError(fmt::format("{} shares for {} carriers", options.shares.size(), options.carriers));
    Real total = 0;
    for (const Real share : options.shares) {
        if (!(share > 0)) throw ConfigError(fmt::format("shares: {:g} is not positive", share));
        total += share;
    }
    constexpr Real kClose = 1e-6;
    if (!(std::abs(total - 1) <= kClose))
        throw ConfigError(fmt::format("shares sum to {:g}, not to 1", total));
    std::vector<Real> shares = options.shares;
    scaled(1 / total, shares, shares);
    return shares;
}

/// Times on empty roads, to find paths with; all 1 where nothing tells links apart.
std::vector<Real> free_times(const LinkCosts& costs) {
    std::vector<Real> times = costs.free_times();
    if (max_abs(times) == 0) std::fill(times.begin(), times.end(), 1);
    return times;
}

/// What all demand together takes on empty roads.
Real free_total(const PathSet& paths, ConstView times, ConstView demand) {
    Real total = 0;
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Real shortest = kInfinity;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!paths.live(slot)) continue;
            Real time = 0;
            paths.for_each_link(slot, [&](LinkIndex link) { time += times[link]; });
            shortest = std::min(shortest, time);
        }
        total += demand[pair] * shortest;
    }
    return total;
}

}  // namespace

CongestionGround make_congestion_ground(const CongestionOptions& options) {
    std::vector<Real> shares = read_shares(options);
    const bool built_in = options.network.starts_with(kBuiltin);
    Ground ground = built_in ? city_ground(options.network.substr(kBuiltin.size())) : file_ground(options);
    if (ground.pairs.empty()) throw ConfigError(fmt::format("'{}': there is no demand", options.network));
    scaled(options.scale, ground.demand, ground.demand);
    LinkCosts costs(ground.network, options.cost, Objective{}, ground.factors);
    const std::vector<Real> times = free_times(costs);
    MadePaths made = make_paths(ground.network, ground.pairs, {.k = options.paths}, times);
    if (!made.unreachable.empty()) {
        const Pair& lost = ground.pairs[made.unreachable.front()];
        throw ConfigError(
            fmt::format("'{}': no path leads from {} to {}, which have demand, nor for {} other pairs",
                        options.network, ground.network.node_name(lost.origin),
                        ground.network.node_name(lost.destination), made.unreachable.size() - 1));
    }
    const Real unit = free_total(made.paths, times, ground.demand);
    auto routing =
        std::make_shared<Routing>(Routing{.paths = std::move(made.paths), .costs = std::move(costs)});
    routing->unit = unit > 0 ? unit : 1;
    return {std::move(ground.network), std::move(routing), std::move(ground.demand), std::move(shares)};
}

}  // namespace proxstream
