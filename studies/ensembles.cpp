/// The cost of an unknown window.
#include "studies/plans.hpp"
#include "studies/row_streams.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Steps of a round for every method: windows are most efficient at about one pass a round.
constexpr Index kMemberSteps = 4;
constexpr StudyFigure kExcess{"excess_percent", "excess over the best fixed window, %", Better::lower};
constexpr const char* kFixed = "fixed window";
constexpr const char* kSelections[] = {"draw", "hedge", "leader", "mean"};

/// Loss above the best fixed window of the same run.
void add_excess(Cell& cell) {
    const auto is_loss = [](const Measurement& row) { return row.figure == kLoss.key; };
    const std::vector<Measurement> all = cell.results;
    Real best = kInfinity;
    for (const Measurement& row : all)
        if (is_loss(row) && row.method.starts_with("fixed ")) best = std::min(best, row.value);
    for (const Measurement& row : all)
        if (is_loss(row)) cell.add(row.method, kExcess, 100 * (row.value / best - 1));
}

std::vector<RowMethod> ensemble_methods(bool full) {
    std::vector<RowMethod> methods;
    std::string windows;
    for (const Index window : full ? std::vector<Index>{1, 4, 16, 64, 256} : std::vector<Index>{4, 16, 64}) {
        const auto length = static_cast<Real>(window);
        methods.push_back({{fmt::format("fixed {}", window), fmt::format("time-smoothed:window={}", window),
                            kFixed, length},
                           length});
        windows += fmt::format("{}{}", windows.empty() ? "" : "/", window);
    }
    const auto add = [&](const std::string& name, const std::string& learner) {
        methods.push_back({{name, learner}});
    };
    for (const char* cross : {"yes", "no"}) {
        for (const char* selection : kSelections) {
            add(fmt::format("{}{}", selection, *cross == 'y' ? "" : ", no cross-start"),
                fmt::format("ensemble:windows={},also=none,selection={},cross={}", windows, selection,
                            cross));
        }
    }
    add("ensemble with adagrad", "ensemble:windows=" + windows);
    add("adagrad 0.1", "adagrad:0.1");
    add("adagrad 1", "adagrad:1");
    return methods;
}

}  // namespace

StudyPlan plan_ensembles(StudyPreset preset) {
    const std::vector<RowMethod> methods = ensemble_methods(preset == StudyPreset::full);
    std::vector<RowPlan> rows = basic_rows(preset, kMemberSteps);
    rows.push_back(
        {"drift and jumps", "drift,active=4,jump=400,period=1500", rows.front().rows, kMemberSteps});
    rows.push_back({"season", "season,active=4,period=200", rows.front().rows, kMemberSteps});
    StudyPlan plan;
    plan.question = fmt::format(
        "What does it cost not to know the window? An ensemble of windows that selects by realised loss, "
        "with and without cross-start and\nfor each selection rule, against each of its windows alone. "
        "Excess: loss above that of the window that did best on the same run,\nwhich is known in hindsight "
        "only. Every method may take {} inner steps a round.",
        kMemberSteps);
    plan.figures = {kLoss, kExcess, kGradients, kRegretOne};
    for (const RowPlan& each : rows) {
        StudyStream stream = row_stream(each, methods, {"window w", Scale::log2});
        stream.run = [compare = stream.run](Cell& cell) {
            compare(cell);
            add_excess(cell);
        };
        plan.streams.push_back(std::move(stream));
    }
    const std::vector<std::string> selections(std::begin(kSelections), std::end(kSelections));
    plan.charts = {{.file = "loss.svg",
                    .title = "Ensembles against every fixed window",
                    .y = {"realised loss", Scale::log},
                    .figures = {{kLoss}},
                    .lines = {kFixed, "draw", "draw, no cross-start"}},
                   {.file = "excess.svg",
                    .title = "Loss above the best fixed window in hindsight",
                    .y = {"excess, per cent"},
                    .figures = {{kExcess}},
                    .panels = ChartPlan::Panels::one,
                    .lines = selections},
                   {.file = "gradients.svg",
                    .title = "What an ensemble costs, by selection rule",
                    .y = {"record gradients a round"},
                    .figures = {{kGradients}},
                    .panels = ChartPlan::Panels::one,
                    .lines = selections}};
    return plan;
}

}  // namespace proxstream
