#include "proxstream/io/line_reader.hpp"
#include "proxstream/traffic/tntp.hpp"

#include "traffic/field_text.hpp"
#include "traffic/tntp_metadata.hpp"

#include <algorithm>
#include <map>

namespace proxstream {
namespace {

struct FlowColumns {
    Index from = 0, to = 0, volume = 0, columns = 0;
};

std::optional<FlowColumns> find_columns(const std::vector<std::string_view>& names) {
    std::optional<Index> places[3];
    for (Index column = 0; column < names.size(); ++column) {
        const std::string bare = bare_name(names[column]);
        for (const auto& [name, place] : std::map<std::string, Index>{{"from", 0},
                                                                      {"tail", 0},
                                                                      {"initnode", 0},
                                                                      {"to", 1},
                                                                      {"head", 1},
                                                                      {"termnode", 1},
                                                                      {"volume", 2},
                                                                      {"flow", 2}}) {
            if (bare == name && !places[place]) places[place] = column;
        }
    }
    if (!places[0] || !places[1] || !places[2]) return std::nullopt;
    return FlowColumns{*places[0], *places[1], *places[2], names.size()};
}

}  // namespace

std::vector<Real> read_tntp_flows(const Input& input, const Network& network) {
    LineReader lines(input.open());
    std::map<Pair, std::vector<LinkIndex>> waiting;  // links without a row yet, the last to be served first
    for (auto link = static_cast<LinkIndex>(network.links()); link-- > 0;) {
        waiting[{network.link(link).from, network.link(link).to}].push_back(link);
    }
    std::vector<Real> flows(network.links());
    Index found = 0;
    std::optional<FlowColumns> columns;
    std::vector<std::string_view> fields;
    std::string_view line;
    while (lines.next(line)) {
        std::string_view text = without_tntp_comment(line);
        text = without_blanks(text.substr(0, text.find(';')));
        if (text.empty() || text.front() == '<') continue;
        if (text.find(',') != std::string_view::npos) {
            split_at(text, ',', fields);
        } else {
            split_at_blanks(text, fields);
        }
        const auto locate = [&](const char* field) {
            return DataLocation{lines.name(), lines.line(), 0, field};
        };
        if (!columns) {
            columns = find_columns(fields);
            if (columns) continue;
            throw DataError(locate(""), quoted_excerpt(text) + " does not name the columns",
                            "a first line such as 'From To Volume Cost'");
        }
        if (fields.size() != columns->columns) {
            throw DataError(locate(""), "the row has " + count_of(fields.size(), "value"),
                            std::to_string(columns->columns));
        }
        const std::string_view from = fields[columns->from];
        const std::string_view to = fields[columns->to];
        const auto tail = network.find_node(from);
        const auto head = network.find_node(to);
        const auto links = tail && head ? waiting.find({*tail, *head}) : waiting.end();
        if (links == waiting.end() || links->second.empty()) {
            throw DataError(locate(""),
                            "there is no " + std::string(links == waiting.end() ? "" : "further ") +
                                "link from " + quoted_excerpt(from) + " to " + quoted_excerpt(to),
                            "links of the network, each once");
        }
        flows[links->second.back()] = read_amount(fields[columns->volume], [&] { return locate("volume"); });
        links->second.pop_back();
        ++found;
    }
    if (found != network.links()) {
        throw DamagedFile({lines.name(), 0, 0, ""},
                          "flows for " + std::to_string(found) + " of " + count_of(network.links(), "link"),
                          "one row a link");
    }
    return flows;
}

std::vector<Real> read_tntp_flows(const std::string& path, const Network& network) {
    return read_tntp_flows(file_input(path), network);
}

}  // namespace proxstream
