#include "io/line_reader.hpp"
#include "traffic/network_formats.hpp"
#include "traffic/pair_index.hpp"
#include "traffic/sndlib_text.hpp"

#include <algorithm>
#include <map>

namespace proxstream {
namespace {

SndlibText parse(const Input& input) {
    const std::string bytes = read_all(input);
    const std::size_t first = std::min(bytes.find_first_not_of("\xef\xbb\xbf \t\r\n"), bytes.size());
    if (std::string_view(bytes).substr(first).starts_with(kNativeMark)) {
        return parse_sndlib_native(memory_input(input.name, bytes.substr(first)));
    }
    return parse_sndlib_xml(input.name, bytes);
}

NodeIndex find_node(const Network& network, const std::string& name, const SndlibText& text,
                    std::uint64_t line) {
    return read_node(network, name, [&] { return DataLocation{text.source, line, 0, ""}; });
}

Trips make_trips(const SndlibText& text, const Network& network, std::vector<std::string>& notes) {
    TripsBuilder builder;
    for (const SndlibDemand& demand : text.demands) {
        builder.add({find_node(network, demand.source, text, demand.line),
                     find_node(network, demand.target, text, demand.line)},
                    demand.value);
    }
    return builder.build(notes);
}

/// By the metadata; without them, links are directed if every link has its reverse.
bool is_directed(const SndlibText& text, std::vector<std::string>& notes) {
    const std::string model = lower_case(text.link_model);
    if (model == "directed") return true;
    if (!model.empty()) return false;
    std::map<std::pair<std::string, std::string>, long> balance;
    for (const SndlibLink& link : text.links) {
        const bool forward = link.source < link.target;
        balance[std::minmax(link.source, link.target)] += forward ? 1 : -1;
    }
    const bool paired =
        std::all_of(balance.begin(), balance.end(), [](const auto& row) { return row.second == 0; });
    if (paired) notes.emplace_back("every link has its reverse: links are taken as directed");
    return paired;
}

Link make_link(const SndlibLink& from, const SndlibText& text, bool costs) {
    Link link;
    link.capacity = from.installed > 0 ? from.installed : from.module;
    if (link.capacity == 0) {
        throw DataError({text.source, from.line, 0, from.name}, "the link has no capacity",
                        "a pre-installed capacity or a module");
    }
    if (costs) link.free_time = from.routing_cost;
    return link;
}

}  // namespace

bool begins_sndlib(std::string_view line) {
    return line.starts_with(kNativeMark) || line.starts_with("<?xml") || line.starts_with("<!--") ||
           line.starts_with("<network");
}

NetworkFile read_sndlib(const Input& input) {
    const SndlibText text = parse(input);
    if (text.links.empty()) {
        throw DamagedFile({input.name, 0, 0, ""}, "there is no link in the file", "a network of SNDlib");
    }
    NetworkFile file;
    file.format = "SNDlib";
    Network& network = file.network;
    for (const SndlibNode& node : text.nodes) {
        if (node.name.empty() || network.find_node(node.name)) {
            throw DataError({text.source, node.line, 0, ""},
                            node.name.empty() ? "a node has no name"
                                              : "there is a node " + quoted_excerpt(node.name) + " already",
                            "a name of its own");
        }
        network.set_place(network.node(node.name), {node.x, node.y});
    }
    const bool directed = is_directed(text, file.notes);
    const bool costs = std::any_of(text.links.begin(), text.links.end(),
                                   [](const SndlibLink& l) { return l.routing_cost > 0; });
    Index by_module = 0;
    for (const SndlibLink& row : text.links) {
        Link link = make_link(row, text, costs);
        link.from = find_node(network, row.source, text, row.line);
        link.to = find_node(network, row.target, text, row.line);
        by_module += row.installed > 0 ? 0U : 1U;
        if (directed) link.name = row.name;
        network.add_link(link);
        if (directed) continue;
        std::swap(link.from, link.to);
        network.add_link(std::move(link));
    }
    file.zones = network.nodes();
    if (!directed) {
        file.notes.emplace_back(
            "links are undirected: each became two, one a direction, of its full capacity");
    }
    if (by_module > 0) {
        file.notes.push_back(count_of(by_module, "link") +
                             " without pre-installed capacity: the largest module is taken for it");
    }
    if (costs) file.notes.emplace_back("the routing cost of a link is its time");
    if (!text.demands.empty()) file.trips = make_trips(text, network, file.notes);
    return file;
}

Trips read_sndlib_demands(const Input& input, const Network& network, std::vector<std::string>& notes) {
    const SndlibText text = parse(input);
    if (text.demands.empty()) {
        throw DamagedFile({input.name, 0, 0, ""}, "there is no demand in the file", "demands of SNDlib");
    }
    return make_trips(text, network, notes);
}

}  // namespace proxstream
