#include "proxstream/router.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/separable.hpp"

#include "front/check_network.hpp"
#include "front/epoch_account.hpp"
#include "front/split_learner.hpp"
#include "traffic/demand_batch.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/path_keeper.hpp"
#include "traffic/period_figures.hpp"
#include "traffic/run_start.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

struct RouterGround {
    std::shared_ptr<Routing> routing;
    std::vector<Index> given;  // by sorted pair: its index in the caller's list
};

namespace {

/// Source of demand in error messages.
constexpr const char* kDemand = "demand";
/// Extra path slots for each pair, for a detour if all its paths are closed.
constexpr Index kSpareSlots = 1;

LearnerConfig learner_options(const RouterOptions& options) {
    return {.g = AnyRegulariser(Zero{}),
            .make_batch = {},
            .start = {},
            .window = options.window,
            .model = ForecastRule::parse("auto"),
            .switching = options.switching,
            .tolerance = Tolerance::parse(options.tolerance),
            .budget = {options.max_steps, options.max_seconds},
            .inner = "blocks",
            .seed = options.seed};
}

void check(const Network& network, const RouterOptions& options) {
    Violations violations;
    check_links(network, violations);
    violations.require(options.paths >= 1 && options.paths <= kMostPaths,
                       "paths = {}: must be from 1 to 1000", options.paths);
    violations.at_least_zero("toll_factor", options.toll_factor);
    violations.at_least_zero("distance_factor", options.distance_factor);
    violations.at_least_zero("switching", options.switching);
    violations.positive_or_automatic("step", options.step);
    violations.at_least_one("max_steps", options.max_steps);
    violations.above_zero("max_seconds", options.max_seconds);
    violations.collect("objective", [&] { Objective::parse(options.objective); });
    violations.collect("window", [&] { measured_window(options.window); });
    violations.collect("tolerance", [&] { Tolerance::parse(options.tolerance); });
    violations.conclude();
    violations.collect("learner", [&] { check_learner(options.learner, learner_options(options)); });
    violations.conclude();
}

RouterGround prepare(const Network& network, const std::vector<Pair>& pairs, const RouterOptions& options) {
    check(network, options);
    if (pairs.empty()) throw ConfigError("pairs: there are none; at least one is needed");
    check_pairs(network, pairs, "pairs");
    std::vector<Index> order = ascending_order(pairs);
    std::vector<Pair> sorted;
    for (const Index i : order) sorted.push_back(pairs[i]);

    LinkCosts costs = make_costs(network, options);
    std::vector<std::string> notes;
    const PathOptions wanted{.k = options.paths, .spare = kSpareSlots, .diverse = options.diverse};
    MadePaths made = make_paths(network, sorted, wanted, costs.search_times(notes));
    if (!made.unreachable.empty()) {
        const Pair& lost = sorted[made.unreachable.front()];
        refuse_data("pairs", pair_name(network, lost), "no path connects the two nodes",
                    "pairs of nodes that are connected");
    }
    return {std::make_shared<Routing>(Routing{std::move(made.paths), std::move(costs)}), std::move(order)};
}

}  // namespace

bool RouterReport::sound() const {
    return proxstream::sound(epochs);
}

struct Router::State {
    State(Network the_network, std::vector<Pair> the_pairs, const RouterOptions& the_options)
        : network(std::move(the_network)),
          pairs(std::move(the_pairs)),
          options(the_options),
          prepared(prepare(network, pairs, options)),
          routing(*prepared.routing),
          keeper(network, prepared.routing, {}),
          start(first_splits(network, routing)),
          account({.dimension = routing.dimension(),
                   .max_steps = options.max_steps,
                   .max_seconds = options.max_seconds < kInfinity ? std::optional<Real>(options.max_seconds)
                                                                  : std::nullopt}) {}

