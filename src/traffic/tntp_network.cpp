#include "proxstream/core/spec.hpp"

#include "traffic/network_formats.hpp"
#include "traffic/text_table.hpp"
#include "traffic/tntp_metadata.hpp"

#include <algorithm>
#include <set>

namespace proxstream {
namespace {

/// Capacity of links whose time does not depend on it, if the file says 0.
constexpr Real kUnlimited = 1e12;
/// Node numbers without a link become nodes too; at most so many more than ends of links are believed.
constexpr std::uint64_t kSpareNodes = 1000;

/// The meaning of the columns of a link row: from the comment above the rows, or in the usual order.
class TntpColumns {
  public:
    enum Field : Index { kTail, kHead, kCapacity, kLength, kTime, kB, kPower, kSpeed, kToll, kType };

    TntpColumns() {
        for (const TableColumn& field : kFields) {
            places_.emplace_back(names_.size());
            names_.emplace_back(field.name);
        }
    }

    /// Uses the columns that a comment names, if it names all required ones.
    bool read_comment(std::string_view comment) {
        comment = without_blanks(comment.substr(0, comment.find(';')));
        std::vector<std::string_view> names;
        if (comment.find('\t') != std::string_view::npos) {
            split_at(comment, '\t', names);
            std::erase(names, std::string_view());
        } else {
            split_at_blanks(comment, names);
        }
        std::vector<std::optional<Index>> places;
        for (const TableColumn& field : kFields) {
            const auto called = [&](std::string_view name) { return field.is_called(name); };
            const auto found = std::find_if(names.begin(), names.end(), called);
            if (found == names.end() ? field.needed : std::any_of(found + 1, names.end(), called))
                return false;
            places.emplace_back();
            if (found != names.end()) places.back() = static_cast<Index>(found - names.begin());
        }
        names_.assign(names.begin(), names.end());
        places_ = std::move(places);
        return true;
    }

    Index columns() const noexcept { return names_.size(); }
    const std::string& name(Index column) const { return names_[column]; }
    const std::optional<Index>& place(Field field) const { return places_[field]; }

    /// Columns without a meaning here, as "column 9 (critical_speed), column 10 (lanes)".
    std::string unused() const {
        std::string list;
        for (Index column = 0; column < columns(); ++column) {
            if (std::find(places_.begin(), places_.end(), column) != places_.end()) continue;
            list += (list.empty() ? "column " : ", column ") + std::to_string(column + 1) + " (" +
                    names_[column] + ")";
        }
        return list;
    }

    /// The fields of a row without its semicolon; between two tabs a field may be empty. The number of fields
    /// is columns() unless the row is wrong.
    void split(std::string_view row, std::vector<std::string_view>& fields) const {
        if (row.find('\t') == std::string_view::npos) return split_at_blanks(row, fields);
        // A leading tab starts the row; tabs at its end close it.
        row.remove_prefix(std::min(row.find_first_not_of(' '), row.size()));
        if (row.starts_with('\t')) row.remove_prefix(1);
        split_at(row, '\t', fields);
        while (fields.size() != columns() && !fields.empty() && fields.back().empty()) fields.pop_back();
        const bool mixed = std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
            return field.find(' ') != std::string_view::npos;
        });
        if (mixed) return split_at_blanks(row, fields);
        if (fields.size() > columns()) std::erase(fields, std::string_view());  // tabs that align
    }

  private:
    /// The usual columns in the usual order, by Field.
    static constexpr TableColumn kFields[] = {
        {"init_node", "initnode init tail tailnode from fromnode anode source", true},
        {"term_node", "termnode term head headnode to tonode bnode target", true},
        {"capacity", "capacity cap", true},
        {"length", "length distance"},
        {"free_flow_time", "freeflowtime fftt fft freeflowtraveltime freetime", true},
        {"b", "b", true},
        {"power", "power", true},
        {"speed", "speed speedlimit"},
        {"toll", "toll"},
        {"link_type", "linktype type"},
    };

    std::vector<std::string> names_;
    std::vector<std::optional<Index>> places_;  // by field
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
    using Field = TntpColumns::Field;
    using Number = std::uint64_t;  // of a node, as the file numbers it

    struct LinkRow {
        Number from = 0, to = 0;
        Link link;
    };

