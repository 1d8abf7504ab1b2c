#include "route/route_files.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "core/serialise_each.hpp"
#include "route/report_layout.hpp"
#include "route/route_folder.hpp"
#include "route/route_geojson.hpp"
#include "route/route_tables.hpp"

#include <algorithm>

namespace proxstream {
namespace {

using namespace route_tables;

constexpr std::array<std::string_view, 3> kDetails{"periods", "links", "all"};
constexpr std::array<std::string_view, 3> kEventNames{"capacity", "close", "open"};

struct GrowingTable {
    CsvTable table;
    RouteDetail least;  // the smallest detail that includes it
};
constexpr std::array<GrowingTable, 6> kGrowing{{{kPeriods, RouteDetail::periods},
                                                {kEvents, RouteDetail::periods},
                                                {kAlarms, RouteDetail::periods},
                                                {kFlows, RouteDetail::links},
                                                {kSplits, RouteDetail::all},
                                                {kDemand, RouteDetail::all}}};

/// Files that are complete from the beginning.
constexpr std::array<std::string_view, 3> kFixed{kNetworkMap, kLinks.file, kPairs.file};

bool is_closed(const Routing& routing, LinkIndex link) {
    return !routing.closed.empty() && routing.closed[link] != 0;
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

RouteFiles::RouteFiles(std::string folder, RouteDetail detail, RouteFacts facts, const Network& network,
                       const Routing& routing)
    : folder_(std::move(folder)),
      detail_(detail),
      facts_(std::move(facts)),
      network_(network),
      drawn_(drawn_network(network)),
      pairs_(routing.paths.pairs()),
      paths_now_(routing.paths.live_slots()),
      paths_(network) {
    for (LinkIndex link = 0; link < network.links(); ++link)
        capacity_.push_back(routing.costs.capacity(link));
}

std::string RouteFiles::path(std::string_view file) const {
    return path_in(folder_, file);
}

void RouteFiles::open(const Routing& routing, const Journal* journal) {
    const bool continues = journal != nullptr && journal->output(path(kPaths.file)) != nullptr;
    const bool used = !continues && claim_folder(folder_);
    write_run(false, {});
    if (used) clear_folder(folder_);
    const bool has_network = continues && std::all_of(kFixed.begin(), kFixed.end(), [&](auto file) {
                                 return journal->output(path(file)) != nullptr;
                             });
    if (!has_network) write_network(routing);
    for (const std::string_view file : kFixed) {
        if (has_network) open_output(journal, path(file)).close();  // cuts what was appended
        fixed_[path(file)] = read_mark(path(file));
    }
    paths_.open(open_output(journal, path(kPaths.file)));
    for (Index i = 0; i < kGrowing.size(); ++i) {
        const auto& [table, least] = kGrowing[i];
        const std::string numbers = i == kPeriodRows ? column_names(period_columns()) : "";
        if (detail_ >= least)
            tables_[i].emplace(open_output(journal, path(table.file)), std::string(table.columns) + numbers);
    }
}

void RouteFiles::mark_outputs(OutputMarks& marks) {
    marks.insert(fixed_.begin(), fixed_.end());
    paths_.mark(marks);
    for (std::optional<CsvFile>& table : tables_)
        if (table) table->mark(marks);
}

std::vector<std::string> RouteFiles::outputs() const {
    std::vector<std::string> files;
    for (const std::string_view file : kAllFiles) files.push_back(path(file));
    return files;
}

void RouteFiles::serialise(StateArchive& archive) {
    archive.agree("detail", static_cast<std::uint64_t>(detail_));
    archive.field("paths now", paths_now_);
    serialise_each(archive, "announced", announced_, [&](NetworkEvent& event) {
        serialise_enum(archive, "kind", event.kind, NetworkEvent::Kind::open);
        std::uint64_t link = event.link;
        archive.field("link", link, network_.links());
        event.link = static_cast<LinkIndex>(link);
        archive.fields(Field{"factor", event.factor}, Field{"text", event.text});
    });
    Index after = epoch_ ? *epoch_ + 1 : 0;
    archive.field("after epoch", after);
    epoch_ = after > 0 ? std::optional(after - 1) : std::nullopt;
    archive.fields(Field{"periods", period_count_}, Field{"alarms", alarm_count_}, Field{"load", last_.load},
                   Field{"time", last_.time}, Field{"utilisation", last_.utilisation});
    archive.fixed("capacity", capacity_);
    archive.field("last label", last_label_);
    archive.section("path log", paths_);
}

void RouteFiles::write_run(bool finished, std::span<const std::string> notes) const {
    using Json = nlohmann::ordered_json;
    Json settings = Json::object();
    for (const auto& [key, value] : facts_.settings) settings[key] = value;
    const Json run{{"program", kProgram},
                   {"version", facts_.version},
                   {"command", facts_.command},
                   {"detail", name(detail_)},
                   {"finished", finished},
                   {"periods", finished ? Json(period_count_) : Json(nullptr)},
                   {"alarms", finished ? Json(alarm_count_) : Json(nullptr)},
                   {"nodes", network_.nodes()},
                   {"links", network_.links()},
                   {"pairs", pairs_},
                   {"paths", paths_now_},
                   {"cost", facts_.cost},
                   {"objective", facts_.objective},
                   {"demand_unit", facts_.demand_unit},
                   {"cost_unit", facts_.cost_unit},
                   {"settings", std::move(settings)},
                   {"notes", std::vector<std::string>(notes.begin(), notes.end())}};
    write_whole_file(path(kRun), run.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void RouteFiles::write_network(const Routing& routing) const {
    write_whole_file(path(kNetworkMap), network_geojson(network_, drawn_, capacity_));
    CsvFile links(path(kLinks.file), kLinks.columns);
    for (LinkIndex link = 0; link < network_.links(); ++link) {
        const Link& about = network_.link(link);
        links.row(link, network_.link_name(link), network_.node_name(about.from),
                  network_.node_name(about.to), capacity_[link], about.free_time);
    }
    links.close();
    CsvFile pairs(path(kPairs.file), kPairs.columns);
    for (Index pair = 0; pair < pairs_; ++pair) {
        const Pair& ends = routing.paths.pair(pair);
        pairs.row(pair, network_.node_name(ends.origin), network_.node_name(ends.destination));
    }
    pairs.close();
}

void RouteFiles::write_events(const PeriodRow& row) {
    CsvFile& table = *tables_[kEventRows];
    for (const NetworkEvent& event : announced_) {
        table.row(row.number, kEventNames[static_cast<Index>(event.kind)], event.link,
                  network_.link_name(event.link),
                  event.kind == NetworkEvent::Kind::capacity ? event.factor : kNotKnown, event.text);
    }
    announced_.clear();
    table.flush();
}

void RouteFiles::write_flows(const PeriodRow& row, const PeriodState& period) {
    last_ = period.links;
    last_label_ = row.label;
    const LinkCosts& costs = period.routing.costs;
    const bool by_link = costs.objective().kind != ObjectiveKind::unweighted;
    auto& flows = tables_[kFlowRows];
    for (LinkIndex link = 0; link < network_.links(); ++link) {
        capacity_[link] = is_closed(period.routing, link) ? 0 : costs.capacity(link);
        if (!flows) continue;
        flows->row(row.number, link, last_.load[link], last_.time[link], last_.utilisation[link],
                   capacity_[link], by_link ? costs.term(link, last_.load[link]).value : kNotKnown);
    }
    if (flows) flows->flush();
    auto& demand = tables_[kDemandRows];
    if (!demand) return;
    for (Index pair = 0; pair < period.demand.size(); ++pair)
        if (period.demand[pair] != 0) demand->row(row.number, pair, period.demand[pair]);
    demand->flush();
}

void RouteFiles::write_splits(const PeriodRow& row, const PeriodState& period) {
    const PathSet& set = period.routing.paths;
    CsvFile& table = *tables_[kSplitRows];
    for (SlotIndex slot = 0; slot < set.slots(); ++slot) {
        if (period.splits[slot] == 0) continue;
        Real time = row.measured ? 0 : kNotKnown;
        if (row.measured) set.for_each_link(slot, [&](LinkIndex link) { time += period.links.time[link]; });
        table.row(row.number, paths_.path(slot), period.splits[slot], time);
    }
    table.flush();
}

void RouteFiles::write_alarms(const AlarmMonitor& alarms) {
    CsvFile& table = *tables_[kAlarmRows];
    for (const Alarm& alarm : alarms.raised_now())
        table.row(alarm.number, name(alarm.kind), alarm.subject, "raised", alarm.period, alarm.value,
                  alarm.text);
    for (const Alarm& alarm : alarms.cleared_now())
        table.row(alarm.number, name(alarm.kind), alarm.subject, "cleared", *alarm.cleared, alarm.value, "");
    table.flush();
    alarm_count_ = alarms.total();
}

void RouteFiles::write_period(PeriodRow row) {
    row.path_epoch = paths_.epoch();
    CsvFile& table = *tables_[kPeriodRows];
    const std::vector<Real> numbers = column_values(period_columns(), row);
    table.row(row.number, row.label, row.status, std::span<const Real>(numbers));
    table.flush();
    ++period_count_;
}

void RouteFiles::write_methods(std::span<const MethodRow> methods) const {
    CsvFile table(path(kMethods.file),
                  std::string(kMethods.columns) + column_names(method_columns()) + ",role");
    for (const MethodRow& row : methods) {
        const std::vector<Real> numbers = column_values(method_columns(), row);
        table.row(row.name, row.label, std::span<const Real>(numbers),
                  row.primary       ? "primary"
                  : row.lower_bound ? "lower_bound"
                                    : "rival");
    }
    table.close();
}

void RouteFiles::announce(std::span<const NetworkEvent> events) {
    announced_.insert(announced_.end(), events.begin(), events.end());
}

void RouteFiles::write(const PeriodRow& row, const PeriodState& state, const AlarmMonitor& alarms) {
    announce(state.events);
    write_events(row);
    if (epoch_ != row.epoch) paths_.follow(state.routing.paths);
    epoch_ = row.epoch;
    paths_now_ = state.routing.paths.live_slots();
    if (row.measured) write_flows(row, state);
    if (tables_[kSplitRows]) write_splits(row, state);
    write_alarms(alarms);
    write_period(row);
}

void RouteFiles::finish(std::span<const MethodRow> methods, std::span<const std::string> notes) {
    write_methods(methods);
    if (!last_.load.empty())
        write_whole_file(path(kLastFlowsMap), flows_geojson(network_, drawn_, last_, capacity_, last_label_));
    paths_.close();
    for (std::optional<CsvFile>& table : tables_)
        if (table) table->close();
    write_run(true, notes);
}

}  // namespace proxstream
