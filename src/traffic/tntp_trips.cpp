/// TNTP trips and link flows.
#include "proxstream/core/spec.hpp"

#include "traffic/network_formats.hpp"
#include "traffic/text_table.hpp"
#include "traffic/tntp_metadata.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// With a larger difference, TOTAL OD FLOW is not a rounded sum of the trips.
constexpr Real kRounding = 1e-5;

/// Entries `destination : demand;`, any number a line, below lines `Origin k`.
class TntpTripsReader {
  public:
    TntpTripsReader(const Input& input, const Network& network, std::vector<std::string>& notes)
        : lines_(input.open()), network_(network), notes_(notes) {}

    Trips read() {
        std::string_view line;
        while (lines_.next(line)) {
            if (origins_ == 0 && !metadata_.ended() && metadata_.take(line, lines_)) {
                if (metadata_.has("NUMBER OF LINKS")) refuse_network("NUMBER OF LINKS");
                continue;
            }
            take_line(without_tntp_comment(line));
        }
        if (origins_ == 0) {
            throw DamagedFile({lines_.name(), 0, 0, ""}, "there is no row 'Origin' in the file",
                              "metadata and trips, in the TNTP format");
        }
        if (!last_closed_ && closed_ > 0) {
            throw DamagedFile(lines_.here(), "the last demand has no semicolon and others do",
                              "a file that was not cut");
        }
        note_metadata();
        return builder_.build(notes_);
    }

  private:
    void take_line(std::string_view text) {
        if (text.empty()) return;
        if (lower_case(text.substr(0, 6)) == "origin") {
            take_origin(text.substr(6));
            return;
        }
        if (origins_ == 0 || text.find(':') == std::string_view::npos) {
            std::vector<std::string_view> values;
            split_at_blanks(text, values);
            if (values.size() >= 7) refuse_network("rows of " + count_of(values.size(), "value"));
            throw DataError(lines_.here(),
                            quoted_excerpt(text) + " stands where " +
                                (origins_ == 0 ? "the first 'Origin'" : "an entry") + " belongs",
                            "lines 'Origin 1' and entries '2 : 100.0;' below them");
        }
        while (!text.empty()) {
            const auto end = text.find(';');
            take_entry(without_blanks(text.substr(0, end)));
            last_closed_ = end != std::string_view::npos;
            closed_ += last_closed_ ? 1U : 0U;
            text = last_closed_ ? without_blanks(text.substr(end + 1)) : std::string_view{};
        }
    }

    void take_origin(std::string_view text) {
        if (!last_closed_ && closed_ > 0) {
            throw DataError(lines_.here(), "the demand above this line has no semicolon",
                            "entries '2 : 100.0;'");
        }
        origin_ = read_count(without_blanks(text), [&] { return lines_.here("origin"); });
        origin_node_ = find(origin_);
        ++origins_;
    }

    void take_entry(std::string_view text) {
        if (text.empty()) return;
        const auto colon = text.find(':');
        if (colon == std::string_view::npos) {
            throw DataError(lines_.here(), quoted_excerpt(text) + " has no colon", "entries '2 : 100.0;'");
        }
        const std::uint64_t destination =
            read_count(without_blanks(text.substr(0, colon)), [&] { return lines_.here("destination"); });
        const Real amount = read_amount(text.substr(colon + 1), [&] { return lines_.here("demand"); });
        if (amount == 0) return;
        const auto node = find(destination);
        if (!origin_node_ || !node) {
            throw DataError(lines_.here(origin_node_ ? "destination" : "origin"),
                            "demand from " + std::to_string(origin_) + " to " + std::to_string(destination) +
                                ", and the network has no node " +
                                std::to_string(origin_node_ ? destination : origin_),
                            "nodes of the network");
        }
        builder_.add({*origin_node_, *node}, amount * multiplier());
    }

    Real multiplier() {
        if (!multiplier_) multiplier_ = metadata_.number("DEMAND MULTIPLIER").value_or(1);
        return *multiplier_;
    }

    void note_metadata() {
        if (multiplier() != 1) {
            notes_.push_back("DEMAND MULTIPLIER " + format_short(multiplier()) +
                             ": every demand is scaled by it");
        }
        const auto declared = metadata_.number("TOTAL OD FLOW");
        const Real total = builder_.total() / (multiplier() > 0 ? multiplier() : 1);
        if (declared && std::abs(*declared - total) > kRounding * std::max(*declared, total)) {
            notes_.push_back(
                fmt::format("TOTAL OD FLOW is {:.10g}, the demands add up to {:.10g}", *declared, total));
        }
        const auto zones = metadata_.count("NUMBER OF ZONES");
        if (zones && origins_ != *zones) {
            notes_.push_back("trips start at " + std::to_string(origins_) + " of " +
                             count_of(*zones, "zone"));
        }
    }

    std::optional<NodeIndex> find(std::uint64_t id) const { return network_.find_node(std::to_string(id)); }

    [[noreturn]] void refuse_network(const std::string& sign) const {
        throw DataError(lines_.here(), "this is a network (it has " + sign + ")",
                        "a trip table; are the files of network and trips swapped?");
    }

    LineReader lines_;
    const Network& network_;
    std::vector<std::string>& notes_;
    TntpMetadata metadata_;
    TripsBuilder builder_;
    std::optional<Real> multiplier_;
    std::uint64_t origins_ = 0;
    std::uint64_t origin_ = 0;
    std::optional<NodeIndex> origin_node_;
    Index closed_ = 0;  // entries that end with a semicolon
    bool last_closed_ = true;
};

enum FlowColumn : Index { kFlowFrom, kFlowTo, kVolume };

constexpr TableColumn kFlowColumns[] = {
    {"from", "from tail initnode", true}, {"to", "to head termnode", true}, {"volume", "volume flow", true}};

}  // namespace

Trips read_tntp_trips(const Input& input, const Network& network, std::vector<std::string>& notes) {
    return TntpTripsReader(input, network, notes).read();
}

std::vector<Real> read_tntp_flows(const Input& input, const Network& network) {
    LineReader lines(input.open());
    TextTable table(lines, kFlowColumns, TextTable::Style::tntp);
    std::map<Pair, std::vector<LinkIndex>> waiting;  // links without a row; the last one gets the next row
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
        throw DamagedFile({input.name, 0, 0, ""},
                          "flows for " + std::to_string(found) + " of " + count_of(network.links(), "link"),
                          "one row a link");
    }
    return flows;
}

}  // namespace proxstream
