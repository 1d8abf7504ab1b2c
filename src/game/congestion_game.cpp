#include "game/congestion_game.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/traffic/open_network.hpp"

#include "game/built_in_games.hpp"
#include "game/game_arguments.hpp"
#include "traffic/city_demand.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// It claims no constants. Constants valid for all plays assume that every pair sends its whole demand along
/// each link at once. They are about a hundred times too large. So `play` measures L and D in trials. along
/// each link at once. They are about a hundred times too large, so `play` measures L and D in trials.
class CongestionCost final : public PlayerCost {
  public:
    CongestionCost(std::shared_ptr<const CongestionGround> ground, Index carrier)
        : PlayerCost(ground->routing->dimension(), ground->network.links()),
          ground_(std::move(ground)),
          carrier_(carrier) {
        claims_.convex = ground_->routing->costs.convex();
    }

    void condense(ConstView joint, View record, Scratch& scratch) const override {
        // Loads are linear in splits: those of all rivals together are the loads of their mean splits.
        Scratch::Frame frame(scratch);
        const View splits = frame.take(dimension());
        fill(splits, 0);
        for (Index j = 0; j < ground_->shares.size(); ++j) {
            if (j != carrier_)
                axpy(ground_->shares[j], joint.subspan(j * splits.size(), splits.size()), splits);
        }
        find_loads(ground_->routing->paths, ground_->demand, splits, record, scratch);
    }

    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override {
        const Routing& routing = *ground_->routing;
        const Real share = ground_->shares[carrier_];
        const DemandColumn column{ground_->demand};
        Scratch::Frame frame(scratch);
        const View loads = frame.take(record_size());
        const View prices = frame.take(record_size());
        find_loads(routing.paths, {&column, 1}, own, loads, scratch);
        scaled(share, loads, loads);
        fill(prices, 0);
        Real total = 0;
        for (Index age = weights.size(); age-- > 0;) {
            if (weights[age] == 0) continue;
            const ConstView rivals = records[age];
            Real spent = 0;
            for (LinkIndex link = 0; link < loads.size(); ++link) {
                const LinkTime at = routing.costs.time(link, loads[link] + rivals[link]);
                spent += loads[link] * at.time;
                prices[link] += weights[age] * (at.time + loads[link] * at.slope);
            }
            total += weights[age] * spent;
        }
        if (!gradient.empty()) {
            price_paths(routing.paths, {&column, 1}, prices, gradient, scratch);
            scaled(share / routing.unit, gradient, gradient);
        }
        return total / routing.unit;
    }

  private:
    std::shared_ptr<const CongestionGround> ground_;
    Index carrier_;
};

/// The only file of a folder whose name has this ending.
std::string only_file(const std::string& folder, std::string_view ending) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().string().ends_with(ending)) found.push_back(entry.path().string());
    }
    if (found.size() == 1) return found.front();
    throw ConfigError(
        fmt::format("the folder '{}' has {} files *{}; name the file instead", folder, found.size(), ending));
}

/// The network and its demand.
NetworkFile open_ground(const CongestionOptions& options) {
    constexpr std::string_view kBuiltin = "builtin:";
    if (options.network.starts_with(kBuiltin)) {
        constexpr Index kMorning = 32;  // 8:00, in quarters of an hour
        const City city = make_city(CityOptions::parse(options.network.substr(kBuiltin.size())));
        const CityDemand week(city, {});
        Trips trips{.pairs = week.pairs(), .demand = {}};
        week.mean_demand(kMorning, trips.demand);
        return {.network = city.network, .trips = std::move(trips)};
    }
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
    return file;
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

/// The travel time of all demand on empty roads.
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
    NetworkFile file = open_ground(options);
    const std::vector<Pair>& pairs = file.trips->pairs;
    std::vector<Real>& demand = file.trips->demand;
    if (pairs.empty()) throw ConfigError(fmt::format("'{}': there is no demand", options.network));
    scaled(options.scale, demand, demand);
    LinkCosts costs(file.network, options.cost, Objective{}, {file.toll_factor, file.distance_factor});
    const std::vector<Real> times = costs.search_times(file.notes);
    MadePaths made = make_paths(file.network, pairs, {.k = options.paths}, times);
    if (!made.unreachable.empty()) {
        const Pair& lost = pairs[made.unreachable.front()];
        throw ConfigError(
            fmt::format("'{}': no path leads from {} to {}, which have demand, nor for {} other pairs",
                        options.network, file.network.node_name(lost.origin),
                        file.network.node_name(lost.destination), made.unreachable.size() - 1));
    }
    const Real unit = free_total(made.paths, times, demand);
    auto routing =
        std::make_shared<Routing>(Routing{.paths = std::move(made.paths), .costs = std::move(costs)});
    routing->unit = unit > 0 ? unit : 1;
    return {std::move(file.network), std::move(routing), std::move(demand), std::move(shares)};
}

GameDefinition make_congestion_game(std::string name, const std::shared_ptr<const CongestionGround>& ground) {
    GameDefinition game{.name = std::move(name), .players = {}};
    const AnyRegulariser set{SplitSet(ground->routing)};
    for (Index i = 0; i < ground->shares.size(); ++i) {
        game.players.push_back({fmt::format("carrier {}", i + 1), std::make_shared<CongestionCost>(ground, i),
                                set, fmt::format("splits of {} pairs", ground->demand.size()),
                                even_splits(ground->routing->paths)});
    }
    check(game);
    return game;
}

GameDefinition make_congestion(const Spec& spec) {
    CongestionOptions options;
    if (spec.positional_count() > 0 || spec.has("network")) options.network = spec.word(0, "network");
    options.trips = without_shield(spec.word_or("trips", ""));
    options.shares = spec.numbers("shares");
    options.carriers =
        count_within(spec, "carriers", options.shares.empty() ? 3 : options.shares.size(), 2, 1000);
    options.paths = count_within(spec, "paths", options.paths, 1, kMostPaths);
    options.cost = without_shield(spec.word_or("cost", options.cost));
    options.scale = number_within(spec, "scale", options.scale, 1e-6, 1e6);
    return make_congestion_game(spec.text(),
                                std::make_shared<const CongestionGround>(make_congestion_ground(options)));
}

}  // namespace proxstream
