#include "study/plans.hpp"
#include "study/real_streams.hpp"
#include "study/stream_study.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kStreamExcess = "excess_percent";  // over the best fixed window of the same run
constexpr const char* kCleanLoss = "clean_loss";
constexpr const char* kCleanExcess = "clean_excess_percent";
constexpr const char* kErrors = "error_percent";
constexpr const char* kSeconds = "seconds";
constexpr Index kQuickRows = 600;

bool is_fixed(const std::string& method) {
    return method.starts_with("fixed ");
}

/// How much worse than the best fixed window, which only hindsight knows.
void add_excess(const char* figure, const char* excess_figure, std::vector<Measurement>& measurements) {
    Real best = kInfinity;
    for (const Measurement& row : measurements) {
        if (row.figure == figure && is_fixed(row.method)) best = std::min(best, row.value);
    }
    std::vector<Measurement> excess;
    for (const Measurement& row : measurements) {
        if (row.figure != figure) continue;
        excess.push_back({row.stream, row.method, excess_figure, row.seed, 100 * (row.value / best - 1)});
    }
    measurements.insert(measurements.end(), excess.begin(), excess.end());
}

void add_figures(const RaceScore& score, const std::string& stream, const std::string& method,
                 std::uint64_t seed, CellResult& result) {
    const auto add = [&](const std::string& figure, Real value) {
        result.measurements.push_back({stream, method, figure, seed, value});
    };
    add(kLoss, score.loss);
    if (score.clean_loss) add(kCleanLoss, *score.clean_loss);
    if (score.error_share) add(kErrors, 100 * *score.error_share);
    add(kGradients, score.gradients);
    add(kSeconds, score.seconds);
    for (const auto& [knob, value] : score.chosen.knobs) add("chosen_" + knob, value);
    if (score.refused > 0) {
        result.notes.push_back(fmt::format("{}, {}: {} rounds were refused because a loss was not finite",
                                           stream, method, score.refused));
    }
    if (!score.complaint.empty())
        result.notes.push_back(fmt::format("{}, {}: {}", stream, method, score.complaint));
}

CellResult run_cell(const RealStream& stream, StudyPreset preset, std::uint64_t seed, StopFlag stop,
                    const std::function<void(Real)>& on_share) {
    LearnSettings settings = stream.settings;
    settings.seed = seed;
    const Race race(settings, preset == StudyPreset::full ? ~Index{0} : kQuickRows);
    const std::vector<Racer> all = real_racers(preset);
    Index work = 0;
    for (const Racer& racer : all) work += race.work(racer);

    CellResult result;
    Index before = 0;
    for (const Racer& racer : all) {
        const auto score = race.run(racer, stop, [&](Index rounds) {
            on_share(static_cast<Real>(before + rounds) / static_cast<Real>(work));
        });
        if (!score) {
            result.interrupted = true;
            return result;
        }
        before += race.work(racer);
        add_figures(*score, stream.name, racer.name, seed, result);
    }
    add_excess(kLoss, kStreamExcess, result.measurements);
    add_excess(kCleanLoss, kCleanExcess, result.measurements);
    return result;
}

/// The loss of the fixed windows against their length, the bank and two rivals as levels. Streams without the
/// figure have no panel.
Chart window_chart(const std::vector<RealStream>& streams, const ResultTable& table, StudyPreset preset,
                   const char* figure, const char* title) {
    Chart chart;
    chart.title = title;
    chart.subtitle = "mean of f_t(x_t) after the prefix on which rivals were tuned";
    for (const RealStream& stream : streams) {
        if (table.at(stream.name, kBank, figure).count == 0) continue;
        Panel& panel = chart.panels.emplace_back();
        panel.title = stream.name;
        panel.x = {"window w", Scale::log2};
        panel.y = {"realised loss", Scale::log};
        ChartSeries& line = panel.series.emplace_back();
        line.name = "fixed window";
        for (const Index window : fixed_windows(preset)) {
            line.points.push_back(
                point_of(table, stream.name, fixed_name(window), static_cast<Real>(window), figure));
        }
        for (const char* method : {kBank, "adagrad", "re-solve"}) {
            ChartSeries& level = panel.series.emplace_back();
            level.name = method;
            level.mark = Mark::level;
            level.points = {point_of(table, stream.name, method, 1, figure)};
        }
    }
    return chart;
}