    Network network;
    std::vector<Pair> pairs;
    RouterOptions options;
    RouterGround prepared;
    Routing& routing;
    PathKeeper keeper;
    std::vector<Real> start;              // splits before the first demand
    std::unique_ptr<AnyLearner> learner;  // made in the first period with demand, which determines the step
    EpochAccount account;
    Round periods = 0;
    bool failed = false;  // a change of the network that the learner could not follow
    Scratch scratch;

    ConstView decision() const { return learner ? learner->decide() : ConstView(start); }

    /// By sorted pair, checked.
    std::vector<Real> sorted_demand(ConstView demand) const {
        check_demand(network, pairs, demand, kDemand);
        std::vector<Real> sorted;
        for (const Index i : prepared.given) sorted.push_back(demand[i]);
        for (const Index pair : keeper.unreachable()) {
            if (sorted[pair] == 0) continue;
            refuse_data(kDemand, pair_name(network, routing.paths.pair(pair)),
                        fmt::format("demand is {}, and no open path leads there", sorted[pair]),
                        "0 until a link opens");
        }
        return sorted;
    }

    void begin(ConstView demand) {
        set_unit(routing, demand, start, scratch);
        const Real step = options.step > 0 ? options.step : reference_step(prepared.routing, demand, start);
        LearnerConfig config = learner_options(options);
        config.start = start;
        config.step = step;
        learner = make_split_learner(options.learner, prepared.routing, std::move(config));
        account.begin(learner->facts(), 0);
    }

    RoutedPeriod measure(ConstView demand) {
        LinkFigures links;
        const PeriodFigures figures = measure_period(routing, demand, decision(), {}, links, scratch);
        if (!std::isfinite(figures.cost)) {
            refuse_data(kDemand, "",
                        fmt::format("the cost of this demand, {:g} altogether, is not a finite number",
                                    figures.demand),
                        "demand that the network's costs can be computed for");
        }
        return {.number = periods + 1,
                .cost = figures.cost,
                .total_time = figures.time,
                .largest_utilisation = figures.utilisation_max,
                .link_flows = std::move(links.load),
                .link_times = std::move(links.time)};
    }

    RoutedPeriod observe(ConstView given) {
        require_usable();
        const std::vector<Real> demand = sorted_demand(given);
        RoutedPeriod period = measure(demand);
        if (!learner && !has_demand(demand)) {
            ++periods;
            period.learned = false;
            return period;
        }
        if (!learner) begin(demand);
        RowBlock record;
        record.add_dense(demand, 0);
        const RoundReport report = learner->observe(record);
        account.open();
        RowExtras extras;
        extras.ensemble = learner->ensemble();
        account.add(report, extras);
        ++periods;
        period.learned = report.status != RoundStatus::refused;
        if (period.learned) period.stationarity_gap = report.entry_gap;
        return period;
    }

    void require_usable() const {
        if (failed)
            throw Error("this router failed when a link changed; make a new one for the network as it is");
    }

    void change(LinkIndex link, NetworkEvent::Kind kind) {
        require_usable();
        if (link >= network.links())
            throw ConfigError(fmt::format("link {}: there is none; links are numbered from 0 to {}", link,
                                          network.links() - 1));
        const bool closed = routing.closed[link] != 0;
        if (closed == (kind == NetworkEvent::Kind::close)) return;
        if (account.is_open())
            account.end(account.footer(learner->close(), RunEnding::finished, learner->seconds()));
        const NetworkEvent event{.kind = kind, .link = link};
        keeper.apply({&event, 1});
        const auto repair = [&](View x) { keeper.repair(x); };
        if (!learner) {
            repair(start);
            return;
        }
        if (learner->revise(repair).status == RoundStatus::refused) {
            failed = true;
            refuse_data("link", network.link_name(link),
                        "with this change costs are not finite numbers any more",
                        "a network that carries the demand of the window at finite cost");
        }
        account.begin(learner->facts(), learner->seconds());
    }

