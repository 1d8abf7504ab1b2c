/// Demand as rows of numbers: matrices, a column for each pair, or a row for each pair.
#include "traffic/demand_reader.hpp"
#include "traffic/text_table.hpp"

#include <algorithm>

namespace proxstream {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kSeparators = " \t,;";

/// The values of a row, separated by blanks, tabs, one comma or one semicolon.
class MatrixRow {
  public:
    explicit MatrixRow(std::string_view row) : row_(without_blanks(row)) {}

    bool done() const noexcept { return !open_ && at_ == row_.size(); }
    /// The text of the next value; empty between two commas.
    std::string_view next() {
        const auto end = std::min(row_.find_first_of(kSeparators, at_), row_.size());
        const std::string_view text = row_.substr(at_, end - at_);
        at_ = std::min(row_.find_first_not_of(kBlanks, end), row_.size());
        open_ = at_ < row_.size() && (row_[at_] == ',' || row_[at_] == ';');
        if (open_) at_ = std::min(row_.find_first_not_of(kBlanks, at_ + 1), row_.size());
        return text;
    }

  private:
    std::string_view row_;
    std::size_t at_ = 0;
    bool open_ = false;  // after a comma, so a value has to follow
};

std::string describe_size(Index size, std::string_view of_what) {
    return std::to_string(size * size) + " (" + std::to_string(size) + " x " + std::to_string(size) +
           std::string(of_what) + ")";
}

class MatrixDemand final : public DemandReader {
  public:
    MatrixDemand(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options,
                 Index size)
        : DemandReader(std::move(lines), network, options), size_(size) {
        for (NodeIndex origin = 0; origin < size; ++origin) {
            for (NodeIndex destination = 0; destination < size; ++destination)
                slots_.push_back(demand().slot_of({origin, destination}));
        }
    }

  private:
    bool read(std::vector<NetworkEvent>& /*events*/) override {
        std::string_view text;
        if (!next_full_line(lines(), text)) return false;
        begin_period({}, line());
        Index cell = 0;
        for (MatrixRow row(text); !row.done(); ++cell) {
            const std::string_view value = row.next();
            const auto where = [&] { return locate(cell); };
            if (cell < slots_.size()) demand().put(slots_[cell], read_amount(value, where), where);
        }
        if (cell == slots_.size()) return true;
        throw DataError(lines().here(), "the row has " + count_of(cell, "value"), describe_size(size_, ""));
    }

    DataLocation locate(Index cell) const {
        const Pair pair{static_cast<NodeIndex>(cell / size_), static_cast<NodeIndex>(cell % size_)};
        return lines().here(pair_name(network(), pair), cell + 1);
    }

    Index size_;                // matrices are size_ x size_
    std::vector<Index> slots_;  // by cell
};

bool names_period(std::string_view name) {
    const std::string bare = bare_name(name);
    return bare == "period" || bare == "time" || bare == "label" || bare == "timestamp" || bare == "date";
}

struct PairHeader {
    std::vector<std::string> names;
    std::vector<Pair> pairs;  // by column; for the label, a pair of a node with itself
    bool labelled = false;    // the first column is the label of the period
    RowSplitter splitter;
};

PairHeader read_pair_header(LineReader& lines, const Network& network) {
    std::string_view line;
    if (!next_full_line(lines, line)) {
        throw DamagedFile({lines.name(), 0, 0, ""}, "the input is empty",
                          "a line of column names, then rows");
    }
    PairHeader header{{}, {}, false, RowSplitter(find_delimiter(line, ' '))};
    std::set<Pair> seen;
    for (const std::string_view name : header.splitter.split(line, lines)) {
        const DataLocation where = lines.here({}, header.names.size() + 1);
        const auto pair = parse_pair(network, name);
        if (!pair && header.names.empty() && (name.empty() || names_period(name))) {
            header.labelled = true;
        } else if (!pair) {
            throw DamagedFile(
                where, quoted_excerpt(name) + " is not a pair of nodes",
                "ORIGIN->DESTINATION (or with - _ : between) of nodes that the network has; period, "
                "time or label as the first column");
        } else if (!seen.insert(*pair).second) {
            throw DamagedFile(where, quoted_excerpt(name) + " is in another column already",
                              "every pair once");
        }
        header.names.emplace_back(name);
        header.pairs.push_back(pair.value_or(Pair{}));
    }
    if (header.pairs.size() == (header.labelled ? 1U : 0U)) {
        throw DamagedFile(lines.here(), "no column is a pair of nodes",
                          "columns such as ORIGIN->DESTINATION");
    }
    return header;
}

class PairColumns final : public DemandReader {
  public:
    PairColumns(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options,
                PairHeader header)
        : DemandReader(std::move(lines), network, options), header_(std::move(header)) {
        for (const Pair& pair : header_.pairs) slots_.push_back(demand().slot_of(pair));
    }

