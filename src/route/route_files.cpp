#include "route/route_files.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "core/json.hpp"
#include "route/csv_file.hpp"
#include "route/path_log.hpp"
#include "route/route_folder.hpp"
#include "route/route_geojson.hpp"
#include "route/route_tables.hpp"

#include <array>
#include <optional>

namespace proxstream {
namespace {

using namespace route_tables;

constexpr std::array<std::string_view, 3> kDetails{"periods", "links", "all"};
constexpr std::array<std::string_view, 3> kEventNames{"capacity", "close", "open"};

bool is_closed(const Routing& routing, LinkIndex link) {
    return !routing.closed.empty() && routing.closed[link] != 0;
}

/// The part of the cost that is no link's.
Real find_prices(const Routing& routing, ConstView demand, ConstView splits) {
    const PathSet& paths = routing.paths;
    Real total = routing.share_prices.empty() ? 0 : dot(routing.share_prices, splits);
    if (routing.slack_price == 0) return total;
    for (const PathSet::Tree& tree : paths.trees()) {
        for (SlotIndex slot = paths.first_slot(tree.first_pair); slot < paths.end_slot(tree.end_pair - 1);
             ++slot) {
            if (paths.leaf(slot) != tree.begin || splits[slot] == 0) continue;
            total += routing.slack_price * demand[paths.pair_of(slot)] * splits[slot];
        }
    }
    return total;
}

}  // namespace

std::string_view name(RouteDetail detail) {
    return kDetails[static_cast<Index>(detail)];
}

RouteDetail route_detail(std::string_view text) {
    for (const RouteDetail detail : {RouteDetail::periods, RouteDetail::links, RouteDetail::all}) {
        if (name(detail) == text) return detail;
    }
    throw ConfigError("detail = '" + std::string(text) + "': must be one of periods, links, all");
}

struct RouteFiles::State {
    State(std::string at, RouteDetail how_much, RouteFacts what, const Network& roads,
          const ReportNetwork& places, const Routing& routing);

    void begin(const Routing& routing);
    void exchange(Checkpoint& checkpoint);
    void exchange_announced(Checkpoint& checkpoint);
    std::string path(std::string_view file) const { return path_in(folder, file); }
    void write_run(bool finished, std::span<const std::string> notes) const;
    void write_network(const Routing& routing) const;
    void write_events(const PeriodRow& row, const PeriodState& period);
    void write_flows(const PeriodRow& row, const PeriodState& period);
    void write_splits(const PeriodRow& row, const PeriodState& period);
    void write_alarms(const AlarmDesk& alarms);
    void write_period(const PeriodRow& row, const PeriodState& period);
    void write_methods(std::span<const MethodRow> methods) const;