    LinkIndex find(std::string_view name) const {
        const std::optional<LinkIndex> link = network.find_link(name);
        if (!link)
            throw ConfigError(
                fmt::format("link '{}': there is none, or several; expected a name, FROM-TO or "
                            "FROM-TO#2",
                            name));
        return *link;
    }
};

Router::Router(Network network, std::vector<Pair> pairs, const RouterOptions& options)
    : state_(std::make_unique<State>(std::move(network), std::move(pairs), options)) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

const Network& Router::network() const noexcept {
    return state_->network;
}

const std::vector<Pair>& Router::pairs() const noexcept {
    return state_->pairs;
}

std::vector<PathShare> Router::splits() const {
    const PathSet& paths = state_->routing.paths;
    const ConstView x = state_->decision();
    std::vector<PathShare> splits;
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        for (const SlotIndex slot : paths.live_slots(pair))
            splits.push_back(
                {.pair = state_->prepared.given[pair], .links = paths.links(slot), .share = x[slot]});
    }
    std::stable_sort(splits.begin(), splits.end(),
                     [](const PathShare& a, const PathShare& b) { return a.pair < b.pair; });
    return splits;
}

std::vector<Real> Router::link_flows(ConstView demand) const {
    const std::vector<Real> sorted = state_->sorted_demand(demand);
    std::vector<Real> flows(state_->network.links());
    Scratch scratch;
    find_loads(state_->routing.paths, sorted, state_->decision(), flows, scratch);
    return flows;
}

RoutedPeriod Router::observe(ConstView demand) {
    return state_->observe(demand);
}

RoutedPeriod Router::observe_matrix(ConstView matrix) {
    const Index nodes = state_->network.nodes();
    if (matrix.size() != nodes * nodes)
        refuse_data(kDemand, "", fmt::format("the matrix has {} numbers", matrix.size()),
                    fmt::format("{} x {}: from every node to every node", nodes, nodes));
    std::vector<Real> demand;
    std::vector<char> known(matrix.size(), 0);
    for (const Pair& pair : state_->pairs) {
        const Index entry = pair.origin * nodes + pair.destination;
        known[entry] = 1;
        demand.push_back(matrix[entry]);
    }
    for (Index entry = 0; entry < matrix.size(); ++entry) {
        if (known[entry] != 0 || matrix[entry] == 0) continue;
        const Pair pair{static_cast<NodeIndex>(entry / nodes), static_cast<NodeIndex>(entry % nodes)};
        refuse_data(kDemand, pair_name(state_->network, pair),
                    fmt::format("demand is {}, and the pair is not one of this router", matrix[entry]),
                    "0, or a router that has this pair");
    }
    return state_->observe(demand);
}

void Router::close_link(LinkIndex link) {
    state_->change(link, NetworkEvent::Kind::close);
}

void Router::open_link(LinkIndex link) {
    state_->change(link, NetworkEvent::Kind::open);
}

void Router::close_link(std::string_view link) {
    close_link(state_->find(link));
}

void Router::open_link(std::string_view link) {
    open_link(state_->find(link));
}

std::vector<Index> Router::unreachable() const {
    std::vector<Index> lost;
    for (const Index pair : state_->keeper.unreachable()) lost.push_back(state_->prepared.given[pair]);
    std::sort(lost.begin(), lost.end());
    return lost;
}

Round Router::periods() const noexcept {
    return state_->periods;
}

RouterReport Router::certificate() const {
    RouterReport report;
    if (state_->learner && !state_->failed) {
        AnyLearner& learner = *state_->learner;
        report.epochs =
            state_->account.certificates_here(learner.close(), RunEnding::finished, learner.seconds());
    } else {
        report.epochs = state_->account.certificates();
    }
    report.text =
        report.epochs.empty() ? epochs_conclusion(report.epochs) + "\n" : epochs_text(report.epochs);
    report.json = epochs_json(report.epochs);
    return report;
}

}  // namespace proxstream