  private:
    bool read(std::vector<NetworkEvent>& /*events*/) override {
        std::string_view row;
        if (!next_full_line(lines(), row)) return false;
        const std::vector<std::string_view>& fields = header_.splitter.split(row, lines());
        const bool labelled = header_.labelled && !fields.empty();
        if (labelled && fields[0].empty())
            throw DataError(locate(0), "the field is empty", "a label of the period");
        begin_period(labelled ? std::string(fields[0]) : "", line());
        if (fields.size() != header_.names.size()) {
            throw DataError(lines().here(), "the row has " + count_of(fields.size(), "value"),
                            std::to_string(header_.names.size()));
        }
        for (Index column = header_.labelled ? 1 : 0; column < fields.size(); ++column) {
            const auto where = [&] { return locate(column); };
            demand().put(slots_[column], read_amount(fields[column], where), where);
        }
        return true;
    }

    DataLocation locate(Index column) const { return lines().here(header_.names[column], column + 1); }

    PairHeader header_;
    std::vector<Index> slots_;  // by column
};

enum LongColumn : Index { kLongPeriod, kLongOrigin, kLongDestination, kLongDemand };

constexpr TableColumn kLongColumns[] = {{"period", "period time label timestamp date", true},
                                        {"origin", "origin from source", true},
                                        {"destination", "destination to target", true},
                                        {"demand", "demand trips", true}};

class LongDemand final : public DemandReader {
  public:
    LongDemand(std::unique_ptr<LineReader> from, const Network& network, const DemandOptions& options)
        : DemandReader(std::move(from), network, options),
          table_(lines(), kLongColumns, TextTable::Style::csv) {}

  private:
    struct Row {
        std::string label;
        std::uint64_t line = 0;
        Pair pair = {};
        Real demand = 0;
        std::optional<DataError> fault = {};
    };

    bool read(std::vector<NetworkEvent>& /*events*/) override {
        if (!next_ && !read_row({})) return false;
        std::vector<Row> rows;
        const std::string label = next_->label;
        do rows.push_back(std::move(*next_));
        while (read_row(label) && next_->label == label);
        begin_period(label, rows.front().line);
        for (const Row& row : rows) {
            if (row.fault) throw DataError(*row.fault);
            demand().put(row.pair, row.demand, [&] {
                return DataLocation{source(), row.line, 0, pair_name(network(), row.pair)};
            });
        }
        return true;
    }

    /// Reads the next row; false at the end. A row that cannot be read belongs to the period `current`.
    bool read_row(const std::string& current) {
        next_.reset();
        Row row;
        try {
            if (!table_.next()) return false;
            row.label = table_.needed_text(kLongPeriod, "a label of the period");
            row.pair = {table_.node(kLongOrigin, network()), table_.node(kLongDestination, network())};
            row.demand = table_.amount(kLongDemand);
        } catch (const DamagedFile&) {
            throw;
        } catch (const DataError& error) {
            row.fault = error;
            if (row.label.empty()) row.label = current;
            if (row.label.empty()) row.label = "line " + std::to_string(error.where().line);
        }
        row.line = line();
        next_ = std::move(row);
        return true;
    }

    TextTable table_;
    std::optional<Row> next_;  // the first of the next period
};

}  // namespace

std::unique_ptr<DemandReader> read_matrix_demand(std::unique_ptr<LineReader> lines, const Network& network,
                                                 const DemandOptions& options) {
    std::string_view row;
    if (!next_full_line(*lines, row)) {
        throw DamagedFile({lines->name(), 0, 0, ""}, "the input is empty", "a row of numbers a period");
    }
    Index values = 0;
    for (MatrixRow first(row); !first.done(); ++values) first.next();
    const Index zones = options.zones == 0 ? network.nodes() : options.zones;
    for (const Index size : {network.nodes(), zones}) {
        if (values != size * size) continue;
        lines->rewind();
        DemandOptions fixed = options;
        if (fixed.pairs.empty()) fixed.pairs = all_pairs(size);
        return std::make_unique<MatrixDemand>(std::move(lines), network, fixed, size);
    }
    throw DamagedFile(lines->here(), "the first row has " + count_of(values, "value"),
                      describe_size(network.nodes(), " nodes") +
                          (zones == network.nodes() ? "" : " or " + describe_size(zones, " zones")));
}

std::unique_ptr<DemandReader> read_pair_columns(std::unique_ptr<LineReader> lines, const Network& network,
                                                const DemandOptions& options) {
    PairHeader header = read_pair_header(*lines, network);
    DemandOptions fixed = options;
    if (fixed.pairs.empty()) {
        std::copy_if(header.pairs.begin(), header.pairs.end(), std::back_inserter(fixed.pairs),
                     [](const Pair& pair) { return pair.origin != pair.destination; });
    }
    return std::make_unique<PairColumns>(std::move(lines), network, fixed, std::move(header));
}

std::unique_ptr<DemandReader> read_long_demand(std::unique_ptr<LineReader> lines, const Network& network,
                                               const DemandOptions& options) {
    return std::make_unique<LongDemand>(std::move(lines), network, options);
}

bool names_long_demand(std::string_view line) {
    return names_columns(line, kLongColumns);
}

}  // namespace proxstream
