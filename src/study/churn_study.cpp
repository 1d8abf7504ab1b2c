#include "proxstream/core/spec.hpp"

#include "study/plans.hpp"
#include "study/stream_study.hpp"

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kChurnWindow = 16;

/// One knob turned through its values, the others as they are.
struct ChurnSweep {
    const char* name;
    std::vector<StudyMethod> methods;
};

std::vector<Real> values(StudyPreset preset, std::vector<Real> all) {
    if (preset == StudyPreset::full) return all;
    return {all.front(), all[all.size() / 2], all.back()};
}

StudyMethod method(const char* sweep, Real value, const std::string& options) {
    return {fmt::format("{} {}", sweep, format_short(value)),
            fmt::format("time-smoothed:window={},{}", kChurnWindow, options),
            static_cast<Real>(kChurnWindow)};
}

std::vector<ChurnSweep> sweeps(StudyPreset preset) {
    const auto sweep = [&](const char* name, const char* options, std::vector<Real> all) {
        ChurnSweep result{name, {}};
        for (const Real value : values(preset, std::move(all))) {
            result.methods.push_back(method(name, value, options + format_short(value)));
        }
        return result;
    };
    return {sweep("delta", "tolerance=", {0.125, 0.25, 0.5, 1, 2, 4}),
            sweep("theta 0.5; delta", "hysteresis=0.5,tolerance=", {0.25, 0.5, 1, 2, 4}),
            sweep("delta 0.5; theta", "tolerance=0.5,hysteresis=", {0.9, 0.7, 0.5, 0.3, 0.1}),
            sweep("delta 0.5; kappa", "tolerance=0.5,switching=", {0.125, 0.25, 0.5, 1, 2, 4})};
}

StreamStudy configure_churn(StudyPreset preset, Index seeds) {
    StreamStudy study;
    study.streams = {{"i.i.d.", "iid,active=4"},
                     {"drift", "drift,active=4,jump=1000000000,period=600"},
                     {"switches", "switch,active=4,jump=150"}};
    study.rows = preset == StudyPreset::full ? 3000 : 400;
    study.seeds = seeds;
    for (const ChurnSweep& sweep : sweeps(preset)) {
        study.methods.insert(study.methods.end(), sweep.methods.begin(), sweep.methods.end());
    }
    return study;
}

/// A figure against the regret it is paid with, a line a knob.
Chart trade(const StreamStudy& study, const ResultTable& table, StudyPreset preset, const char* figure,
            const char* title, const Axis& y) {
    return chart_by_stream(
        study, title, {"regret w^2 Reg / T", Scale::log}, y, [&](const std::string& stream) {
            std::vector<ChartSeries> lines;
            for (const ChurnSweep& sweep : sweeps(preset)) {
                ChartSeries& line = lines.emplace_back();
                line.name = sweep.name;
                for (const StudyMethod& method : sweep.methods) {
                    line.points.push_back(point_of(table, stream, method.name, kScaledRegret, figure));
                }
            }
            return lines;
        });
}

}  // namespace

StudyPlan plan_churn(StudyPreset preset, Index seeds) {
    const StreamStudy study = configure_churn(preset, seeds);
    StudyPlan plan;
    plan.question = fmt::format(
        "Moving less: by a looser exit test (delta), by solving deeper once a round is active (hysteresis "
        "theta), or by an l1 penalty\non changes (switching kappa). Every knob pays in regret; what does it "
        "buy in movement, changed coordinates, active rounds\nand steps? Window {}; movement and changes are "
        "means over all rounds.",
        kChurnWindow);
    plan.figures = {{kScaledRegret, "w^2 Reg/T"},     {kLoss, "loss"},
                    {kMovement, "movement"},          {kChanged, "coordinates changed"},
                    {kActive, "active rounds, %"},    {kSteps, "steps a round"},
                    {kGradients, "gradients a round"}};
    plan.layout = TableLayout::by_stream;
    plan.cells = stream_cells(study);
    plan.glossary = stream_glossary(study);
    plan.charts = [study, preset](const ResultTable& table) {
        return std::vector<NamedChart>{
            {"movement.svg", trade(study, table, preset, kMovement, "Movement bought with regret",
                                   {"movement a round", Scale::log})},
            {"changed.svg", trade(study, table, preset, kChanged, "Changed coordinates bought with regret",
                                  {"coordinates changed a round", Scale::log})},
            {"active.svg", trade(study, table, preset, kActive, "Active rounds bought with regret",
                                 {"active rounds, per cent"})},
            {"steps.svg",
             trade(study, table, preset, kSteps, "Steps against regret", {"steps a round", Scale::log})}};
    };
    return plan;
}

}  // namespace proxstream
