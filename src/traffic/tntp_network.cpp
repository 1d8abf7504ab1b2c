#include "proxstream/core/spec.hpp"

#include "io/line_reader.hpp"
#include "traffic/field_text.hpp"
#include "traffic/tntp.hpp"
#include "traffic/tntp_columns.hpp"
#include "traffic/tntp_metadata.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace proxstream {
namespace {

/// Stands for the capacity 0 of links whose time does not depend on it.
constexpr Real kUnlimited = 1e12;
/// Node numbers without a link become nodes too, unless there are many more of them than links.
constexpr std::uint64_t kSpareNodes = 1000;

struct LinkRow {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    Link link;
};

class TntpNetworkReader {
  public:
    explicit TntpNetworkReader(const Input& input) : lines_(input.open()) {}

    NetworkFile read() {
        read_lines();
        check_counts();
        file_.format = "TNTP";
        build();
        note_rows();
        return std::move(file_);
    }

  private:
    void read_lines() {
        std::string_view line;
        while (lines_.next(line)) {
            if (rows_.empty() && !metadata_.ended() && metadata_.take(line, lines_)) continue;
            if (rows_.empty() && without_blanks(line).starts_with('~')) take_header(line);
            const std::string_view text = without_tntp_comment(line);
            if (!text.empty() && text != ";") take_row(line.substr(0, line.find('~')));
        }
    }

    void take_header(std::string_view line) {
        const std::string_view comment = without_blanks(line).substr(1);
        if (auto columns = TntpColumns::from_comment(comment)) {
            columns_ = *std::move(columns);
            header_ = true;
        }
    }

    void take_row(std::string_view text) {
        if (const std::string word = lower_case(without_blanks(text)).substr(0, 6); word == "origin") {
            throw DataError(here(), "this is a trip table (it has a row 'Origin')",
                            "a network; are the files of network and trips swapped?");
        }
        if (const auto limit = metadata_.count("NUMBER OF LINKS"); limit && rows_.size() >= *limit) {
            throw DataError(here(), "more links than the " + std::to_string(*limit) + " of NUMBER OF LINKS",
                            "as many rows as the metadata say");
        }
        const auto end = text.find(';');
        if (end != std::string_view::npos && !without_blanks(text.substr(end + 1)).empty()) {
            throw DataError(here(), "text follows the semicolon", "one link a line");
        }
        closed_ += end != std::string_view::npos ? 1U : 0U;
        last_closed_ = end != std::string_view::npos;
        columns_.split(text.substr(0, end), fields_);
        if (fields_.size() != columns_.columns()) {
            throw DataError(here(), "the row has " + count_of(fields_.size(), "value"),
                            std::to_string(columns_.columns()) + " (" + columns_.name(0) + " to " +
                                columns_.name(columns_.columns() - 1) + ")");
        }
        rows_.push_back(read_link());
        last_line_ = lines_.line();
    }

    LinkRow read_link() {
        using enum TntpField;
        LinkRow row;
        row.from = read_count(fields_[columns_.place(from)], [&] { return locate(from); });
        row.to = read_count(fields_[columns_.place(to)], [&] { return locate(to); });
        row.link.capacity = needed(capacity);
        row.link.free_time = needed(free_time);
        row.link.b = needed(b);
        row.link.power = needed(power);
        row.link.length = optional(length);
        row.link.toll = optional(toll);
        if (row.link.capacity == 0 && row.link.b != 0) {
            throw DataError(locate(capacity), "the capacity is 0 and B is not",
                            "a capacity above 0, or B = 0 where the time does not depend on it");
        }
        if (row.link.capacity == 0) {
            row.link.capacity = kUnlimited;
            ++without_capacity_;
        }
        tolls_ += row.link.toll > 0 ? 1U : 0U;
        return row;
    }

    Real needed(TntpField field) {
        return read_amount(fields_[columns_.place(field)], [&] { return locate(field); });
    }
    Real optional(TntpField field) {
        if (!columns_.has(field)) return 0;
        const std::string_view text = fields_[columns_.place(field)];
        if (!text.empty()) return read_amount(text, [&] { return locate(field); });
        ++empty_;
        return 0;
    }

    void check_counts() {
        if (rows_.empty()) {
            throw DamagedFile({lines_.name(), 0, 0, ""}, "there is no link in the file",
                              "metadata and rows of links, in the TNTP format");
        }
        const auto links = metadata_.count("NUMBER OF LINKS");
        if (links && *links != rows_.size()) {
            throw DamagedFile({lines_.name(), metadata_.line("NUMBER OF LINKS"), 0, "NUMBER OF LINKS"},
                              "the metadata say " + count_of(*links, "link") + ", the file has " +
                                  std::to_string(rows_.size()),
                              "a file that was not cut");
        }
        if (!links) file_.notes.emplace_back("NUMBER OF LINKS is missing: a cut file would not be noticed");
        if (!last_closed_ && closed_ > 0 && closed_ + 1 == rows_.size()) {
            throw DamagedFile({lines_.name(), last_line_, 0, ""},
                              "the last row has no semicolon and all others do", "a file that was not cut");
        }
    }

