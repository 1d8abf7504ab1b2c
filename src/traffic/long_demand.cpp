#include "traffic/long_demand.hpp"

#include <set>

namespace proxstream {
namespace {

enum LongColumn : Index { kLongPeriod, kLongOrigin, kLongDestination, kLongDemand };

const std::vector<TableColumn>& long_columns() {
    static const std::vector<TableColumn> kColumns{
        {"period", {"period", "time", "label", "timestamp", "date"}, true},
        {"origin", {"origin", "from", "source"}, true},
        {"destination", {"destination", "to", "target"}, true},
        {"demand", {"demand", "trips"}, true}};
    return kColumns;
}

}  // namespace

bool names_long_demand(std::string_view line) {
    return names_columns(line, long_columns());
}

LongDemand::LongDemand(std::unique_ptr<LineReader> lines, const Network& network,
                       const DemandOptions& options)
    : table_(std::move(lines), long_columns(), TextTable::Style::csv),
      network_(network),
      index_(network, options.pairs),
      scale_(options.scale) {}

std::vector<Pair> LongDemand::scan_pairs(const Input& input, const Network& network) {
    LongDemand demand(std::make_unique<LineReader>(input.open()), network, {});
    std::set<Pair> pairs;
    while (demand.read_row()) {
        const Row& row = demand.row_;
        if (!row.fault && row.demand > 0 && row.pair.origin != row.pair.destination) pairs.insert(row.pair);
    }
    return {pairs.begin(), pairs.end()};
}

/// The next row; one that cannot be read belongs to the period that is going on.
bool LongDemand::read_row() {
    row_.fault.reset();
    row_.label.clear();
    held_ = false;
    try {
        held_ = table_.next();
        if (held_) parse_row();
    } catch (const DamagedFile&) {
        throw;
    } catch (const DataError& error) {
        row_.fault = error;
        held_ = true;
        if (row_.label.empty()) row_.label = label_;
        if (row_.label.empty()) row_.label = "line " + std::to_string(error.where().line);
    }
    return held_;
}

void LongDemand::parse_row() {
    row_.label = table_.text(kLongPeriod);
    if (row_.label.empty()) {
        throw DataError(table_.locate(kLongPeriod), "the field is empty", "a label of the period");
    }
    const auto node = [&](Index column) {
        const auto found = network_.find_node(table_.text(column));
        if (found) return *found;
        throw DataError(table_.locate(column), quoted_excerpt(table_.text(column)) + " is no node",
                        "nodes of the network");
    };
    row_.pair = {node(kLongOrigin), node(kLongDestination)};
    row_.demand = scale_ * table_.amount(kLongDemand);
    if (row_.demand > kAbsurd) {
        throw DataError(table_.locate(kLongDemand), "the demand is too large", "at most 1e150, scaled");
    }
}

bool LongDemand::announce(DemandPeriod& period) {
    period.demand.clear();
    period.events.clear();
    while (open_) open_ = read_row() && row_.label == label_;  // a period nobody asked for
    label_.clear();
    if (!held_ && !read_row()) return false;
    open_ = true;
    label_ = row_.label;
    period.label = label_;
    fault_.reset();
    if (!labels_.insert(label_).second) {
        fault_.emplace(DataLocation{source(), line(), 0, "period"},
                       "the period " + quoted_excerpt(label_) + " was there before",
                       "rows of a period together, and a label no other has");
        period.label += " (line " + std::to_string(line()) + ")";
    }
    return true;
}

void LongDemand::reveal(DemandPeriod& period) {
    period.demand.clear();
    demand_.assign(pairs().size(), 0);
    given_.assign(pairs().size(), false);
    do {
        try {
            place(row_, demand_);
        } catch (const DataError& error) {
            if (!fault_) fault_ = error;
        }
    } while (read_row() && row_.label == label_);
    open_ = false;
    if (fault_) throw DataError(*fault_);
    period.demand = demand_;
}

void LongDemand::place(const Row& row, std::vector<Real>& demand) {
    if (row.fault) throw DataError(*row.fault);
    if (row.pair.origin == row.pair.destination) return;
    const auto slot = index_.find(row.pair);
    const DataLocation where{source(), line(), 0, pair_name(network_, row.pair)};
    if (!slot && row.demand > 0) {
        throw DataError(where, "there is demand, and the pair is none of those served",
                        "demand for the " + count_of(pairs().size(), "pair") + " of this run");
    }
    if (!slot) return;
    if (given_[*slot]) throw DataError(where, "the pair has a row in this period already", "one row a pair");
    given_[*slot] = true;
    demand[*slot] = row.demand;
}

}  // namespace proxstream
