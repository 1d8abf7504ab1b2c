/// A report that looks like one of a run: a ring-radial town over five days, two rush hours, two incidents.
/// Every number is a formula, so that the browser test can know it too.
#pragma once

#include "route/report_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace proxstream::testing {

inline constexpr Index kRings = 4;
inline constexpr Index kSpokes = 12;
inline constexpr Index kFixturePeriods = 480;  // five days of 15 minutes

inline Network town() {
    Network network;
    network.set_place(network.node("centre"), {0, 0});
    for (Index ring = 1; ring <= kRings; ++ring) {
        for (Index spoke = 0; spoke < kSpokes; ++spoke) {
            const Real angle = 2 * std::numbers::pi * static_cast<Real>(spoke) / kSpokes;
            const Real radius =
                static_cast<Real>(ring) + 0.15 * std::sin(3 * angle + static_cast<Real>(ring));
            const std::string name = "r" + std::to_string(ring) + "s" + std::to_string(spoke + 1);
            network.set_place(network.node(name), {1.3 * radius * std::cos(angle), radius * std::sin(angle)});
        }
    }
    const auto node = [](Index ring, Index spoke) {
        return static_cast<NodeIndex>(ring == 0 ? 0 : 1 + (ring - 1) * kSpokes + spoke % kSpokes);
    };
    const auto road = [&](NodeIndex a, NodeIndex b, Real capacity) {
        network.add_link({.from = a, .to = b, .capacity = capacity});
        network.add_link({.from = b, .to = a, .capacity = capacity});
    };
    for (Index spoke = 0; spoke < kSpokes; ++spoke) {
        for (Index ring = 1; ring <= kRings; ++ring) {
            road(node(ring - 1, spoke), node(ring, spoke), spoke % 3 == 0 ? 3600 : 1800);
            road(node(ring, spoke), node(ring, spoke + 1), ring == 2 ? 4800 : 1200);
        }
    }
    return network;
}

/// Demand over the day, 0 to 1: a low night, rush hours at 8 and at 17:30.
inline Real rush(Index period) {
    const Real hour = static_cast<Real>(period % 96) / 4;
    const auto bump = [&](Real centre, Real width) {
        return std::exp(-std::pow((hour - centre) / width, 2));
    };
    return 0.12 + 0.30 * bump(13, 5) + 0.55 * bump(8, 1.3) + 0.60 * bump(17.5, 1.8);
}

inline Real utilisation(const Network& network, Index link, Index period) {
    const auto from_centre = [&](NodeIndex node) {
        return std::hypot(network.place(node)->x, network.place(node)->y);
    };
    const Link& road = network.link(static_cast<LinkIndex>(link));
    const Real inward = from_centre(road.from) > from_centre(road.to) ? 1 : -1;
    const Real morning = static_cast<Real>(period % 96) < 50 ? 1 : -1;
    const Real own = 0.75 + 0.35 * std::sin(static_cast<Real>(7 * link % 31));
    return std::max<Real>(0, rush(period) * own * (1 + 0.22 * inward * morning) *
                                 (1 + 0.1 * std::sin(static_cast<Real>(period * (link + 3) % 97))));
}

/// "Mon 08:15"
inline std::string label_of(Index period) {
    constexpr std::array<const char*, 5> kDays{"Mon", "Tue", "Wed", "Thu", "Fri"};
    const auto two_digits = [](Index number) { return (number < 10 ? "0" : "") + std::to_string(number); };
    return std::string(kDays[period / 96]) + " " + two_digits(period % 96 / 4) + ":" +
           two_digits(15 * (period % 4));
}

