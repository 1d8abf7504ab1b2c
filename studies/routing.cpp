/// Windows of losses against re-solving, on networks.
#include "studies/plans.hpp"
#include "studies/route_streams.hpp"

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kAutomatic = "automatic window";
constexpr const char* kWindows = "windows 1 to 256";

std::vector<Method> methods() {
    std::vector<Method> all{{kAutomatic, "time-smoothed"}};
    for (const int w : {1, 4, 16, 64, 256}) all.push_back(fixed_window(static_cast<Index>(w), kWindows));
    all.insert(all.end(), {{"AdaGrad, replay 16", "adagrad:step=0.1,replay=16"},
                           {kReSolve, "re-solve-last"},
                           {"re-solve mean of 16", "re-solve-mean:window=16"},
                           {"re-solve mean of 64", "re-solve-mean:window=64"},
                           {"static mean, hindsight", "static"},
                           {"shortest paths", "shortest"}});
    return all;
}

/// A week on a backbone, if its files are there. The demand is fixed: seeds affect only the draws of methods.
std::vector<RoutePlan> backbone(StudyPreset preset) {
    const std::filesystem::path folder = data_folder() / "tm" / "abilene";
    if (!std::filesystem::exists(folder / "AbileneTM")) return {};
    RouteSettings delay;
    delay.network = (folder / "Abilene").string();
    delay.demand = (folder / "AbileneTM").string();
    delay.peak = 0.9;
    delay.periods = preset == StudyPreset::full ? 2016 : 100;
    RouteSettings bpr = delay;
    delay.objective = "delay";
    bpr.cost = "bpr:b=0.15,power=4";
    return {{"Abilene, delay", delay}, {"Abilene, BPR", bpr}};
}

}  // namespace

StudyPlan plan_routing(StudyPreset preset) {
    StudyPlan plan;
    plan.question =
        "When does a window of losses beat re-solving the last demand, or the mean of the last ones? Splits "
        "are chosen before each\nperiod's demand is seen. Cost is relative to the optimum for each demand, "
        "known beforehand, over the same paths. No method is\ntuned; the static splits know the mean demand "
        "in hindsight.";
    plan.figures = {kCost,
                    kAgainst,
                    kChurn,
                    {"utilisation_max", "largest utilisation", Better::lower},
                    {"utilisation_p95", "p95 of the busiest link", Better::lower},
                    {"overload_percent", "overloaded link-periods, %", Better::lower},
                    {"gradients", "gradients a period", Better::lower},
                    kMicroseconds};
    std::vector<RoutePlan> routes = backbone(preset);
    for (const RoutePlan& route : built_in_routes(preset)) routes.push_back(route);
    for (const RoutePlan& route : routes) {
        plan.streams.push_back(route_stream(route, methods()));
        // The clairvoyant has the least cost, up to the gap of its solution.
        for (const Method& method : methods())
            plan.expectations.push_back(
                {.stream = route.name, .line = method.name, .figure = kCost, .low = 0.999});
        // In the city seeds differ by more than methods, and the ensemble pays for its draws
        // (docs/routing.md).
        const bool city = route.name.starts_with("city");
        for (const int w : {1, 4, 16, 64, 256}) {
            if (preset == StudyPreset::full && !city)
                plan.expectations.push_back({.stream = route.name,
                                             .line = kAutomatic,
                                             .figure = kCost,
                                             .high = 1.03,
                                             .over = fmt::format("window {}", w)});
        }
    }
    plan.subtitle = "total cost over the clairvoyant's; share of the demand that changes its path";
    plan.charts = {{.file = "cost_churn.svg",
                    .title = "Cost against churn",
                    .y = {"cost / clairvoyant", Scale::log},
                    .figures = {{kCost}},
                    .x_figure = kChurn,
                    .x = {"churn, % a period", Scale::log},
                    .lines = {kWindows, kAutomatic, "AdaGrad, replay 16", kReSolve, "re-solve mean of 16",
                              "re-solve mean of 64"}}};
    return plan;
}

}  // namespace proxstream
