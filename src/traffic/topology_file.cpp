#include "traffic/topology_file.hpp"

#include "io/line_reader.hpp"
#include "traffic/field_text.hpp"

#include <array>

namespace proxstream {
namespace {

enum TopologyColumn : Index { kLinkIndex, kSource, kTarget, kLinkWeight, kLinkCapacity };
constexpr Index kTopologyColumns = 5;
constexpr std::array<const char*, kTopologyColumns> kNames{"Link_index", "Source", "Destination", "OSPF",
                                                           "Capacity"};
/// More nodes than this next to few links can only be a wrong number.
constexpr std::uint64_t kMostTopologyNodes = 1'000'000;

class TopologyReader {
  public:
    explicit TopologyReader(const Input& input) : lines_(input.open()) {}

    NetworkFile read() {
        read_counts();
        read_names();
        while (next_row()) take_link();
        if (file_.network.links() != links_) {
            throw DamagedFile({lines_.name(), 1, 0, "Edge_num"},
                              "the file says " + count_of(links_, "link") + " and has " +
                                  std::to_string(file_.network.links()),
                              "a file that was not cut");
        }
        file_.zones = file_.network.nodes();
        file_.format = "topology";
        return std::move(file_);
    }

  private:
    bool next_row() {
        std::string_view line;
        while (lines_.next(line)) {
            split_at_blanks(line, fields_);
            if (!fields_.empty()) return true;
        }
        return false;
    }

    void read_counts() {
        if (!next_row() || fields_.size() != 4 || bare_name(fields_[0]) != "nodenum" ||
            bare_name(fields_[2]) != "edgenum") {
            throw DataError(locate(""), "this is not a topology file",
                            "a first line 'Node_num: 12 Edge_num: 30'");
        }
        const std::uint64_t nodes = read_count(fields_[1], [&] { return locate("Node_num"); });
        links_ = read_count(fields_[3], [&] { return locate("Edge_num"); });
        if (nodes > std::min(2 * links_ + 1000, kMostTopologyNodes)) {
            throw DataError(locate("Node_num"),
                            std::to_string(nodes) + " nodes for " + count_of(links_, "link"),
                            "about as many nodes as links can join");
        }
        for (std::uint64_t node = 0; node < nodes; ++node) file_.network.node(std::to_string(node));
    }

    void read_names() {
        if (!next_row() || fields_.size() != kTopologyColumns) {
            throw DataError(locate(""), "the line of column names is missing",
                            "Link_index Source Destination OSPF Capacity(kbps)");
        }
        for (Index i = 0; i < kTopologyColumns; ++i) {
            if (bare_name(fields_[i]) == bare_name(kNames[i])) continue;
            throw DataError({lines_.name(), lines_.line(), i + 1, ""},
                            "the column is called " + quoted_excerpt(fields_[i]), kNames[i]);
        }
    }

    void take_link() {
        if (fields_.size() != kTopologyColumns) {
            throw DataError(locate(""), "the row has " + count_of(fields_.size(), "value"), "5");
        }
        Link link;
        link.from = node(kSource);
        link.to = node(kTarget);
        link.free_time = read_amount(fields_[kLinkWeight], [&] { return locate_column(kLinkWeight); });
        link.length = link.free_time;
        link.capacity = read_amount(fields_[kLinkCapacity], [&] { return locate_column(kLinkCapacity); });
        if (link.capacity == 0) {
            throw DataError(locate_column(kLinkCapacity), "the capacity is 0", "a capacity above 0");
        }
        file_.network.add_link(std::move(link));
    }

    NodeIndex node(TopologyColumn column) const {
        const auto found = file_.network.find_node(fields_[column]);
        if (found) return *found;
        throw DataError(locate_column(column), quoted_excerpt(fields_[column]) + " is no node",
                        "0 to " + std::to_string(file_.network.nodes()) + " - 1");
    }

    DataLocation locate(const char* field) const { return {lines_.name(), lines_.line(), 0, field}; }
    DataLocation locate_column(TopologyColumn column) const {
        return {lines_.name(), lines_.line(), Index{column} + 1, kNames[column]};
    }

    LineReader lines_;
    std::vector<std::string_view> fields_;
    std::uint64_t links_ = 0;
    NetworkFile file_;
};

}  // namespace

NetworkFile read_topology(const Input& input) {
    return TopologyReader(input).read();
}

}  // namespace proxstream
