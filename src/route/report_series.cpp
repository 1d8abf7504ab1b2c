#include "route/report_series.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/serialise_each.hpp"
#include "route/epochs.hpp"
#include "route/report_layout.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

std::string event_text(const NetworkEvent& event, const Network& network) {
    const std::string link = network.link_name(event.link);
    std::string what;
    switch (event.kind) {
        case NetworkEvent::Kind::capacity:
            what = event.factor == 1
                       ? fmt::format("{} has its whole capacity again", link)
                       : fmt::format("{} has {:.0f} % of its capacity", link, 100 * event.factor);
            break;
        case NetworkEvent::Kind::close:
            what = link + " is closed";
            break;
        case NetworkEvent::Kind::open:
            what = link + " is open again";
            break;
    }
    return event.text.empty() ? what : what + ": " + event.text;
}

Real mean_of(const std::vector<Real>& values) {
    Real total = 0;
    Index count = 0;
    for (const Real value : values) {
        if (std::isnan(value)) continue;
        total += value;
        ++count;
    }
    return count > 0 ? total / static_cast<Real>(count) : 0;
}

Real largest_of(const std::vector<Real>& values) {
    Real most = 0;
    for (const Real value : values)
        if (value > most) most = value;
    return most;
}

}  // namespace

ReportSeries::ReportSeries() {
    for (const auto& column : period_columns())
        if (column.reported) primary_.try_emplace(std::string(column.name));
    primary_["regret"];
    primary_["regret_bound"];
}

void ReportSeries::add(const PeriodRow& row, ConstView utilisation, Real regret, Real regret_bound) {
    labels_.push_back(row.label);
    for (const auto& column : period_columns())
        if (column.reported) primary_[std::string(column.name)].push_back(column.read(row));
    primary_["regret"].push_back(regret);
    primary_["regret_bound"].push_back(regret_bound);
    frames_.add(utilisation);
}

void ReportSeries::note_events(Index period, std::span<const NetworkEvent> events, const Network& network,
                               const Routing& routing) {
    for (const NetworkEvent& event : events) {
        const bool closed = routing.closed[event.link] != 0;
        events_.push_back({period, event_text(event, network), event.link,
                           closed ? 0 : routing.costs.capacity(event.link)});
    }
}

void ReportSeries::serialise(StateArchive& archive) {
    serialise_each(archive, "periods", labels_, [&](std::string& label) { archive.field("label", label); });
    for (auto& [name, series] : primary_) {
        archive.list(name, series);
        archive.require(series.size() == labels_.size(), "a number a period");
    }
    archive.section("frames", frames_);
    serialise_each(archive, "events", events_, [&](ReportEvent& event) {
        archive.fields(Field{"period", event.period}, Field{"text", event.text});
        Index link = event.link.value_or(0);
        Real capacity = event.capacity.value_or(0);
        archive.fields(Field{"link", link}, Field{"capacity", capacity});
        event.link = link;
        event.capacity = capacity;
    });
}

ReportData ReportSeries::report(const ReportFacts& facts) const {
    ReportData data;
    data.title = facts.scenario.title;
    data.version = facts.version;
    data.command = facts.command;
    const RouteSettings defaults;
    for (const auto& row : RouteSettings::options()) {
        const std::string value = present(row, facts.settings);
        data.settings.push_back({std::string(row.name), value, value == present(row, defaults)});
    }
    data.demand_unit = facts.scenario.demand_unit;
    data.cost_unit = facts.scenario.cost_unit;
    data.network = drawn_network(*facts.scenario.network);
    const ConstView capacity = facts.scenario.routing->costs.file_capacities();
    data.capacity.assign(capacity.begin(), capacity.end());
    data.minutes = facts.scenario.minutes;
    data.events = events_;
    // Events after the last period have no period to be shown at.
    std::erase_if(data.events, [&](const ReportEvent& event) { return event.period >= labels_.size(); });
    const std::vector<Real>& costs = primary_.at("cost");
    for (Index i = 0; i < facts.methods.size(); ++i) {
        const MethodRow& row = facts.methods[i];
        data.methods.push_back({row, row.primary ? costs : facts.rival_costs[i - 1]});
        // Before the first demand all methods have the same splits and the same cost.
        auto& cost = data.methods.back().cost;
        const auto missing = static_cast<std::ptrdiff_t>(labels_.size() - cost.size());
        if (missing > 0) cost.insert(cost.begin(), costs.begin(), costs.begin() + missing);
    }
    data.alarms = facts.alarms;
    data.conclusion = epochs_conclusion(facts.certificates);
    data.claims = combine(facts.certificates);
    const MethodRow& primary = facts.methods.front();
    const auto kpi = [&](std::string what, std::string value, std::string help) {
        data.kpis.push_back({std::move(what), std::move(value), std::move(help)});
    };
    if (!std::isnan(primary.ratio))
        kpi("Cost above the lower bound", fmt::format("{:+.2f} %", 100 * (primary.ratio - 1)),
            "total realised cost against splits chosen with the demand known beforehand");
    kpi("Largest utilisation", fmt::format("{:.0f} %", 100 * primary.utilisation_max),
        "of any link in any period");
    kpi("Overloaded", fmt::format("{:.2f} %", 100 * primary.overload_share),
        "of link-periods above capacity");
    kpi("Churn", fmt::format("{:.2f} %", 100 * primary.churn),
        "of the traffic changes its path from period to period");
    kpi("Unserved", fmt::format("{:.4g}", primary.unserved), "demand without a path, or on slack");
    kpi("Inner steps", fmt::format("{:.2f}", mean_of(primary_.at("steps"))), "a period, in the mean");
    kpi("Decision", fmt::format("{:.1f} ms", 1e3 * mean_of(primary_.at("seconds"))),
        fmt::format("in the mean; the longest took {:.1f} ms", 1e3 * largest_of(primary_.at("seconds"))));
    Real cost = 0;
    for (const Real each : costs) cost += std::isnan(each) ? 0 : each;
    data.sums.push_back({"cost of the primary method over all periods", primary.total_cost, cost});
    data.labels = labels_;
    data.primary = primary_;
    data.frames = frames_;
    return data;
}

}  // namespace proxstream
