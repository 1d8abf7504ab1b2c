#include "traffic/csv_demand.hpp"

#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <set>

namespace proxstream {

bool names_period(std::string_view name) {
    const std::string bare = bare_name(name);
    return bare == "period" || bare == "time" || bare == "label" || bare == "timestamp" || bare == "date";
}

CsvDemand::Header CsvDemand::read_header(LineReader& lines, const Network& network) {
    std::string_view line;
    if (!next_full_line(lines, line)) {
        throw DamagedFile({lines.name(), 0, 0, ""}, "the input is empty",
                          "a line of column names, then rows");
    }
    Header header{{}, {}, false, RowSplitter(line)};
    std::set<Pair> seen;
    for (const std::string_view name : header.splitter.split(line, lines)) {
        const DataLocation where{lines.name(), lines.line(), header.names.size() + 1, ""};
        const auto pair = parse_pair(network, name);
        if (!pair && header.names.empty() && (name.empty() || names_period(name))) {
            header.labelled = true;
        } else if (!pair) {
            throw DamagedFile(
                where, quoted_excerpt(name) + " is no pair of nodes",
                "ORIGIN->DESTINATION (or with - _ : between) of nodes that the network has; period, "
                "time or label as the first column");
        } else if (!seen.insert(*pair).second) {
            throw DamagedFile(where, quoted_excerpt(name) + " stands in another column already",
                              "every pair once");
        }
        header.names.emplace_back(name);
        header.pairs.push_back(pair.value_or(Pair{}));
    }
    if (header.pairs.size() == (header.labelled ? 1U : 0U)) {
        throw DamagedFile({lines.name(), lines.line(), 0, ""}, "no column is a pair of nodes",
                          "columns such as ORIGIN->DESTINATION");
    }
    return header;
}

std::unique_ptr<DemandStream> CsvDemand::open(std::unique_ptr<LineReader> lines, const Network& network,
                                              const DemandOptions& options) {
    Header header = read_header(*lines, network);
    DemandOptions fixed = options;
    if (fixed.pairs.empty()) {
        std::copy_if(header.pairs.begin(), header.pairs.end(), std::back_inserter(fixed.pairs),
                     [](const Pair& pair) { return pair.origin != pair.destination; });
    }
    return std::unique_ptr<DemandStream>(new CsvDemand(std::move(lines), network, fixed, std::move(header)));
}

CsvDemand::CsvDemand(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options,
                     Header header)
    : LineDemand(std::move(lines), network, options), header_(std::move(header)) {
    for (const Pair& pair : header_.pairs) slots_.push_back(index().find(pair));
}

LineDemand::Head CsvDemand::read_head(std::string_view line, std::vector<NetworkEvent>& /*events*/) {
    fields_ = nullptr;
    const auto& fields = header_.splitter.split(line, lines());
    fields_ = &fields;
    if (!header_.labelled || fields.empty()) return {};
    if (fields[0].empty()) throw DataError(locate(0), "the field is empty", "a label of the period");
    return {std::string(fields[0]), true};
}

void CsvDemand::read_body(std::string_view /*line*/, std::vector<Real>& demand) {
    if (fields_->size() != header_.names.size()) {
        throw DataError({source(), line(), 0, ""}, "the row has " + count_of(fields_->size(), "value"),
                        std::to_string(header_.names.size()));
    }
    for (Index column = header_.labelled ? 1 : 0; column < fields_->size(); ++column) {
        const auto where = [&] { return locate(column); };
        const Real value = scaled(read_amount((*fields_)[column], where), where);
        const Pair pair = header_.pairs[column];
        if (pair.origin == pair.destination) {
            dropped_ += value;
        } else if (slots_[column]) {
            demand[*slots_[column]] = value;
        } else if (value > 0) {
            refuse_stranger(where());
        }
    }
}

DataLocation CsvDemand::locate(Index column) const {
    return {source(), line(), column + 1, column < header_.names.size() ? header_.names[column] : ""};
}

std::vector<std::string> CsvDemand::notes() const {
    if (dropped_ == 0) return {};
    return {"demand of nodes with themselves is dropped: " + format_short(dropped_) + " so far"};
}

}  // namespace proxstream
