#include "traffic/text_table.hpp"
#include "traffic/tntp.hpp"

#include <map>

namespace proxstream {
namespace {

enum FlowColumn : Index { kFlowFrom, kFlowTo, kVolume };

const std::vector<TableColumn>& flow_columns() {
    static const std::vector<TableColumn> kColumns{{"from", {"from", "tail", "initnode"}, true},
                                                   {"to", {"to", "head", "termnode"}, true},
                                                   {"volume", {"volume", "flow"}, true}};
    return kColumns;
}

}  // namespace

std::vector<Real> read_tntp_flows(const Input& input, const Network& network) {
    TextTable table(input, flow_columns(), TextTable::Style::tntp);
    std::map<Pair, std::vector<LinkIndex>> waiting;  // links without a row yet, the last to be served first
    for (auto link = static_cast<LinkIndex>(network.links()); link-- > 0;) {
        waiting[{network.link(link).from, network.link(link).to}].push_back(link);
    }
    std::vector<Real> flows(network.links());
    Index found = 0;
    while (table.next()) {
        const auto from = network.find_node(table.text(kFlowFrom));
        const auto to = network.find_node(table.text(kFlowTo));
        const auto links = from && to ? waiting.find({*from, *to}) : waiting.end();
        if (links == waiting.end() || links->second.empty()) {
            throw DataError(table.here(),
                            std::string("there is no ") + (links == waiting.end() ? "" : "further ") +
                                "link from " + quoted_excerpt(table.text(kFlowFrom)) + " to " +
                                quoted_excerpt(table.text(kFlowTo)),
                            "links of the network, each once");
        }
        flows[links->second.back()] = table.amount(kVolume);
        links->second.pop_back();
        ++found;
    }
    if (found != network.links()) {
        throw DamagedFile({table.source(), 0, 0, ""},
                          "flows for " + std::to_string(found) + " of " + count_of(network.links(), "link"),
                          "one row a link");
    }
    return flows;
}

std::vector<Real> read_tntp_flows(const std::string& path, const Network& network) {
    return read_tntp_flows(file_input(path), network);
}

}  // namespace proxstream
