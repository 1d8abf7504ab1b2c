#include "route/report_series.hpp"

#include "proxstream/core/linalg.hpp"

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

void ReportSeries::add(const PeriodRow& row, ConstView utilisation, Real regret, Real regret_bound) {
    const auto known = [&](Real value) { return row.measured ? value : kNotKnown; };
    const PeriodFigures& figures = row.figures;
    labels_.push_back(row.label);
    lead_.demand.push_back(known(figures.demand));
    lead_.cost.push_back(known(figures.cost));
    lead_.utilisation_max.push_back(known(figures.utilisation_max));
    lead_.utilisation_p95.push_back(known(figures.utilisation_p95));
    lead_.utilisation_median.push_back(known(figures.utilisation_median));
    lead_.utilisation_mean.push_back(known(figures.utilisation_mean));
    lead_.churn.push_back(known(figures.churn));
    lead_.entry_residual.push_back(row.entry_residual);
    lead_.tolerance.push_back(row.tolerance);
    lead_.regret.push_back(regret);
    lead_.regret_bound.push_back(regret_bound);
    lead_.steps.push_back(static_cast<Real>(row.steps));
    lead_.seconds.push_back(row.seconds);
    unserved_ += figures.unserved;
    overload_ += figures.overload;
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

void ReportSeries::exchange(Checkpoint& checkpoint) {
    Index count = labels_.size();
    checkpoint.exchange("periods", count, std::uint64_t{1} << 40U);
    if (checkpoint.reading()) labels_.assign(count, {});
    for (std::string& label : labels_) checkpoint.exchange("label", label);
    for (std::vector<Real>* series :
         {&lead_.demand, &lead_.cost, &lead_.utilisation_max, &lead_.utilisation_p95,
          &lead_.utilisation_median, &lead_.utilisation_mean, &lead_.churn, &lead_.entry_residual,
          &lead_.tolerance, &lead_.regret, &lead_.regret_bound, &lead_.steps, &lead_.seconds}) {
        checkpoint.list("series", *series);
        checkpoint.require(series->size() == count, "a number a period");
    }
    checkpoint.part("frames", frames_);
    Index happened = events_.size();
    checkpoint.exchange("events", happened, std::uint64_t{1} << 32U);
    if (checkpoint.reading()) events_.assign(happened, {});
    for (ReportEvent& event : events_) {
        checkpoint.exchange("period", event.period);
        checkpoint.exchange("text", event.text);
        Index link = event.link.value_or(0);
        Real capacity = event.capacity.value_or(0);
        checkpoint.exchange("link", link);
        checkpoint.exchange("capacity", capacity);
        event.link = link;
        event.capacity = capacity;
    }
    checkpoint.exchange("unserved", unserved_);
    checkpoint.exchange("overload", overload_);
}

ReportData ReportSeries::report(const ReportFacts& facts) const {
    ReportData data;
    data.title = facts.scenario.title;
    data.version = facts.version;
    data.command = facts.command;
    const RouteSettings defaults;
    for (const auto& row : route_options()) {
        const std::string value = present(row, facts.settings);
        data.settings.push_back({std::string(row.name), value, value == present(row, defaults)});
    }
    data.demand_unit = facts.scenario.demand_unit;
    data.cost_unit = facts.scenario.cost_unit;
    data.network = report_network(*facts.scenario.network);
    for (LinkIndex link = 0; link < data.network.links.size(); ++link) {
        // As it is in this run: --peak may have scaled it.
        data.network.links[link].capacity = facts.scenario.routing->costs.file_capacity(link);
    }
    data.minutes = facts.scenario.minutes;
    data.events = events_;
    // Events after the last period have nothing to be shown at.
    std::erase_if(data.events, [&](const ReportEvent& event) { return event.period >= labels_.size(); });
    for (Index i = 0; i < facts.methods.size(); ++i) {
        const MethodRow& row = facts.methods[i];
        data.methods.push_back({.name = row.name,
                                .label = row.label,
                                .total_cost = row.total_cost,
                                .ratio = row.ratio,
                                .churn = row.churn,
                                .overload_share = row.overload_share,
                                .utilisation_max = row.utilisation_max,
                                .utilisation_p95 = row.utilisation_p95,
                                .gradients_per_period = row.gradients,
                                .seconds = row.seconds,
                                .is_lead = row.lead,
                                .is_floor = row.floor,
                                .cost = row.lead ? lead_.cost : facts.rival_costs[i - 1]});
        // Before the first demand all methods have the same splits, and pay the same.
        auto& cost = data.methods.back().cost;
        const auto missing = static_cast<std::ptrdiff_t>(labels_.size() - cost.size());
        if (missing > 0) cost.insert(cost.begin(), lead_.cost.begin(), lead_.cost.begin() + missing);
    }
    for (const Alarm& alarm : facts.alarms) {
        std::optional<Index> cleared;
        if (alarm.cleared) cleared = *alarm.cleared - 1;
        data.alarms.push_back(
            {alarm.period - 1, cleared, std::string(name(alarm.kind)), alarm.subject, alarm.text});
    }
    data.conclusion = epochs_conclusion(facts.certificates);
    for (const Inequality& each : combine(facts.certificates)) {
        data.claims.push_back({each.id, each.statement, std::string(name(each.verdict)), each.left,
                               each.right, each.explanation});
    }
    const MethodRow& lead = facts.methods.front();
    const auto kpi = [&](std::string what, std::string value, std::string help) {
        data.kpis.push_back({std::move(what), std::move(value), std::move(help)});
    };
    if (!std::isnan(lead.ratio))
        kpi("Cost above the floor", fmt::format("{:+.2f} %", 100 * (lead.ratio - 1)),
            "total realised cost against splits chosen with the demand known beforehand");
    kpi("Largest utilisation", fmt::format("{:.0f} %", 100 * lead.utilisation_max),
        "of any link in any period");
    kpi("Overloaded", fmt::format("{:.2f} %", 100 * lead.overload_share), "of link-periods above capacity");
    kpi("Churn", fmt::format("{:.2f} %", 100 * lead.churn),
        "of the traffic changes its path from period to period");
    kpi("Unserved", fmt::format("{:.4g}", unserved_), "demand without a path, or on slack");
    kpi("Inner steps", fmt::format("{:.2f}", mean_of(lead_.steps)), "a period, in the mean");
    kpi("Decision", fmt::format("{:.1f} ms", 1e3 * mean_of(lead_.seconds)),
        fmt::format("in the mean; the longest took {:.1f} ms", 1e3 * largest_of(lead_.seconds)));
    Real cost = 0;
    for (const Real each : lead_.cost) cost += std::isnan(each) ? 0 : each;
    data.sums.push_back({"cost of the lead over all periods", lead.total_cost, cost});
    data.labels = labels_;
    data.lead = lead_;
    data.frames = frames_;
    return data;
}

}  // namespace proxstream
