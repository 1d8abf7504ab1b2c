/// What does it cost to move less? On rows, and on a city's roads.
#include "proxstream/core/spec.hpp"

#include "studies/plans.hpp"
#include "studies/route_streams.hpp"
#include "studies/row_streams.hpp"

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kChurnWindow = 16;

/// One parameter with its values; a value completes the text.
struct Knob {
    const char* name;
    const char* options;
    std::vector<Real> values;
};

std::vector<Method> knob_methods(const std::vector<Knob>& knobs, StudyPreset preset) {
    std::vector<Method> all;
    for (const Knob& knob : knobs) {
        const std::vector<Real>& values = knob.values;
        const auto chosen = preset == StudyPreset::full
                                ? values
                                : std::vector<Real>{values.front(), values[values.size() / 2], values.back()};
        for (const Real value : chosen) {
            all.push_back(
                {fmt::format("{} {}", knob.name, format_short(value)),
                 fmt::format("time-smoothed:window={},{}{}", kChurnWindow, knob.options, format_short(value)),
                 knob.name, value});
        }
    }
    return all;
}

std::vector<StudyStream> row_streams(StudyPreset preset) {
    const std::vector<Knob> knobs{
        {"delta", "tolerance=", {0.125, 0.25, 0.5, 1, 2, 4}},
        {"theta 0.5; delta", "hysteresis=0.5,tolerance=", {0.25, 0.5, 1, 2, 4}},
        {"delta 0.5; theta", "tolerance=0.5,hysteresis=", {0.9, 0.7, 0.5, 0.3, 0.1}},
        {"delta 0.5; kappa", "tolerance=0.5,switching=", {0.125, 0.25, 0.5, 1, 2, 4}}};
    std::vector<RowMethod> row_methods;
    for (const Method& method : knob_methods(knobs, preset))
        row_methods.push_back({method, Real{kChurnWindow}});
    std::vector<RowPlan> rows = basic_rows(preset);
    rows.erase(rows.begin() + 1);
    rows[1] = {"drift", "drift,active=4,jump=1000000000,period=600", rows[1].rows};
    std::vector<StudyStream> streams;
    for (const RowPlan& each : rows) streams.push_back(row_stream(each, row_methods, {"value"}));
    return streams;
}

StudyStream city_stream(StudyPreset preset) {
    const std::vector<Knob> knobs{
        {"tolerance auto:", "tolerance=auto:", {0.25, 1, 4, 16, 64, 256}},
        {"tolerance auto:16, theta", "tolerance=auto:16,hysteresis=", {0.9, 0.5, 0.25, 0.1, 0.03}},
        {"kappa", "tolerance=auto:0.5,switching=", {0.1, 0.3, 1, 3, 10, 30}}};
    RoutePlan city = built_in_routes(preset).front();
    city.settings.window = std::to_string(kChurnWindow);
    std::vector<Method> all = knob_methods(knobs, preset);
    all.push_back({kReSolve, "re-solve-last"});
    return route_stream(city, all);
}

}  // namespace

StudyPlan plan_churn(StudyPreset preset) {
    StudyPlan plan;
    plan.question = fmt::format(
        "Moving less: by a looser exit test (delta), by solving deeper once a round is active (hysteresis "
        "theta), or by an l1 penalty\non changes (switching kappa). Every knob costs regret; what does it "
        "save in movement, changed coordinates, active rounds\nand steps? On a city's roads: what does each "
        "cost for a lower churn of traffic? Window {}; movement and changes are means\nover all rounds.",
        kChurnWindow);
    plan.figures = {kScaledRegret, {kLoss.key, "loss", Better::lower},
                    kMovement,     kChanged,
                    kActive,       {kSteps.key, "steps a round", Better::lower},
                    kCost,         kAgainst,
                    kChurn,        {kGradients.key, "gradients a round", Better::lower}};
    plan.streams = row_streams(preset);
    std::vector<std::string> rows;
    for (const StudyStream& stream : plan.streams) rows.push_back(stream.name);
    plan.streams.push_back(city_stream(preset));
    plan.subtitle = "window 16; each line turns one knob";
    const auto against_regret = [&](const char* file, const char* title, const std::string& figure,
                                    const Axis& y) {
        plan.charts.push_back({.file = file,
                               .title = title,
                               .y = y,
                               .figures = {{figure}},
                               .x_figure = kScaledRegret,
                               .x = {"regret w^2 Reg / T", Scale::log},
                               .streams = rows});
    };
    against_regret("movement.svg", "Movement against regret", kMovement, {"movement a round", Scale::log});
    against_regret("changed.svg", "Changed coordinates against regret", kChanged,
                   {"coordinates changed a round", Scale::log});
    against_regret("active.svg", "Active rounds against regret", kActive, {"active rounds, per cent"});
    against_regret("steps.svg", "Steps against regret", kSteps, {"steps a round", Scale::log});
    plan.charts.push_back({.file = "churn_cost.svg",
                           .title = "Churn against cost",
                           .y = {"cost / re-solve last, same seed"},
                           .figures = {{kAgainst}},
                           .x_figure = kChurn,
                           .x = {"churn, % of the demand a period", Scale::log},
                           .streams = {plan.streams.back().name}});
    return plan;
}

}  // namespace proxstream
