#include "traffic/network_formats.hpp"
#include "traffic/text_table.hpp"

#include <algorithm>
#include <unordered_set>

namespace proxstream {
namespace {

enum LinkColumn : Index { kFrom, kTo, kCapacity, kName, kLength, kFreeTime, kB, kPower, kToll };

constexpr TableColumn kLinkColumns[] = {{"from", "from fromnode source tail initnode", true},
                                        {"to", "to tonode target head termnode", true},
                                        {"capacity", "capacity", true},
                                        {"name", "name link id"},
                                        {"length", "length"},
                                        {"free_time", "freetime freeflowtime"},
                                        {"b", "b"},
                                        {"power", "power"},
                                        {"toll", "toll"}};

enum PairColumn : Index { kOrigin, kDestination, kDemand };

constexpr TableColumn kDemandColumns[] = {{"origin", "origin from source", true},
                                          {"destination", "destination to target", true},
                                          {"demand", "demand trips", true}};

enum TopologyColumn : Index { kSource, kTarget, kLinkWeight, kLinkCapacity, kLinkIndex };

constexpr TableColumn kTopologyColumns[] = {{"Source", "source", true},
                                            {"Destination", "destination", true},
                                            {"OSPF", "ospf", true},
                                            {"Capacity", "capacity", true},
                                            {"Link_index", "linkindex"}};
/// More nodes must be a mistake.
constexpr std::uint64_t kMostTopologyNodes = 1'000'000;

struct NamedLink {
    std::string from, to;
    Link link;
};

NamedLink read_link(const TextTable& table) {
    NamedLink row;
    row.from = table.needed_text(kFrom, "a name");
    row.to = table.needed_text(kTo, "a name");
    row.link.name = table.text(kName);
    row.link.capacity = table.positive(kCapacity);
    row.link.length = table.amount_or(kLength, 0);
    row.link.free_time = table.amount_or(kFreeTime, table.has(kLength) ? row.link.length : 1);
    row.link.b = table.amount_or(kB, 0);
    row.link.power = table.amount_or(kPower, row.link.b > 0 ? 4 : 1);
    row.link.toll = table.amount_or(kToll, 0);
    return row;
}

/// Nodes named by numbers ascend, as in matrices. Other nodes keep the order in which links use them.
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
    return names_columns(line, kLinkColumns);
}

bool names_demand_table(std::string_view line) {
    return names_columns(line, kDemandColumns);
}

NetworkFile read_link_table(const Input& input) {
    LineReader lines(input.open());
    TextTable table(lines, kLinkColumns, TextTable::Style::csv);
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
        throw DamagedFile({input.name, 0, 0, ""}, "there is no link in the file", "a row a link");
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
    LineReader lines(input.open());
    TextTable table(lines, kDemandColumns, TextTable::Style::csv);
    TripsBuilder builder;
    while (table.next()) {
        const Pair pair{table.node(kOrigin, network), table.node(kDestination, network)};
        builder.add(pair, table.amount(kDemand));
    }
    return builder.build(notes);
}

NetworkFile read_topology(const Input& input) {
    LineReader lines(input.open());
    std::string_view line;
    std::vector<std::string_view> head;
    if (next_full_line(lines, line)) split_at_blanks(line, head);
    if (head.size() != 4 || bare_name(head[0]) != "nodenum" || bare_name(head[2]) != "edgenum") {
        throw DataError(lines.here(), "this is not a topology file",
                        "a first line 'Node_num: 12 Edge_num: 30'");
    }
    const std::uint64_t nodes = read_count(head[1], [&] { return lines.here("Node_num"); });
    const std::uint64_t links = read_count(head[3], [&] { return lines.here("Edge_num"); });
    if (nodes > std::min(2 * links + 1000, kMostTopologyNodes)) {
        throw DataError(lines.here("Node_num"),
                        std::to_string(nodes) + " nodes for " + count_of(links, "link"),
                        "about as many nodes as links can join");
    }
    NetworkFile file;
    file.format = "topology";
    for (std::uint64_t node = 0; node < nodes; ++node) file.network.node(std::to_string(node));
    file.zones = nodes;
    TextTable table(lines, kTopologyColumns, TextTable::Style::csv);
    while (table.next()) {
        Link link;
        link.from = table.node(kSource, file.network);
        link.to = table.node(kTarget, file.network);
        link.length = link.free_time = table.amount(kLinkWeight);
        link.capacity = table.positive(kLinkCapacity);
        file.network.add_link(std::move(link));
    }
    if (file.network.links() != links) {
        throw DamagedFile(
            {lines.name(), 1, 0, "Edge_num"},
            "the file says " + count_of(links, "link") + " and has " + std::to_string(file.network.links()),
            "a file that was not cut");
    }
    return file;
}

}  // namespace proxstream
