#include "route/scenario.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/traffic/open_network.hpp"

#include "route/strategy.hpp"
#include "traffic/demand_stream.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/pair_index.hpp"
#include "traffic/path_file.hpp"
#include "traffic/run_start.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::string_view kBuiltin = "builtin:";

struct Ground : NetworkSource {
    LinkCosts::Factors factors = {};
    bool rereadable = false;  // the demand
    Index zones = 0;          // the number of zones, which are the first nodes; 0: all nodes
    std::vector<std::string> notes = {};
};

std::optional<Real> factor(const std::string& text) {
    if (text == "auto") return std::nullopt;
    return parse_real(text, "factor");
}

NetworkFile read_ground(const RouteSettings& settings) {
    NetworkOptions options;
    options.format = parse_network_format(settings.format);
    options.toll_factor = factor(settings.toll_factor);
    options.distance_factor = factor(settings.distance_factor);
    options.nodes_path = settings.nodes;
    return open_network(settings.network, options);
}

/// Multiplies the demand of a built-in network; readers of files multiply theirs themselves.
class ScaledDemand final : public DemandStream {
  public:
    ScaledDemand(std::unique_ptr<DemandStream> inner, Real scale) : inner_(std::move(inner)), scale_(scale) {}

    const std::vector<Pair>& pairs() const override { return inner_->pairs(); }
    bool announce(DemandPeriod& period) override { return inner_->announce(period); }
    void reveal(DemandPeriod& period) override {
        inner_->reveal(period);
        for (Real& demand : period.demand) {
            demand *= scale_;
            if (!(demand <= kAbsurd)) {
                throw DataError({.source = source(), .line = line(), .column = 0, .field = ""},
                                "the demand is too large", "at most 1e150, scaled");
            }
        }
    }
    std::string source() const override { return inner_->source(); }
    std::uint64_t line() const override { return inner_->line(); }
    std::vector<std::string> notes() const override { return inner_->notes(); }

  private:
    std::unique_ptr<DemandStream> inner_;
    Real scale_;
};

Ground built_in(const RouteSettings& settings) {
    Ground ground{make_built_in(settings.network.substr(kBuiltin.size()), settings.demand, settings.seed)};
    ground.rereadable = true;
    ground.open_demand = [open = std::move(ground.open_demand), scale = settings.scale] {
        return std::make_unique<ScaledDemand>(open(), scale);
    };
    return ground;
}

Ground from_files(const RouteSettings& settings, StopFlag stop) {
    NetworkFile file = read_ground(settings);
    Ground ground;
    ground.title = std::filesystem::path(settings.network).filename().string();
    ground.network = std::make_shared<const Network>(std::move(file.network));
    ground.factors = {file.toll_factor, file.distance_factor};
    ground.rereadable =
        std::filesystem::is_regular_file(settings.demand) || std::filesystem::is_directory(settings.demand);
    ground.zones = file.zones;
    ground.notes = std::move(file.notes);
    if (settings.demand.empty()) return ground;
    DemandOptions options;
    options.format = parse_demand_format(settings.demand_format);
    options.zones = file.zones;
    options.scale = settings.scale;
    options.repeat = settings.repeat;
    ground.open_demand = [network = ground.network, options, path = settings.demand, stop] {
        return open_demand(path, *network, options, stop);
    };
    return ground;
}

LinkCosts costs_of(const RouteSettings& settings, const Ground& ground) {
    return LinkCosts(*ground.network, link_cost(settings), Objective::parse(settings.objective),
                     ground.factors);
}

MadePaths paths_of(const RouteSettings& settings, const Ground& ground, const LinkCosts& costs,
                   const std::vector<Pair>& pairs, std::vector<std::string>& notes) {
    const PathOptions options{.k = settings.paths,
                              .spare = settings.generate > 0 ? settings.spare : 1,
                              .slack = settings.slack > 0,
                              .diverse = settings.diverse};
    if (!settings.path_file.empty()) {
        const PathLists lists = read_path_file(file_input(settings.path_file), *ground.network, pairs);
        return fill_paths(*ground.network, pairs, lists, options);
    }
    return make_paths(*ground.network, pairs, options, costs.search_times(notes));
}

