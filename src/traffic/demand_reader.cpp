#include "traffic/demand_reader.hpp"

#include "proxstream/core/spec.hpp"

#include <cmath>
#include <utility>

namespace proxstream {

Index PairDemand::slot_of(Pair pair) const {
    return pair.origin == pair.destination ? kWithin : index_.find(pair).value_or(kForeign);
}

void PairDemand::clear() {
    demand_.assign(pairs().size(), 0);
    given_.assign(pairs().size(), false);
}

void PairDemand::put_all(const Trips& trips, const std::string& source) {
    clear();
    for (Index i = 0; i < trips.pairs.size(); ++i) {
        const Pair pair = trips.pairs[i];
        put(pair, trips.demand[i], [&] { return DataLocation{source, 0, 0, pair_name(network_, pair)}; });
    }
    dropped_ += trips.within;
}

void PairDemand::refuse_foreign(const DataLocation& where) const {
    throw DataError(where, "there is demand for a pair that is not served",
                    "demand for the " + count_of(pairs().size(), "pair") + " of this run");
}

std::vector<std::string> PairDemand::notes() const {
    if (dropped_ == 0) return {};
    const Real share = std::round(1000 * dropped_ / (dropped_ + kept_)) / 10;
    return {"demand of nodes with themselves is dropped: " + format_short(share) + " % of all demand so far"};
}

bool DemandReader::announce(DemandPeriod& period) {
    period.demand.clear();
    period.events.clear();
    label_.clear();
    fault_.reset();
    try {
        if (!read(period.events)) return false;
    } catch (const DamagedFile&) {
        throw;
    } catch (const DataError& error) {
        fault_ = error;
        if (label_.empty()) {
            ++periods_;
            label_ = "line " + std::to_string(error.where().line);
            period.events.clear();
        }
    }
    period.label = label_;
    return true;
}

void DemandReader::begin_period(std::string label, std::uint64_t line, bool demand) {
    ++periods_;
    promised_ = demand;
    demand_.clear();
    label_ = label.empty() ? std::to_string(periods_) : std::move(label);
    if (!demand || labels_.insert(label_).second) return;
    const std::string before = std::exchange(label_, label_ + " (line " + std::to_string(line) + ")");
    throw DataError({source(), line, 0, "period"},
                    "the period " + quoted_excerpt(before) + " occurred before",
                    "a different label for each period");
}

void DemandReader::reveal(DemandPeriod& period) {
    period.demand.clear();
    if (fault_) throw DataError(*fault_);
    if (promised_) period.demand = demand_.demand();
}

std::vector<Pair> DemandReader::scan_pairs() {
    demand_.collect_pairs();
    DemandPeriod period;
    while (announce(period)) continue;
    return demand_.collected();
}

}  // namespace proxstream