    void build() {
        std::set<std::uint64_t> ids;
        for (const LinkRow& row : rows_) ids.insert({row.from, row.to});
        const auto declared = metadata_.count("NUMBER OF NODES");
        if (declared && ids.size() > *declared) {
            throw DataError({lines_.name(), metadata_.line("NUMBER OF NODES"), 0, "NUMBER OF NODES"},
                            "the metadata say " + count_of(*declared, "node") + ", the links have " +
                                std::to_string(ids.size()),
                            "at least as many as the links have");
        }
        const bool numbered = declared && *ids.begin() >= 1 && *ids.rbegin() <= *declared;
        if (numbered && *declared <= 2 * rows_.size() + kSpareNodes) {
            if (const auto spare = *declared - ids.size(); spare > 0) {
                file_.notes.push_back(count_of(spare, "node") + " of " + std::to_string(*declared) +
                                      " have no link");
            }
            for (std::uint64_t id = 1; id <= *declared; ++id) ids.insert(ids.end(), id);
        } else if (declared && *ids.rbegin() > *declared) {
            file_.notes.push_back("node numbers go up to " + std::to_string(*ids.rbegin()) + ", beyond the " +
                                  std::to_string(*declared) + " of NUMBER OF NODES: they are taken as names");
        }
        Network& network = file_.network;
        std::unordered_map<std::uint64_t, NodeIndex> nodes;
        nodes.reserve(ids.size());
        for (const std::uint64_t id : ids) nodes[id] = network.node(std::to_string(id));
        bar_zones(ids, nodes);
        for (LinkRow& row : rows_) {
            row.link.from = nodes.at(row.from);
            row.link.to = nodes.at(row.to);
            network.add_link(std::move(row.link));
        }
    }

    void bar_zones(const std::set<std::uint64_t>& ids,
                   const std::unordered_map<std::uint64_t, NodeIndex>& nodes) {
        const auto zones = metadata_.count("NUMBER OF ZONES");
        const bool consecutive = *ids.begin() == 1 && *ids.rbegin() == ids.size();
        file_.zones = zones && *zones > 0 && *zones <= ids.size() && consecutive ? Index{*zones} : ids.size();
        const auto first = metadata_.count("FIRST THRU NODE");
        if (!first) file_.notes.emplace_back("FIRST THRU NODE is missing: 1 is assumed");
        Index barred = 0;
        for (const std::uint64_t id : ids) {
            if (id >= first.value_or(1)) break;
            file_.network.bar_through(nodes.at(id));
            ++barred;
        }
        if (barred == ids.size()) {
            file_.notes.push_back("FIRST THRU NODE is " + std::to_string(*first) +
                                  ": no path may lead through any node");
        }
    }

    void note_rows() {
        auto& notes = file_.notes;
        const auto strangers = header_ ? columns_.strangers() : std::vector<std::string>{};
        if (!header_) notes.emplace_back("no comment names the columns: the usual order is assumed");
        if (!strangers.empty()) {
            std::string text;
            for (const std::string& stranger : strangers) text += (text.empty() ? "" : ", ") + stranger;
            notes.push_back("not used: " + text +
                            (columns_.has(TntpField::toll) ? "" : "; there are no tolls"));
        }
        if (empty_ > 0) notes.push_back(count_of(empty_, "empty field") + " of length or toll: taken as 0");
        if (without_capacity_ > 0) {
            notes.push_back(count_of(without_capacity_, "link") +
                            " with capacity 0 and B = 0: taken as unlimited (" + format_short(kUnlimited) +
                            ")");
        }
        std::vector<Pair> ends;
        for (const Link& link : file_.network.all_links()) ends.push_back({link.from, link.to});
        std::sort(ends.begin(), ends.end());
        const auto distinct = std::unique(ends.begin(), ends.end());
        if (const auto parallel = ends.end() - distinct; parallel > 0) {
            notes.push_back(count_of(static_cast<std::uint64_t>(parallel), "duplicate link") +
                            " kept as parallel links");
        }
        file_.toll_factor = metadata_.number("TOLL FACTOR").value_or(0);
        file_.distance_factor = metadata_.number("DISTANCE FACTOR").value_or(0);
        for (const char* key : {"TOLL FACTOR", "DISTANCE FACTOR"}) {
            if (const auto factor = metadata_.number(key)) {
                notes.push_back(std::string(key) + " " + format_short(*factor) + " stands in the file");
            }
        }
        if (tolls_ > 0 && !metadata_.has("TOLL FACTOR")) {
            notes.push_back(count_of(tolls_, "link") + " with a toll; the file does not say its weight");
        }
    }

    DataLocation here() const { return {lines_.name(), lines_.line(), 0, ""}; }
    DataLocation locate(TntpField field) const {
        const Index column = columns_.place(field);
        return {lines_.name(), lines_.line(), column + 1, columns_.name(column)};
    }

    LineReader lines_;
    TntpMetadata metadata_;
    TntpColumns columns_;
    bool header_ = false;
    std::vector<std::string_view> fields_;
    std::vector<LinkRow> rows_;
    Index closed_ = 0;  // rows that end with a semicolon
    bool last_closed_ = true;
    std::uint64_t last_line_ = 0;
    Index empty_ = 0;
    Index without_capacity_ = 0;
    Index tolls_ = 0;
    NetworkFile file_;
};

}  // namespace

NetworkFile read_tntp_network(const Input& input) {
    return TntpNetworkReader(input).read();
}

}  // namespace proxstream
