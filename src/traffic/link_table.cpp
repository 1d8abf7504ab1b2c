#include "traffic/link_table.hpp"

#include "traffic/text_table.hpp"
#include "traffic/trips_builder.hpp"

#include <algorithm>
#include <unordered_set>

namespace proxstream {
namespace {

enum LinkColumn : Index { kFrom, kTo, kCapacity, kName, kLength, kFreeTime, kB, kPower, kToll };

const std::vector<TableColumn>& link_columns() {
    static const std::vector<TableColumn> kColumns{
        {"from", {"from", "fromnode", "source", "tail", "initnode"}, true},
        {"to", {"to", "tonode", "target", "head", "termnode"}, true},
        {"capacity", {"capacity"}, true},
        {"name", {"name", "link", "id"}, false},
        {"length", {"length"}, false},
        {"free_time", {"freetime", "freeflowtime"}, false},
        {"b", {"b"}, false},
        {"power", {"power"}, false},
        {"toll", {"toll"}, false}};
    return kColumns;
}

enum PairColumn : Index { kOrigin, kDestination, kDemand };

const std::vector<TableColumn>& demand_columns() {
    static const std::vector<TableColumn> kColumns{{"origin", {"origin", "from", "source"}, true},
                                                   {"destination", {"destination", "to", "target"}, true},
                                                   {"demand", {"demand", "trips"}, true}};
    return kColumns;
}

struct NamedLink {
    std::string from, to;
    Link link;
};

std::string read_name(const TextTable& table, Index column) {
    if (table.text(column).empty()) throw DataError(table.locate(column), "the field is empty", "a name");
    return std::string(table.text(column));
}

NamedLink read_link(const TextTable& table) {
    NamedLink row;
    row.from = read_name(table, kFrom);
    row.to = read_name(table, kTo);
    row.link.name = table.text(kName);
    row.link.capacity = table.amount(kCapacity);
    if (row.link.capacity == 0) throw DataError(table.locate(kCapacity), "the capacity is 0", "one above 0");
    row.link.length = table.amount_or(kLength, 0);
    row.link.free_time = table.amount_or(kFreeTime, table.has(kLength) ? row.link.length : 1);
    row.link.b = table.amount_or(kB, 0);
    row.link.power = table.amount_or(kPower, row.link.b > 0 ? 4 : 1);
    row.link.toll = table.amount_or(kToll, 0);
    return row;
}

/// Numbers ascend, as in matrices; other names come in the order in which links use them.
void make_nodes(Network& network, const std::vector<NamedLink>& rows) {
    std::vector<std::uint64_t> numbers;
    for (const NamedLink& row : rows) {
        for (const std::string* name : {&row.from, &row.to}) {
            const auto number = parse_count(*name);
            if (!number || std::to_string(*number) != *name) return;
            numbers.push_back(*number);
        }
    }
    std::sort(numbers.begin(), numbers.end());
    for (const std::uint64_t number : numbers) network.node(std::to_string(number));
}

}  // namespace

bool names_link_table(std::string_view line) {
    return names_columns(line, link_columns());
}

bool names_demand_table(std::string_view line) {
    return names_columns(line, demand_columns());
}

NetworkFile read_link_table(const Input& input) {
    TextTable table(input, link_columns(), TextTable::Style::csv);
    std::vector<NamedLink> rows;
    std::unordered_set<std::string> names;
    while (table.next()) {
        rows.push_back(read_link(table));
        const std::string& name = rows.back().link.name;
        if (!name.empty() && !names.insert(name).second) {
            throw DataError(table.locate(kName), "another link is called " + quoted_excerpt(name),
                            "a name of its own, or none");
        }
    }
    if (rows.empty())
        throw DamagedFile({table.source(), 0, 0, ""}, "there is no link in the file", "a row a link");
    NetworkFile file;
    file.format = "CSV";
    make_nodes(file.network, rows);
    for (NamedLink& row : rows) {
        row.link.from = file.network.node(row.from);
        row.link.to = file.network.node(row.to);
        file.network.add_link(std::move(row.link));
    }
    file.zones = file.network.nodes();
    if (!table.has(kFreeTime)) {
        file.notes.push_back(std::string("no column free_time: ") +
                             (table.has(kLength) ? "the length is taken for it" : "1 is assumed"));
    }
    if (!table.has(kB))
        file.notes.emplace_back("no column b: times after the BPR formula do not depend on flow");
    if (table.has(kB) && !table.has(kPower)) file.notes.emplace_back("no column power: 4 is assumed");
    return file;
}

Trips read_demand_table(const Input& input, const Network& network, std::vector<std::string>& notes) {
    TextTable table(input, demand_columns(), TextTable::Style::csv);
    TripsBuilder builder;
    const auto node = [&](Index column) {
        const auto found = network.find_node(table.text(column));
        if (found) return *found;
        throw DataError(table.locate(column), quoted_excerpt(table.text(column)) + " is no node",
                        "nodes of the network");
    };
    while (table.next()) {
        const Pair pair{node(kOrigin), node(kDestination)};
        builder.add(pair, table.amount(kDemand));
    }
    return builder.build(notes);
}

}  // namespace proxstream
