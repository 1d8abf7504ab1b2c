#include "study/route_cells.hpp"

#include "route/route_run.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

void measure(const RouteStream& stream, const std::vector<RouteMethod>& methods, std::uint64_t seed,
             const RouteOutcome& outcome, CellResult& result) {
    Real rival = kNotKnown;
    for (const MethodRow& row : outcome.methods)
        if (row.name == "re-solve-last") rival = row.total_cost;
    for (const MethodRow& row : outcome.methods) {
        std::string method = "clairvoyant";
        for (Index i = 0; i < methods.size(); ++i) {
            if (row.lead ? i == 0 : methods[i].second == row.name) method = methods[i].first;
        }
        const auto add = [&](const char* figure, Real value) {
            result.measurements.push_back({stream.name, method, figure, seed, value});
        };
        add(kCost, row.ratio);
        if (rival > 0) add(kAgainst, row.total_cost / rival);
        add(kChurn, 100 * row.churn);
        add(kBusiest, row.utilisation_max);
        add(kBusy, row.utilisation_p95);
        add(kOverload, 100 * row.overload_share);
        add(kRouteGradients, row.gradients);
        add(kDecision, 1e3 * row.seconds / static_cast<Real>(std::max<Index>(outcome.periods, 1)));
    }
}

}  // namespace

StudyCell route_cell(const RouteStream& stream, const std::vector<RouteMethod>& methods, std::uint64_t seed) {
    RouteSettings settings = stream.settings;
    settings.seed = seed;
    settings.learner = methods.front().second;
    settings.rivals.clear();
    for (Index i = 1; i < methods.size(); ++i) settings.rivals += (i > 1 ? ";" : "") + methods[i].second;
    settings.compare = methods.size() > 1;
    StudyCell cell;
    cell.name = methods.size() > 1 ? stream.name : stream.name + ", " + methods.front().first;
    cell.run = [=](StopFlag stop, const std::function<void(Real)>& on_share) {
        CellResult result;
        RouteRun run(settings, stop, "", "");
        const Real expected = settings.periods > 0 ? static_cast<Real>(settings.periods) : 2000;
        const RouteOutcome outcome = run.run([&](const RouteProgress& progress) {
            on_share(std::min<Real>(1, static_cast<Real>(progress.periods) / expected));
        });
        result.interrupted = outcome.ending == RunEnding::interrupted;
        for (const std::string& problem : outcome.problems) result.notes.push_back(problem);
        if (!sound(outcome.certificates))
            result.notes.push_back(stream.name + ": " + epochs_conclusion(outcome.certificates));
        measure(stream, methods, seed, outcome, result);
        return result;
    };
    return cell;
}

std::vector<StudyFigure> route_figures() {
    return {{kCost, "cost / clairvoyant"},
            {kAgainst, "cost / re-solve last"},
            {kChurn, "churn, %"},
            {kBusiest, "largest utilisation"},
            {kBusy, "p95 of the busiest link"},
            {kOverload, "overloaded link-periods, %"},
            {kRouteGradients, "gradients a period"},
            {kDecision, "ms a period"}};
}

std::string route_command(const RouteStream& stream) {
    std::string command = "proxstream route " + stream.settings.network;
    const RouteSettings defaults;
    for (const auto& row : route_options()) {
        const std::string value = present(row, stream.settings);
        if (row.name == "network" || value == present(row, defaults)) continue;
        command += fmt::format(" --{} {}", row.name, value);
    }
    return command;
}

std::vector<RouteStream> built_in_route_streams(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    RouteSettings city;
    city.network = full ? "builtin:ring" : "builtin:ring:rings=3,spokes=6,zones=8";
    city.cost = "davidson";
    city.periods = full ? 480 : 96;
    RouteSettings mesh;
    mesh.network = full ? "builtin:mesh" : "builtin:mesh:pods=5";
    mesh.objective = "delay";
    mesh.cost = "queue:cap=0.9";
    mesh.periods = full ? 2000 : 150;
    const auto with = [](RouteSettings settings, const char* demand) {
        settings.demand = demand;
        return settings;
    };
    return {{"city, bursty", with(city, "week:days=5,peak=0.7,burst=0.6,memory=0")},
            {"city, calm", with(city, "week:days=5,burst=0.3,memory=0.7")},
            {"data centre", with(mesh, "bursts")}};
}

}  // namespace proxstream
