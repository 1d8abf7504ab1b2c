#include "traffic/line_demand.hpp"

#include "traffic/field_text.hpp"

namespace proxstream {

bool next_full_line(LineReader& lines, std::string_view& line) {
    while (lines.next(line)) {
        if (!without_blanks(line).empty()) return true;
    }
    return false;
}

bool LineDemand::announce(DemandPeriod& period) {
    period.label.clear();
    period.demand.clear();
    period.events.clear();
    fault_.reset();
    try {
        if (!next_full_line(*lines_, line_)) return false;
        ++periods_;
        Head head = read_head(line_, period.events);
        promised_ = head.demand;
        period.label = head.label.empty() ? std::to_string(periods_) : std::move(head.label);
        if (promised_ && !labels_.insert(period.label).second) {
            // Its demand is in doubt, what happened to the network is not.
            fault_ = DataError({source(), line(), 0, "period"},
                               "the period " + quoted_excerpt(period.label) + " was there before",
                               "a label no other period has");
            period.label += " (line " + std::to_string(line()) + ")";
        }
    } catch (const DamagedFile&) {
        throw;
    } catch (const DataError& error) {
        fault_ = error;
        period.label = "line " + std::to_string(error.where().line);
        period.events.clear();
    }
    return true;
}

void LineDemand::reveal(DemandPeriod& period) {
    period.demand.clear();
    if (fault_) throw DataError(*fault_);
    if (!promised_) return;
    demand_.assign(pairs().size(), 0);
    read_body(line_, demand_);
    period.demand = demand_;
}

void LineDemand::refuse_stranger(const DataLocation& where) const {
    throw DataError(where, "there is demand, and the pair is none of those served",
                    "demand for the " + count_of(pairs().size(), "pair") + " of this run");
}

}  // namespace proxstream
