#include "route/reconcile_links.hpp"

#include "route/route_tables.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

enum Column : Index { kPeriod, kLink, kLoad, kTime, kUtilisation, kCapacity, kCost };

}  // namespace

LinkAudit::LinkAudit(const RunFolder& folder, CheckList& checks)
    : folder_(folder),
      checks_(checks),
      by_time_(folder.run.objective.starts_with("system") || folder.run.objective.starts_with("delay")),
      factor_(folder.links.size(), 1),
      closed_(folder.links.size(), 0),
      load_(folder.links.size()),
      time_(folder.links.size()),
      utilisation_(folder.links.size()),
      cost_(folder.links.size()),
      seen_(folder.links.size()) {
    for (const RunFolder::RoadLink& link : folder.links) capacity_.push_back(link.capacity);
    if (folder.run.detail >= RouteDetail::links) {
        table_.emplace(folder.path(route_tables::kFlows.file), route_tables::kFlows.columns);
    }
}

void LinkAudit::follow_events(Index period) {
    for (; next_event_ < folder_.events.size() && folder_.events[next_event_].period <= period;
         ++next_event_) {
        const RunFolder::Event& event = folder_.events[next_event_];
        if (event.kind == "capacity") {
            factor_[event.link] = event.factor;
        } else {
            closed_[event.link] = event.kind == "close" ? 1 : 0;
        }
        capacity_[event.link] =
            closed_[event.link] != 0 ? 0 : factor_[event.link] * folder_.links[event.link].capacity;
    }
}

void LinkAudit::read(const PeriodRecord& period) {
    follow_events(period.number);
    if (!table_) return;
    const bool whole = read_rows(period);
    checks_.confirm(Check::flow_rows, whole, [&] { return period.name(); });
    if (whole && period.measured) check_period(period);
}

/// Whether there is a row a link, or none where nothing was measured.
bool LinkAudit::read_rows(const PeriodRecord& period) {
    Index rows = 0;
    while (table_->next_of(period.number)) {
        const Index link = table_->index(kLink, folder_.links.size(), "link");
        if (link != rows) table_->refuse(kLink, "out of order", std::to_string(rows));
        ++rows;
        load_[link] = table_->number(kLoad);
        time_[link] = table_->number(kTime);
        utilisation_[link] = table_->number(kUtilisation);
        cost_[link] = table_->number_or_none(kCost);
        const Real capacity = table_->number(kCapacity);
        const auto where = [&] { return period.name() + ", link " + folder_.links[link].name; };
        checks_.compare(Check::capacities, capacity, capacity_[link], 0, where);
        checks_.compare(Check::utilisation, utilisation_[link], capacity > 0 ? load_[link] / capacity : 0, 0,
                        where);
        if (by_time_) checks_.compare(Check::link_costs, cost_[link], load_[link] * time_[link], 0, where);
        check_time(period, link, capacity);
    }
    return rows == (period.measured ? folder_.links.size() : 0);
}

/// Costs of links are not in the files; that times never fall with the load is known of all of them.
void LinkAudit::check_time(const PeriodRecord& period, Index link, Real capacity) {
    Sightings& seen = seen_[link];
    const Point now{load_[link], time_[link]};
    if (seen.capacity != capacity) {
        seen = {capacity, now, now, now};
        return;
    }
    for (const Point& other : {seen.least, seen.most, seen.last}) {
        const Real rise = now.load > other.load   ? other.time - now.time
                          : now.load < other.load ? now.time - other.time
                                                  : std::abs(now.time - other.time);
        checks_.deviate(Check::times, rise > 0 ? rise / std::max(now.time, other.time) : 0,
                        [&] { return period.name() + ", link " + folder_.links[link].name; });
    }
    if (now.load < seen.least.load) seen.least = now;
    if (now.load > seen.most.load) seen.most = now;
    seen.last = now;
}

void LinkAudit::check_period(const PeriodRecord& period) {
    Real time = 0;
    Real cost = 0;
    Real overload = 0;
    Real sum = 0;
    Index overloaded = 0;
    std::vector<Real> sorted;
    for (Index link = 0; link < load_.size(); ++link) {
        time += load_[link] * time_[link];
        cost += cost_[link];
        if (capacity_[link] == 0) continue;
        sorted.push_back(utilisation_[link]);
        sum += utilisation_[link];
        if (load_[link] <= capacity_[link]) continue;
        ++overloaded;
        overload += load_[link] - capacity_[link];
    }
    const PeriodFigures& figures = period.figures;
    const auto where = [&](const char* column) {
        return [&period, column] { return period.name() + ", " + column; };
    };
    checks_.compare(Check::period_time, figures.time, time, 0, where("time"));
    if (!std::isnan(cost)) {
        checks_.compare(Check::cost, figures.cost, cost + period.prices, 0, where("cost"));
    }
    checks_.compare(Check::period_overload, static_cast<Real>(figures.overloaded),
                    static_cast<Real>(overloaded), 0, where("overloaded"));
    checks_.compare(Check::period_overload, figures.overload, overload, 0, where("overload"));
    if (sorted.empty()) return;
    std::sort(sorted.begin(), sorted.end());
    const auto quantile = [&](Real share) {
        return sorted[static_cast<Index>(std::ceil(share * static_cast<Real>(sorted.size()))) - 1];
    };
    const auto check = [&](Real found, Real expected, const char* column) {
        checks_.compare(Check::period_utilisation, found, expected, 0, where(column));
    };
    check(figures.utilisation_max, sorted.back(), "utilisation_max");
    check(figures.utilisation_p95, quantile(0.95), "utilisation_p95");
    check(figures.utilisation_median, quantile(0.5), "utilisation_median");
    check(figures.utilisation_mean, sum / static_cast<Real>(sorted.size()), "utilisation_mean");
}

bool LinkAudit::has_more(Index last_period) {
    return table_ && (table_->next_of(last_period + 1) || table_->holds_row());
}

}  // namespace proxstream
