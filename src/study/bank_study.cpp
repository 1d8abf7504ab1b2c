#include "study/plans.hpp"
#include "study/stream_study.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// A budget for everybody: about one pass a round is where windows pay best.
constexpr Index kMemberSteps = 4;
constexpr const char* kExcess = "excess_percent";  // loss above the best fixed window of the same run

constexpr std::array<std::string_view, 4> kPlays{"draw", "hedge", "leader", "mean"};

std::vector<Index> bank_windows(StudyPreset preset) {
    return preset == StudyPreset::full ? std::vector<Index>{1, 4, 16, 64, 256}
                                       : std::vector<Index>{4, 16, 64};
}

std::string bank_name(Index window) {
    return fmt::format("fixed {}", window);
}

std::string bank_name(std::string_view play, bool cross) {
    return fmt::format("bank {}{}", play, cross ? "" : " (no cross-start)");
}

/// How much worse than the best fixed window, which only hindsight knows.
void add_excess(std::vector<Measurement>& measurements) {
    Real best = kInfinity;
    for (const Measurement& row : measurements) {
        if (row.figure == kLoss && row.method.starts_with("fixed ")) best = std::min(best, row.value);
    }
    std::vector<Measurement> excess;
    for (const Measurement& row : measurements) {
        if (row.figure != kLoss) continue;
        excess.push_back({row.stream, row.method, kExcess, row.seed, 100 * (row.value / best - 1)});
    }
    measurements.insert(measurements.end(), excess.begin(), excess.end());
}

StreamStudy configure(StudyPreset preset, Index seeds) {
    StreamStudy study;
    study.streams = basic_streams();
    study.streams.push_back({"drift and jumps", "drift,active=4,jump=400,period=1500"});
    study.streams.push_back({"season", "season,active=4,period=200"});
    study.rows = preset == StudyPreset::full ? 3000 : 400;
    study.seeds = seeds;
    study.max_steps = kMemberSteps;
    study.derive = add_excess;
    std::string windows;
    for (const Index window : bank_windows(preset)) {
        study.methods.push_back(
            {bank_name(window), fmt::format("time-smoothed:window={}", window), static_cast<Real>(window)});
        windows += fmt::format("{}{}", windows.empty() ? "" : "/", window);
    }
    for (const bool cross : {true, false}) {
        for (const std::string_view play : kPlays) {
            study.methods.push_back(
                {bank_name(play, cross), fmt::format("bank:windows={},also=none,selection={},cross={}",
                                                     windows, play, cross ? "yes" : "no")});
        }
    }
    study.methods.push_back({"bank with adagrad", fmt::format("bank:windows={}", windows)});
    study.methods.push_back({"adagrad 0.1", "adagrad:0.1"});
    study.methods.push_back({"adagrad 1", "adagrad:1"});
    return study;
}

/// The loss of the fixed windows against their length, the bank as a level.
Chart loss_chart(const StreamStudy& study, const ResultTable& table, StudyPreset preset) {
    return chart_by_stream(study, "The bank against every fixed window", {"window w", Scale::log2},
                           {"realised loss", Scale::log}, [&](const std::string& stream) {
                               std::vector<ChartSeries> series(3);
                               series[0].name = "fixed window";
                               for (const Index window : bank_windows(preset)) {
                                   series[0].points.push_back(point_of(table, stream, bank_name(window),
                                                                       static_cast<Real>(window), kLoss));
                               }
                               for (const bool cross : {true, false}) {
                                   ChartSeries& level = series[cross ? 1 : 2];
                                   level.name = bank_name("draw", cross);
                                   level.mark = Mark::level;
                                   level.points = {point_of(table, stream, level.name, 1, kLoss)};
                               }
                               return series;
                           });
}

/// Bars of a figure: streams across, plays side by side.
Chart bars(const StreamStudy& study, const ResultTable& table, const char* figure, const char* title,
           const char* y_label) {
    Chart chart;
    chart.title = title;
    chart.subtitle = stream_subtitle(study);
    Panel& panel = chart.panels.emplace_back();
    panel.y.label = y_label;
    for (const StudyStream& stream : study.streams) panel.categories.push_back(stream.name);
    for (const std::string_view play : kPlays) {
        ChartSeries& series = panel.series.emplace_back();
        series.name = play;
        series.mark = Mark::bar;
        for (Index i = 0; i < study.streams.size(); ++i) {
            series.points.push_back(
                point_of(table, study.streams[i].name, bank_name(play, true), static_cast<Real>(i), figure));
        }
    }
    return chart;
}

}  // namespace

StudyPlan plan_bank(StudyPreset preset, Index seeds) {
    const StreamStudy study = configure(preset, seeds);
    StudyPlan plan;
    plan.question = fmt::format(
        "What does not knowing the window cost? A bank of windows that chooses by realised loss, with and "
        "without cross-start and\nfor each way to play, against each of its windows alone. Excess: loss "
        "above "
        "that of the window which did best on the\nsame run, which only hindsight knows. Everybody may take "
        "{} "
        "inner steps a round.",
        kMemberSteps);
    plan.figures = {{kLoss, "realised loss f_t(x_t), mean over rounds"},
                    {kExcess, "excess over the best fixed window in hindsight, per cent"},
                    {kGradients, "record gradients a round"},
                    {kRegretOne, "residual of the newest loss alone, Reg_1/T", Better::neither}};
    plan.cells = stream_cells(study);
    plan.glossary = stream_glossary(study);
    plan.charts = [study, preset](const ResultTable& table) {
        return std::vector<NamedChart>{
            {"loss.svg", loss_chart(study, table, preset)},
            {"excess.svg", bars(study, table, kExcess, "Loss above the best fixed window in hindsight",
                                "excess, per cent")},
            {"gradients.svg", bars(study, table, kGradients, "What the bank costs, by way to play",
                                   "record gradients a round")}};
    };
    return plan;
}

}  // namespace proxstream