    void read_lines() {
        std::string_view line;
        while (lines_.next(line)) {
            if (rows_.empty() && !metadata_.ended() && metadata_.take(line, lines_)) continue;
            const std::string_view full = without_blanks(line);
            if (rows_.empty() && full.starts_with('~'))
                header_ = columns_.read_comment(full.substr(1)) || header_;
            const std::string_view text = without_tntp_comment(line);
            if (!text.empty() && text != ";") take_row(line.substr(0, line.find('~')));
        }
    }

    void take_row(std::string_view text) {
        if (lower_case(without_blanks(text)).starts_with("origin")) {
            throw DataError(lines_.here(), "this is a trip table (it has a row 'Origin')",
                            "a network; are the files of network and trips swapped?");
        }
        if (const auto limit = metadata_.count("NUMBER OF LINKS"); limit && rows_.size() >= *limit) {
            throw DataError(lines_.here(),
                            "more links than the " + std::to_string(*limit) + " of NUMBER OF LINKS",
                            "as many rows as NUMBER OF LINKS");
        }
        const auto end = text.find(';');
        last_closed_ = end != std::string_view::npos;
        if (last_closed_ && !without_blanks(text.substr(end + 1)).empty())
            throw DataError(lines_.here(), "text follows the semicolon", "one link a line");
        closed_ += last_closed_ ? 1U : 0U;
        columns_.split(text.substr(0, end), fields_);
        if (fields_.size() != columns_.columns()) {
            throw DataError(lines_.here(), "the row has " + count_of(fields_.size(), "value"),
                            std::to_string(columns_.columns()) + " (" + columns_.name(0) + " to " +
                                columns_.name(columns_.columns() - 1) + ")");
        }
        rows_.push_back(read_link());
        last_line_ = lines_.line();
    }

    LinkRow read_link() {
        LinkRow row;
        row.from = read_count(text(Field::kTail), [&] { return locate(Field::kTail); });
        row.to = read_count(text(Field::kHead), [&] { return locate(Field::kHead); });
        row.link.capacity = amount(Field::kCapacity);
        row.link.free_time = amount(Field::kTime);
        row.link.b = amount(Field::kB);
        row.link.power = amount(Field::kPower);
        row.link.length = optional(Field::kLength);
        row.link.toll = optional(Field::kToll);
        if (row.link.capacity == 0 && row.link.b != 0) {
            throw DataError(locate(Field::kCapacity), "the capacity is 0 and B is not",
                            "a capacity above 0, or B = 0 where the time does not depend on it");
        }
        if (row.link.capacity == 0) {
            row.link.capacity = kUnlimited;
            ++without_capacity_;
        }
        tolls_ += row.link.toll > 0 ? 1U : 0U;
        return row;
    }

    std::string_view text(Field field) const { return fields_[*columns_.place(field)]; }
    DataLocation locate(Field field) const {
        const Index column = *columns_.place(field);
        return lines_.here(columns_.name(column), column + 1);
    }
    Real amount(Field field) const {
        return read_amount(text(field), [&] { return locate(field); });
    }
    Real optional(Field field) {
        if (!columns_.place(field)) return 0;
        if (!text(field).empty()) return amount(field);
        ++empty_;
        return 0;
    }

    void check_counts() {
        constexpr const char* kWhole = "a file that was not cut";
        if (rows_.empty()) {
            throw DamagedFile({lines_.name(), 0, 0, ""}, "there is no link in the file",
                              "metadata and rows of links, in the TNTP format");
        }
        const auto links = metadata_.count("NUMBER OF LINKS");
        if (links && *links != rows_.size()) {
            throw DamagedFile(metadata_.where("NUMBER OF LINKS"),
                              "the metadata say " + count_of(*links, "link") + ", the file has " +
                                  std::to_string(rows_.size()),
                              kWhole);
        }
        if (!links) note("NUMBER OF LINKS is missing: a cut file would not be noticed");
        if (!last_closed_ && closed_ > 0 && closed_ + 1 == rows_.size())
            throw DamagedFile({lines_.name(), last_line_, 0, ""},
                              "the last row has no semicolon and all others do", kWhole);
    }