inline void fill_lead(ReportData& data) {
    const Network& network = data.network;
    std::vector<Real> loads(network.links());
    Real regret = 0;
    Real bound = 0;
    for (Index t = 0; t < kFixturePeriods; ++t) {
        for (Index link = 0; link < loads.size(); ++link) loads[link] = utilisation(network, link, t);
        data.frames.add(loads);
        std::vector<Real> sorted = loads;
        std::sort(sorted.begin(), sorted.end());
        Real total = 0;
        for (const Real load : sorted) total += load;
        const Real wobble = 1 + 0.2 * std::sin(static_cast<Real>(t * t % 89));
        const auto put = [&](const char* name, Real value) { data.primary[name].push_back(value); };
        put("demand", 52'000 * rush(t) * (1 + 0.02 * std::sin(static_cast<Real>(t))));
        put("cost", 900 * rush(t) + 2600 * std::pow(rush(t), 4) * wobble);
        put("utilisation_max", sorted.back());
        put("utilisation_p95", sorted[sorted.size() * 95 / 100]);
        put("utilisation_median", sorted[sorted.size() / 2]);
        put("utilisation_mean", total / static_cast<Real>(sorted.size()));
        const bool quiet = rush(t) < 0.3;
        put("churn", quiet ? 0 : 0.03 * rush(t) * wobble);
        put("entry_gap", 0.02 * rush(t) * wobble);
        put("tolerance", 0.01);
        regret += std::pow(data.primary["entry_gap"].back(), 2);
        bound += 0.0011;
        put("regret", regret);
        put("regret_bound", bound);
        put("steps", quiet ? 0 : std::floor(1 + 6 * rush(t) * wobble));
        put("seconds", 2e-4 + 3e-4 * data.primary["steps"].back());
        data.labels.push_back(label_of(t));
    }
}

inline void fill_methods(ReportData& data) {
    const struct {
        const char* name;
        const char* label;
        Real factor;
        Real gradients;
    } rows[]{{"time-smoothed:window=8", "window 8", 1.021, 31},
             {"time-smoothed:window=1", "window 1", 1.055, 9},
             {"time-smoothed:window=32", "window 32", 1.033, 95},
             {"re-solve:last", "re-solve the last matrix", 1.062, 120},
             {"re-solve:mean=8", "re-solve the mean of 8", 1.047, 118},
             {"adagrad:replay", "AdaGrad with replay", 1.081, 31},
             {"static:mean", "static splits", 1.164, 0},
             {"shortest", "shortest paths", 1.512, 0},
             {"clairvoyant", "clairvoyant", 1, 0}};
    Real lower_bound = 0;
    for (Index t = 0; t < kFixturePeriods; ++t) lower_bound += data.primary["cost"][t] / rows[0].factor;
    for (const auto& [name, label, factor, gradients] : rows) {
        ReportMethod method;
        method.name = name;
        method.label = label;
        for (Index t = 0; t < kFixturePeriods; ++t) {
            // The further from the lower bound on the whole, the more so at the peaks.
            const Real here = 1 + (factor - 1) * (factor == rows[0].factor ? 1 : 0.4 + 1.1 * rush(t));
            method.cost.push_back(data.primary["cost"][t] / rows[0].factor * here);
            method.total_cost += method.cost.back();
        }
        method.ratio = method.total_cost / lower_bound;
        method.churn = factor == 1 ? std::numeric_limits<Real>::quiet_NaN() : 0.31 * (factor - 1);
        method.overload_share = std::max(0.0, 0.02 * (factor - 1.01));
        method.utilisation_max = 0.98 * factor;
        method.utilisation_p95 = 0.71 * factor;
        method.gradients = gradients;
        method.seconds = 0.4 + gradients / 60;
        method.primary = factor == rows[0].factor;
        method.lower_bound = factor == 1;
        data.methods.push_back(std::move(method));
    }
}

inline void fill_findings(ReportData& data) {
    const auto alarm = [&](Index period, std::optional<Index> cleared, AlarmKind kind,
                           const std::string& subject, const std::string& text) {
        data.alarms.push_back({.number = data.alarms.size() + 1,
                               .kind = kind,
                               .subject = subject,
                               .period = period + 1,
                               .cleared = cleared ? std::optional(*cleared + 1) : std::nullopt,
                               .text = text});
    };
    alarm(34, 37, AlarmKind::utilisation, data.network.link_name(10), "above 95 % of capacity for 3 periods");
    alarm(130, 139, AlarmKind::demand, "centre", "total 31 % above the same time of the days before");
    alarm(166, std::nullopt, AlarmKind::gap, "window", "rising for 6 periods");
    alarm(262, 264, AlarmKind::stale_feed, "", "no matrix; the last splits were held");
    alarm(453, 457, AlarmKind::utilisation, data.network.link_name(33),
          "above 95 % of capacity for 4 periods");
    data.events = {{128, "lorry on fire: closed", 10, 0},
                   {141, "open again", 10, data.capacity[10]},
                   {310, "road works: one lane", 33, 600},
                   {420, "the match begins", std::nullopt, std::nullopt}};
    data.conclusion =
        "In all 480 periods the splits were as near to stationary as promised, and the local regret is at "
        "most "
        "48 % of what the theory proves for this run.";
    const auto claim = [&](const char* id, const char* statement, Verdict verdict, Real left, Real right,
                           const char* explanation = "") {
        data.claims.push_back({.id = id,
                               .statement = statement,
                               .left = left,
                               .right = right,
                               .verdict = verdict,
                               .explanation = explanation});
    };
    claim("C1", "every round left its loop with a gap of at most the tolerance", Verdict::holds, 0.00998,
          0.01);
    claim("C3", "local regret is at most its corrected bound", Verdict::holds, data.primary["regret"].back(),
          data.primary["regret_bound"].back());
    claim("C7", "paths changed at most as often as the energy allows", Verdict::holds, 1204, 5120);
    claim("C10", "the estimates' noise stays below the level claimed", Verdict::not_applicable, 0, 0,
          "gradients are exact in this run");
    data.kpis = {{"Total cost", "312,480 veh-h", "2.1 % above the clairvoyant"},
                 {"Against static splits", "-12.3 %", "same demand, same network"},
                 {"Largest load", "100.3 %", "r2s4-r2s5, Thu 17:15"},
                 {"Overload", "0.02 %", "of links and periods"},
                 {"Churn", "0.65 %", "of the demand moved, a period"},
                 {"Time to decide", "1.1 ms", "median; 4.2 ms at most"}};
    Real cost = 0;
    for (const Real value : data.primary["cost"]) cost += value;
    data.sums = {{"Cost of the primary method over all periods", data.methods.front().total_cost, cost},
                 {"Demand carried by paths", 9'216'004.25, 9'216'004.25}};
    data.settings = {{"network", "builtin:city", false}, {"window", "8", false},
                     {"objective", "queueing", false},   {"tolerance", "0.01", true},
                     {"inner", "backtracking", true},    {"seed", "1", true}};
}

inline ReportData fixture_report() {
    ReportData data;
    data.title = "A town over a working week";
    data.version = "0.1.0";
    data.command =
        "proxstream route builtin:city --window 8 --objective queueing --report proxstream-report.html";
    data.demand_unit = "veh/h";
    data.cost_unit = "veh-h";
    data.minutes = 15;
    data.network = town();
    for (const Link& link : data.network.all_links()) data.capacity.push_back(link.capacity);
    fill_lead(data);
    fill_methods(data);
    fill_findings(data);
    return data;
}

}  // namespace proxstream::testing
