#include "route/run_folder.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "io/output_file.hpp"
#include "route/route_folder.hpp"
#include "route/route_tables.hpp"

#include <charconv>
#include <utility>

namespace proxstream {

using namespace route_tables;

RunFolder::RunFolder(std::string at) : folder(std::move(at)) {
    read_run();
    read_links();
    read_pairs();
    read_paths();
    read_events();
    read_alarms();
}

std::string RunFolder::path(std::string_view file) const {
    return path_in(folder, file);
}

void RunFolder::read_run() {
    const std::string file = path(kRun);
    const auto json = nlohmann::json::parse(read_whole_file(file), nullptr, false);
    const auto refuse = [&](const std::string& field, const std::string& problem,
                            const std::string& expected) {
        throw DataError({file, 0, 0, field}, problem, expected);
    };
    if (!json.is_object() || json.value("program", nlohmann::json()) != kProgram) {
        refuse("program", "this is not the folder of a routing run", "a file that 'proxstream route' wrote");
    }
    const auto count = [&](const char* key) {
        const auto found = json.find(key);
        if (found == json.end() || !found->is_number_unsigned()) {
            refuse(key, "missing or not a whole number", "a count");
        }
        return found->get<Index>();
    };
    const auto text = [&](const char* key) {
        const auto found = json.find(key);
        if (found == json.end() || !found->is_string()) refuse(key, "missing or no text", "text");
        return found->get<std::string>();
    };
    try {
        run.detail = route_detail(text("detail"));
    } catch (const ConfigError& error) {
        refuse("detail", error.what(), "what 'proxstream route' writes");
    }
    const auto finished = json.find("finished");
    if (finished == json.end() || !finished->is_boolean()) refuse("finished", "missing", "true or false");
    run.finished = finished->get<bool>();
    run.links = count("links");
    run.pairs = count("pairs");
    run.paths = count("paths");
    run.objective = text("objective");
    if (!run.finished) return;
    run.periods = count("periods");
    run.alarms = count("alarms");
}

void RunFolder::read_links() {
    CsvTable table(path(kLinks.file), kLinks.columns);
    const auto node = [&](Index column) {
        return nodes.try_emplace(std::string(table.text(column)), nodes.size()).first->second;
    };
    while (table.next()) {
        if (table.count(0) != links.size()) table.refuse(0, "out of order", std::to_string(links.size()));
        const Index from = node(2);
        const Real capacity = table.number(4);
        if (!(capacity > 0)) table.refuse(4, "not above 0", "a capacity");
        if (table.number(5) < 0) table.refuse(5, "below 0", "a time");
        links.push_back({std::string(table.text(1)), from, node(3), capacity});
    }
}

void RunFolder::read_pairs() {
    CsvTable table(path(kPairs.file), kPairs.columns);
    while (table.next()) {
        if (table.count(0) != pairs.size()) table.refuse(0, "out of order", std::to_string(pairs.size()));
        // A node that no link touches may still have demand: nobody can serve it.
        const auto node = [&](Index column) {
            return nodes.try_emplace(std::string(table.text(column)), nodes.size()).first->second;
        };
        const Index origin = node(1);
        pairs.push_back({origin, node(2), std::string(table.text(1)) + "->" + std::string(table.text(2))});
    }
}

void RunFolder::read_path_links(const CsvTable& table, PathLife& path) {
    enum Column : Index { kLinkList = 7 };
    Index at = pairs[path.pair].origin;
    path.first_link = path_links.size();
    const std::string_view list = table.text(kLinkList);
    for (const char* next = list.data(); next != list.data() + list.size();) {
        Index link = 0;
        const auto [end, error] = std::from_chars(next, list.data() + list.size(), link);
        if (error != std::errc{} || link >= links.size() || links[link].from != at) {
            table.refuse(kLinkList, "not a walk along links of links.csv",
                         "numbers of links, each beginning where the one before ends");
        }
        at = links[link].to;
        path_links.push_back(link);
        next = end;
        if (next != list.data() + list.size() && *next == ' ') ++next;
    }
    path.end_link = path_links.size();
    if (!path.slack() && at != pairs[path.pair].destination) {
        table.refuse(kLinkList, "does not end at the pair's destination", pairs[path.pair].name);
    }
}

void RunFolder::read_paths() {
    enum Column : Index { kPath, kSlot, kPair, kOrigin, kDestination, kEpoch, kState };
    CsvTable table(path(kPaths.file), kPaths.columns);
    std::unordered_map<Index, Index> holder;  // of a slot: the path that lives there
    Index last_epoch = 0;
    while (table.next()) {
        PathLife row;
        row.slot = table.count(kSlot);
        row.pair = table.index(kPair, pairs.size(), "pair");
        row.epoch = table.count(kEpoch);
        const std::string ends =
            std::string(table.text(kOrigin)) + "->" + std::string(table.text(kDestination));
        if (ends != pairs[row.pair].name) table.refuse(kPair, "is " + pairs[row.pair].name, ends);
        if (row.epoch < last_epoch) table.refuse(kEpoch, "falls", std::to_string(last_epoch) + " or more");
        last_epoch = row.epoch;
        if (table.text(kState) == "live") {
            if (table.count(kPath) != paths.size()) {
                table.refuse(kPath, "out of order", std::to_string(paths.size()));
            }
            if (!holder.try_emplace(row.slot, paths.size()).second) {
                table.refuse(kSlot, "the slot has a path already", "an empty slot");
            }
            read_path_links(table, row);
            paths.push_back(row);
        } else if (table.text(kState) == "gone") {
            const auto held = holder.find(row.slot);
            if (held == holder.end() || held->second != table.count(kPath)) {
                table.refuse(kPath, "does not live in that slot", "a path that does");
            }
            paths[held->second].gone = row.epoch;
            holder.erase(held);
        } else {
            table.refuse(kState, "unknown", "live or gone");
        }
    }
}

void RunFolder::read_events() {
    CsvTable table(path(kEvents.file), kEvents.columns);
    while (table.next()) {
        Event event{table.count(0), std::string(table.text(1)), table.index(2, links.size(), "link"), 1};
        if (table.text(3) != links[event.link].name) {
            table.refuse(3, "is not the name of that link", links[event.link].name);
        }
        if (!events.empty() && event.period < events.back().period) {
            table.refuse(0, "falls", "periods that ascend");
        }
        if (event.kind == "capacity") {
            event.factor = table.number(4);
        } else if (event.kind != "close" && event.kind != "open") {
            table.refuse(1, "unknown", "capacity, close or open");
        }
        events.push_back(std::move(event));
    }
}

void RunFolder::read_alarms() {
    enum Column : Index { kAlarm, kKind, kSubject, kState, kPeriod, kValue };
    CsvTable table(path(kAlarms.file), kAlarms.columns);
    Index last_period = 0;
    while (table.next()) {
        const Index number = table.count(kAlarm);
        const Index period = table.count(kPeriod);
        (void)table.number(kValue);
        if (period < last_period) table.refuse(kPeriod, "falls", "periods that ascend");
        last_period = period;
        if (table.text(kState) == "raised") {
            if (number != alarms.size() + 1) {
                table.refuse(kAlarm, "out of order", std::to_string(alarms.size() + 1));
            }
            alarms.push_back(
                {std::string(table.text(kKind)), std::string(table.text(kSubject)), period, std::nullopt});
            continue;
        }
        if (table.text(kState) != "cleared") table.refuse(kState, "unknown", "raised or cleared");
        if (number == 0 || number > alarms.size() || alarms[number - 1].cleared) {
            table.refuse(kAlarm, "is not open", "an alarm that is");
        }
        if (alarms[number - 1].kind != table.text(kKind) ||
            alarms[number - 1].subject != table.text(kSubject)) {
            table.refuse(kSubject, "is about something else than when it was raised",
                         alarms[number - 1].subject);
        }
        alarms[number - 1].cleared = period;
    }
}

}  // namespace proxstream