    void build() {
        std::set<Number> ids;
        for (const LinkRow& row : rows_) ids.insert({row.from, row.to});
        const auto declared = metadata_.count("NUMBER OF NODES");
        if (declared && ids.size() > *declared) {
            throw DataError(metadata_.where("NUMBER OF NODES"),
                            "the metadata say " + count_of(*declared, "node") + ", the links have " +
                                std::to_string(ids.size()),
                            "at least as many as the links have");
        }
        const Number most = 2 * rows_.size() + kSpareNodes;
        if (declared && *declared > most) {
            throw DataError(metadata_.where("NUMBER OF NODES"),
                            "the metadata say " + count_of(*declared, "node") + ", the links have " +
                                std::to_string(ids.size()),
                            "at most " + std::to_string(most) + " with " + count_of(rows_.size(), "link"));
        }
        if (declared && *ids.begin() >= 1 && *ids.rbegin() <= *declared) {
            if (const auto spare = *declared - ids.size(); spare > 0)
                note(count_of(spare, "node") + " of " + std::to_string(*declared) + " have no link");
            for (Number id = 1; id <= *declared; ++id) ids.insert(ids.end(), id);
        } else if (declared && *ids.rbegin() > *declared) {
            note("node numbers go up to " + std::to_string(*ids.rbegin()) + ", beyond the " +
                 std::to_string(*declared) + " of NUMBER OF NODES: they are taken as names");
        }
        Network& network = file_.network;
        for (const Number id : ids) network.node(std::to_string(id));
        bar_zones(ids);
        for (LinkRow& row : rows_) {
            row.link.from = network.node(std::to_string(row.from));
            row.link.to = network.node(std::to_string(row.to));
            network.add_link(std::move(row.link));
        }
    }

    /// `ids` are those of the nodes, in their order.
    void bar_zones(const std::set<Number>& ids) {
        const auto zones = metadata_.count("NUMBER OF ZONES");
        if (zones && *zones > ids.size()) {
            throw DataError(metadata_.where("NUMBER OF ZONES"),
                            "the metadata say " + count_of(*zones, "zone") + ", the network has " +
                                count_of(ids.size(), "node"),
                            "at most as many zones as nodes");
        }
        const bool consecutive = *ids.begin() == 1 && *ids.rbegin() == ids.size();
        file_.zones = zones && *zones > 0 && consecutive ? Index{*zones} : ids.size();
        const auto first = metadata_.count("FIRST THRU NODE");
        if (!first) note("FIRST THRU NODE is missing: 1 is assumed");
        NodeIndex barred = 0;
        for (const Number id : ids) {
            if (id >= first.value_or(1)) break;
            file_.network.bar_through(barred++);
        }
        if (barred == ids.size())
            note("FIRST THRU NODE is " + std::to_string(*first) + ": no path may lead through any node");
    }

    void note(std::string text) { file_.notes.push_back(std::move(text)); }

    void note_rows() {
        if (!header_) note("no comment names the columns: the usual order is assumed");
        if (const std::string unused = columns_.unused(); !unused.empty())
            note("not used: " + unused + (columns_.place(Field::kToll) ? "" : "; there are no tolls"));
        if (empty_ > 0) note(count_of(empty_, "empty field") + " of length or toll: taken as 0");
        if (without_capacity_ > 0) {
            note(count_of(without_capacity_, "link") + " with capacity 0 and B = 0: taken as unlimited (" +
                 format_short(kUnlimited) + ")");
        }
        std::set<Pair> ends;
        for (const Link& link : file_.network.all_links()) ends.insert({link.from, link.to});
        if (const Index parallel = file_.network.links() - ends.size(); parallel > 0)
            note(count_of(parallel, "duplicate link") + " kept as parallel links");
        file_.toll_factor = metadata_.number("TOLL FACTOR").value_or(0);
        file_.distance_factor = metadata_.number("DISTANCE FACTOR").value_or(0);
        for (const char* key : {"TOLL FACTOR", "DISTANCE FACTOR"}) {
            if (const auto factor = metadata_.number(key))
                note(std::string(key) + " " + format_short(*factor) + " is in the file");
        }
        if (tolls_ > 0 && !metadata_.has("TOLL FACTOR"))
            note(count_of(tolls_, "link") + " with a toll; the file does not say its weight");
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
    Index empty_ = 0, without_capacity_ = 0, tolls_ = 0;
    NetworkFile file_;
};

}  // namespace

NetworkFile read_tntp_network(const Input& input) {
    return TntpNetworkReader(input).read();
}

}  // namespace proxstream