    std::string folder;
    RouteDetail detail;
    RouteFacts facts;
    const Network& network;
    ReportNetwork drawn;
    Index pairs;
    Index paths_now = 0;
    std::optional<PathLog> paths;
    std::optional<CsvFile> periods, events, alarms, flows, splits, demand;
    std::vector<NetworkEvent> announced;
    std::optional<Index> epoch;
    Index period_count = 0;
    Index alarm_count = 0;
    LinkFigures last;
    std::vector<Real> capacity;  // of every link; 0: closed
    std::string last_label;
};

RouteFiles::State::State(std::string at, RouteDetail how_much, RouteFacts what, const Network& roads,
                         const ReportNetwork& places, const Routing& routing)
    : folder(std::move(at)),
      detail(how_much),
      facts(std::move(what)),
      network(roads),
      drawn(places),
      pairs(routing.paths.pairs()),
      paths_now(routing.paths.live_slots()) {
    for (LinkIndex link = 0; link < network.links(); ++link) capacity.push_back(routing.costs.capacity(link));
}

void RouteFiles::State::begin(const Routing& routing) {
    const bool used = claim_folder(folder);
    write_run(false, {});
    if (used) clear_folder(folder);
    write_network(routing);
    paths.emplace(path(kPaths.file), network);
    periods.emplace(path(kPeriods.file), kPeriods.columns);
    events.emplace(path(kEvents.file), kEvents.columns);
    alarms.emplace(path(kAlarms.file), kAlarms.columns);
    if (detail >= RouteDetail::links) flows.emplace(path(kFlows.file), kFlows.columns);
    if (detail < RouteDetail::all) return;
    splits.emplace(path(kSplits.file), kSplits.columns);
    demand.emplace(path(kDemand.file), kDemand.columns);
}

void RouteFiles::State::exchange_announced(Checkpoint& checkpoint) {
    Index count = announced.size();
    checkpoint.exchange("announced", count, std::uint64_t{1} << 32U);
    if (checkpoint.reading()) announced.assign(count, {});
    for (NetworkEvent& event : announced) {
        auto kind = static_cast<std::uint64_t>(event.kind);
        checkpoint.exchange("kind", kind, static_cast<std::uint64_t>(NetworkEvent::Kind::open));
        event.kind = static_cast<NetworkEvent::Kind>(kind);
        std::uint64_t link = event.link;
        checkpoint.exchange("link", link, network.links());
        event.link = static_cast<LinkIndex>(link);
        checkpoint.exchange("factor", event.factor);
        checkpoint.exchange("text", event.text);
    }
}

void RouteFiles::State::exchange(Checkpoint& checkpoint) {
    checkpoint.agree("detail", static_cast<std::uint64_t>(detail));
    checkpoint.exchange("paths now", paths_now);
    exchange_announced(checkpoint);
    Index after = epoch ? *epoch + 1 : 0;
    checkpoint.exchange("after epoch", after);
    epoch = after > 0 ? std::optional(after - 1) : std::nullopt;
    checkpoint.exchange("periods", period_count);
    checkpoint.exchange("alarms", alarm_count);
    checkpoint.list("load", last.load);
    checkpoint.list("time", last.time);
    checkpoint.list("utilisation", last.utilisation);
    checkpoint.fixed("capacity", capacity);
    checkpoint.exchange("last label", last_label);
    const auto place = [&](std::string_view name, auto& table, const auto& go_on) {
        std::uint64_t bytes = !checkpoint.reading() && table ? table->bytes() : 0;
        checkpoint.exchange(name, bytes);
        if (checkpoint.reading()) go_on(table, bytes);
    };
    place("paths", paths,
          [&](auto& table, std::uint64_t bytes) { table.emplace(path(kPaths.file), network, bytes); });
    checkpoint.part("path log", *paths);
    const auto csv = [&](std::string_view file, std::optional<CsvFile>& table, bool there) {
        if (!there) return;
        place(file, table, [&](auto& opened, std::uint64_t bytes) { opened.emplace(path(file), bytes); });
    };
    csv(kPeriods.file, periods, true);
    csv(kEvents.file, events, true);
    csv(kAlarms.file, alarms, true);
    csv(kFlows.file, flows, detail >= RouteDetail::links);
    csv(kSplits.file, splits, detail >= RouteDetail::all);
    csv(kDemand.file, demand, detail >= RouteDetail::all);
}

void RouteFiles::State::write_run(bool finished, std::span<const std::string> notes) const {
    using Json = nlohmann::ordered_json;
    Json settings = Json::object();
    for (const auto& [key, value] : facts.settings) settings[key] = value;
    const Json run{{"program", kProgram},
                   {"version", facts.version},
                   {"command", facts.command},
                   {"detail", name(detail)},
                   {"finished", finished},
                   {"periods", finished ? Json(period_count) : Json(nullptr)},
                   {"alarms", finished ? Json(alarm_count) : Json(nullptr)},
                   {"nodes", network.nodes()},
                   {"links", network.links()},
                   {"pairs", pairs},
                   {"paths", paths_now},
                   {"cost", facts.cost},
                   {"objective", facts.objective},
                   {"demand_unit", facts.demand_unit},
                   {"cost_unit", facts.cost_unit},
                   {"settings", std::move(settings)},
                   {"notes", std::vector<std::string>(notes.begin(), notes.end())}};
    write_whole_file(path(kRun), run.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void RouteFiles::State::write_network(const Routing& routing) const {
    write_whole_file(path(kNetworkMap), network_geojson(network, drawn, capacity));
    CsvFile links(path(kLinks.file), kLinks.columns);
    for (LinkIndex link = 0; link < network.links(); ++link) {
        const Link& about = network.link(link);
        links.integer(link).text(drawn.links[link].name);
        links.text(network.node_name(about.from)).text(network.node_name(about.to));
        links.number(capacity[link]).number(about.free_time).end_row();
    }
    links.close();
    CsvFile table(path(kPairs.file), kPairs.columns);
    for (Index pair = 0; pair < pairs; ++pair) {
        const Pair& ends = routing.paths.pair(pair);
        table.integer(pair).text(network.node_name(ends.origin));
        table.text(network.node_name(ends.destination)).end_row();
    }
    table.close();
}

void RouteFiles::State::write_events(const PeriodRow& row, const PeriodState& period) {
    announced.insert(announced.end(), period.events.begin(), period.events.end());
    for (const NetworkEvent& event : announced) {
        events->integer(row.number).text(kEventNames[static_cast<Index>(event.kind)]);
        events->integer(event.link).text(drawn.links[event.link].name);
        events->number(event.kind == NetworkEvent::Kind::capacity ? event.factor : kNotKnown);
        events->text(event.text).end_row();
    }
    announced.clear();
    events->flush();
}

void RouteFiles::State::write_flows(const PeriodRow& row, const PeriodState& period) {
    last = period.links;
    last_label = row.label;
    const bool by_link = period.routing.costs.objective().kind != ObjectiveKind::unweighted;
    for (LinkIndex link = 0; link < network.links(); ++link) {
        capacity[link] = is_closed(period.routing, link) ? 0 : period.routing.costs.capacity(link);
        if (!flows) continue;
        flows->integer(row.number).integer(link).number(last.load[link]).number(last.time[link]);
        flows->number(last.utilisation[link]).number(capacity[link]);
        flows->number(by_link ? period.routing.costs.term(link, last.load[link]).value : kNotKnown);
        flows->end_row();
    }
    if (flows) flows->flush();
    if (!demand) return;
    for (Index pair = 0; pair < period.demand.size(); ++pair) {
        if (period.demand[pair] == 0) continue;
        demand->integer(row.number).integer(pair).number(period.demand[pair]).end_row();
    }
    demand->flush();
}

void RouteFiles::State::write_splits(const PeriodRow& row, const PeriodState& period) {
    const PathSet& set = period.routing.paths;
    for (SlotIndex slot = 0; slot < set.slots(); ++slot) {
        if (period.splits[slot] == 0) continue;
        Real time = 0;
        if (row.measured) {
            set.for_each_link(slot, [&](LinkIndex link) { time += period.links.time[link]; });
        }
        splits->integer(row.number).integer(paths->path(slot)).number(period.splits[slot]);
        splits->number(row.measured ? time : kNotKnown).end_row();
    }
    splits->flush();
}

void RouteFiles::State::write_alarms(const AlarmDesk& desk) {
    const auto write = [&](const Alarm& alarm, bool raised) {
        alarms->integer(alarm.number).text(name(alarm.kind)).text(alarm.subject);
        alarms->text(raised ? "raised" : "cleared").integer(raised ? alarm.period : *alarm.cleared);
        alarms->number(alarm.value).text(raised ? alarm.text : "").end_row();
    };
    for (const Alarm& alarm : desk.raised_now()) write(alarm, true);
    for (const Alarm& alarm : desk.cleared_now()) write(alarm, false);
    alarms->flush();
    alarm_count = desk.total();
}

void RouteFiles::State::write_period(const PeriodRow& row, const PeriodState& period) {
    const PeriodFigures& figures = row.figures;
    const auto real = [&](Real value) { periods->number(row.measured ? value : kNotKnown); };
    const auto count = [&](Index value) {
        row.measured ? periods->integer(value) : periods->number(kNotKnown);
    };
    periods->integer(row.number).text(row.label).text(row.status);
    real(figures.demand);
    real(figures.unserved);
    real(figures.cost);
    real(row.measured ? find_prices(period.routing, period.demand, period.splits) : kNotKnown);
    real(figures.time);
    real(figures.mean_time);
    real(figures.utilisation_max);
    real(figures.utilisation_p95);
    real(figures.utilisation_median);
    real(figures.utilisation_mean);
    count(figures.overloaded);
    real(figures.overload);
    real(figures.churn);
    count(figures.paths_used);
    count(figures.paths_changed);
    periods->number(row.entry_residual).number(row.exit_residual).number(row.tolerance);
    periods->integer(row.steps).number(row.seconds).integer(paths->epoch()).integer(row.alarms_open);
    periods->end_row();
    periods->flush();
    ++period_count;
}

void RouteFiles::State::write_methods(std::span<const MethodRow> methods) const {
    CsvFile table(path(kMethods.file), kMethods.columns);
    for (const MethodRow& row : methods) {
        table.text(row.name).text(row.label).number(row.total_cost).number(row.ratio).number(row.churn);
        table.number(row.overload_share).number(row.utilisation_max).number(row.utilisation_p95);
        table.number(row.unserved).number(row.gradients).number(row.seconds);
        table.text(row.lead ? "lead" : row.floor ? "floor" : "rival").end_row();
    }
    table.close();
}

RouteFiles::RouteFiles(std::string folder, RouteDetail detail, RouteFacts facts, const Network& network,
                       const ReportNetwork& drawn, const Routing& routing)
    : state_(std::make_unique<State>(std::move(folder), detail, std::move(facts), network, drawn, routing)) {
    state_->begin(routing);
}
RouteFiles::RouteFiles(std::string folder, RouteDetail detail, RouteFacts facts, const Network& network,
                       const ReportNetwork& drawn, const Routing& routing, Checkpoint& state)
    : state_(std::make_unique<State>(std::move(folder), detail, std::move(facts), network, drawn, routing)) {
    state_->exchange(state);
    state_->write_run(false, {});
}
RouteFiles::~RouteFiles() = default;
RouteFiles::RouteFiles(RouteFiles&&) noexcept = default;

void RouteFiles::announce(std::span<const NetworkEvent> events) {
    state_->announced.insert(state_->announced.end(), events.begin(), events.end());
}

void RouteFiles::write(const PeriodRow& row, const PeriodState& state, const AlarmDesk& alarms) {
    State& files = *state_;
    files.write_events(row, state);
    if (files.epoch != row.epoch) files.paths->follow(state.routing.paths);
    files.epoch = row.epoch;
    files.paths_now = state.routing.paths.live_slots();
    if (row.measured) files.write_flows(row, state);
    if (files.splits) files.write_splits(row, state);
    files.write_alarms(alarms);
    files.write_period(row, state);
}

void RouteFiles::finish(std::span<const MethodRow> methods, std::span<const std::string> notes) {
    State& files = *state_;
    files.write_methods(methods);
    if (!files.last.load.empty()) {
        write_whole_file(files.path(kLastFlowsMap), flows_geojson(files.network, files.drawn, files.last,
                                                                  files.capacity, files.last_label));
    }
    files.paths->close();
    for (auto* table : {&files.events, &files.alarms, &files.flows, &files.splits, &files.demand}) {
        if (*table) (*table)->close();
    }
    files.periods->close();
    files.write_run(true, notes);
}

void RouteFiles::exchange(Checkpoint& checkpoint) {
    state_->exchange(checkpoint);
}

const std::string& RouteFiles::folder() const noexcept {
    return state_->folder;
}

}  // namespace proxstream