void set_prices(const RouteSettings& settings, const Network& network, Routing& routing) {
    routing.slack_price = settings.slack;
    routing.path_price = settings.path_price;
    if (settings.path_price == 0) return;
    routing.share_prices.assign(routing.paths.slots(), 0);
    for (SlotIndex slot = 0; slot < routing.paths.slots(); ++slot) {
        if (!routing.paths.live(slot)) continue;
        Real time = 0;
        routing.paths.for_each_link(slot, [&](LinkIndex link) { time += network.link(link).free_time; });
        routing.share_prices[slot] = settings.path_price * time;
    }
}

/// Calls body(demand) for every usable period, without events.
template <class Body>
Index for_each_demand(const Ground& ground, const RouteSettings& settings, const Body& body) {
    const auto stream = ground.open_demand();
    DemandPeriod period;
    Index count = 0;
    while ((settings.periods == 0 || count < settings.periods) && stream->announce(period)) {
        try {
            stream->reveal(period);
        } catch (const DataError&) {
            continue;  // the run reports it when it gets there
        }
        if (period.demand.empty()) continue;
        ++count;
        body(period.demand);
    }
    return count;
}

/// Finds the mean demand in hindsight, for rivals that need it and for scaling capacities.
void survey(const Ground& ground, const RouteSettings& settings, Scenario& scenario) {
    std::vector<Real> mean(scenario.routing->paths.pairs(), 0);
    const Index count =
        for_each_demand(ground, settings, [&](const std::vector<Real>& demand) { axpy(1, demand, mean); });
    if (count == 0) return;
    scaled(1 / static_cast<Real>(count), mean, mean);
    scenario.mean_demand = mean;
    if (settings.peak == 0) return;

    StrategyParts parts{.settings = &settings,
                        .network = scenario.network.get(),
                        .routing = scenario.routing,
                        .start = even_splits(scenario.routing->paths),
                        .mean_demand = mean};
    // The best splits depend on the capacities, so the factor needs a search.
    constexpr int kMostRounds = 30;
    constexpr Real kClose = 1e-3;
    Real factor = 1;
    Real reached = 0;
    Real low = 0;
    Real high = kInfinity;
    for (int round = 0;; ++round) {
        const auto fixed = make_strategy("static", parts);
        Scratch scratch;
        std::vector<Real> loads(scenario.routing->costs.links());
        reached = 0;
        for_each_demand(ground, settings, [&](const std::vector<Real>& demand) {
            find_loads(scenario.routing->paths, demand, fixed->decide(), loads, scratch);
            for (LinkIndex link = 0; link < loads.size(); ++link)
                reached = std::max(reached, loads[link] / scenario.routing->costs.capacity(link));
        });
        if (reached == 0) return;
        if (std::abs(reached / settings.peak - 1) <= kClose || round == kMostRounds) break;
        (reached > settings.peak ? low : high) = factor;
        factor *= reached / settings.peak;
        if (!(factor > low && factor < high)) factor = std::sqrt(low * high);
        scenario.routing->costs.scale_all(factor);
    }
    scenario.notes.push_back(
        fmt::format("capacities are {:.6g} times those of the network: static splits for the mean demand "
                    "then reach {:.4g} once",
                    factor, reached));
}

/// The best splits for the expected first demand: from a file, or guessed from capacities.
std::vector<Real> start_of(const RouteSettings& settings, const Ground& ground, const Scenario& scenario) {
    const Network& network = *scenario.network;
    if (settings.first_demand.empty()) return first_splits(network, *scenario.routing);
    const DemandOptions options{
        .pairs = scenario.stream->pairs(), .zones = ground.zones, .scale = settings.scale};
    const auto stream = open_demand(settings.first_demand, network, options);
    DemandPeriod period;
    while (stream->announce(period)) {
        stream->reveal(period);
        if (has_demand(period.demand)) return best_splits(network, *scenario.routing, period.demand);
    }
    throw DataError({.source = stream->source(), .line = stream->line(), .column = 0, .field = ""},
                    "there is no demand above 0", "a period with demand, to choose the first splits for");
}