/// What a better loss costs: the fixed windows as a line from short to long, every other method as a point.
Chart cost_chart(const std::vector<RealStream>& streams, const ResultTable& table, StudyPreset preset) {
    Chart chart;
    chart.title = "Real streams: loss and cost";
    chart.subtitle = "mean of f_t(x_t) against record gradients a round, after the prefix";
    for (const RealStream& stream : streams) {
        Panel& panel = chart.panels.emplace_back();
        panel.title = stream.name;
        panel.x = {"record gradients a round", Scale::log};
        panel.y = {"realised loss", Scale::log};
        ChartSeries& line = panel.series.emplace_back();
        line.name = "fixed windows";
        for (const Index window : fixed_windows(preset))
            line.points.push_back(point_of(table, stream.name, fixed_name(window), kGradients, kLoss));
        for (const std::string& method : table.methods()) {
            if (is_fixed(method)) continue;
            ChartSeries& series = panel.series.emplace_back();
            series.name = method;
            series.points = {point_of(table, stream.name, method, kGradients, kLoss)};
        }
    }
    return chart;
}

/// What to type to see a stream.
std::string command_of(const RealStream& stream) {
    const LearnSettings plain;
    std::string text = "proxstream compare " + stream.file;
    for (const auto& row : learn_options()) {
        if (row.name == "data" || present(row, stream.settings) == present(row, plain)) continue;
        const bool flag = std::holds_alternative<bool LearnSettings::*>(row.member);
        text += fmt::format(" --{}", row.name);
        if (!flag) text += " " + present(row, stream.settings);
    }
    return text;
}

}  // namespace

StudyPlan plan_streams(StudyPreset preset, Index seeds) {
    const std::vector<RealStream> streams = real_streams();
    StudyPlan plan;
    plan.check = [streams] { check_data(streams); };
    plan.question =
        "Real streams, predicted before they are learned from: the bank of windows (window auto) against "
        "every "
        "fixed window\nand against methods that are usual there. Steps, and the window of re-solve, are "
        "tuned on "
        "the first tenth of the stream\n(at most 2000 rounds) by realised loss; everybody is scored on the "
        "rest. "
        "Excess: loss above that of the best fixed window,\nwhich only hindsight knows and whose excess is "
        "0. "
        "Where 5 % of the labels carry gross errors, these errors are part of the\nloss; the clean loss "
        "leaves "
        "such rows out.";
    plan.figures = {{kLoss, "realised loss f_t(x_t), mean over rounds"},
                    {kStreamExcess, "excess over the best fixed window in hindsight, per cent"},
                    {kCleanLoss, "realised loss where the label was left alone"},
                    {kCleanExcess, "excess of that, per cent"},
                    {kErrors, "labels predicted wrongly, per cent"},
                    {kGradients, "record gradients a round"},
                    {kSeconds, "seconds for the whole stream"}};
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const RealStream& stream : streams) {
            plan.cells.push_back({fmt::format("{}, seed {}", stream.name, seed),
                                  [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                                      return run_cell(stream, preset, seed, stop, on_share);
                                  }});
        }
    }
    for (const RealStream& stream : streams) plan.glossary.emplace_back(stream.name, command_of(stream));
    for (const Racer& racer : real_racers(preset)) {
        std::string texts;
        for (const Candidate& candidate : racer.candidates)
            texts += (texts.empty() ? "" : "; ") + candidate.learner;
        plan.glossary.emplace_back(racer.name, (racer.candidates.size() > 1 ? "the best of " : "") + texts);
    }
    plan.charts = [streams, preset](const ResultTable& table) {
        return std::vector<NamedChart>{
            {"loss.svg", window_chart(streams, table, preset, kLoss,
                                      "Real streams: the bank against every fixed window")},
            {"clean.svg", window_chart(streams, table, preset, kCleanLoss,
                                       "Loss where the label was left alone, 5 % of the others corrupted")},
            {"cost.svg", cost_chart(streams, table, preset)}};
    };
    return plan;
}

}  // namespace proxstream