bool wants_hindsight(const RouteSettings& settings) {
    if (settings.peak > 0) return true;
    const auto rivals = rival_texts(settings);
    return std::find(rivals.begin(), rivals.end(), "static") != rivals.end();
}

/// Makes everything except hindsight and start. The scenario must have its stream.
void complete(const RouteSettings& settings, Ground& ground, Scenario& scenario) {
    static_cast<NetworkSource&>(scenario) = static_cast<const NetworkSource&>(ground);
    scenario.notes = std::move(ground.notes);
    if (settings.minutes > 0) scenario.minutes = settings.minutes;
    LinkCosts costs = costs_of(settings, ground);
    MadePaths made = paths_of(settings, ground, costs, scenario.stream->pairs(), scenario.notes);
    scenario.unreachable = std::move(made.unreachable);
    scenario.routing = std::make_shared<Routing>(Routing{std::move(made.paths), std::move(costs)});
    set_prices(settings, *scenario.network, *scenario.routing);
    if (!scenario.routing->costs.convex()) {
        scenario.notes.emplace_back(
            "this objective is not convex in the splits: the certificate covers stationarity, not "
            "optimality, "
            "and the clairvoyant is not a lower bound");
    }
}

Ground open_ground(const RouteSettings& settings, StopFlag stop) {
    return settings.network.starts_with(kBuiltin) ? built_in(settings) : from_files(settings, stop);
}

}  // namespace

Scenario open_scenario(const RouteSettings& settings, StopFlag stop) {
    validate(settings);
    Ground ground = open_ground(settings, stop);
    if (!ground.open_demand) throw ConfigError("demand: give a file of demand, or '-' for standard input");
    Scenario scenario;
    scenario.stream = ground.open_demand();
    complete(settings, ground, scenario);
    if (settings.peak > 0 && !ground.rereadable)
        throw ConfigError("peak: the demand has to be read twice, which a pipe cannot");
    if (ground.rereadable && wants_hindsight(settings)) survey(ground, settings, scenario);
    scenario.start = start_of(settings, ground, scenario);  // capacities are final now
    return scenario;
}

Scenario open_fed_scenario(const RouteSettings& settings, FedDemand*& feed) {
    validate(settings);
    Ground ground = open_ground(settings, nullptr);
    DemandOptions options;
    options.scale = settings.scale;
    options.zones = ground.zones;
    options.pairs = ground.open_demand
                        ? ground.open_demand()->pairs()
                        : all_pairs(ground.zones == 0 ? ground.network->nodes() : ground.zones);
    auto stream = std::make_unique<FedDemand>(*ground.network, std::move(options));
    feed = stream.get();
    Scenario scenario;
    scenario.stream = std::move(stream);
    complete(settings, ground, scenario);
    scenario.start = start_of(settings, ground, scenario);
    return scenario;
}

StaticTask open_static_task(const RouteSettings& settings) {
    validate(settings);
    RouteSettings as_trips = settings;
    if (as_trips.demand_format == "auto") as_trips.demand_format = "trips";
    Ground ground = open_ground(as_trips, nullptr);
    if (!ground.open_demand) throw ConfigError("demand: give a file of demand");
    const auto stream = ground.open_demand();
    DemandPeriod period;
    if (!stream->announce(period)) {
        throw DataError({.source = settings.demand, .line = 0, .column = 0, .field = ""},
                        "there is no demand", "");
    }
    stream->reveal(period);
    return {.title = ground.title,
            .network = ground.network,
            .factors = ground.factors,
            .trips = {.pairs = stream->pairs(), .demand = std::move(period.demand)},
            .notes = std::move(ground.notes)};
}

}  // namespace proxstream
