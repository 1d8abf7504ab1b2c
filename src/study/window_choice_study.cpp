#include "proxstream/core/draw.hpp"

#include "study/plans.hpp"
#include "study/played_run.hpp"
#include "study/row_setting.hpp"
#include "study/slope.hpp"
#include "study/stream_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kPeriod = 12;
constexpr Index kCoordinates = 4;
constexpr Real kChoiceDelta = 0.02;
constexpr Real kChoiceNoise = 0.1;  // standard deviation
/// Rounds that are not scored: all windows are full then.
constexpr Round kWarmUp = 4 * kPeriod;
constexpr const char* kRelativeLoss = "relative_loss";  // over that at w = P, same seed
constexpr const char* kVariation = "variation";         // d_t = |grad f_t(x_t) - grad f_{t-w}(x_t)|

/// A record is a point c_t with noise, f_t(x) the robust distance from it: the mean over the coordinates of
/// log(1 + (x_i - c_{t,i} - noise)^2)/2.
struct ChoiceStream {
    const char* name;
    const char* formula;
    Real (*centre)(std::uint64_t seed, Round t, Index coordinate);
};

enum ChoicePurpose : std::uint32_t { kLevelDraw, kShiftDraw, kErrorDraw };

/// On a circle that is gone round in `turn` rounds.
Real circle(std::uint64_t seed, Round t, Round turn, Index coordinate) {
    const Real shift = uniform({.seed = seed, .record = kShiftDraw, .sample = coordinate});
    const Real share = static_cast<Real>(t % turn) / static_cast<Real>(turn);
    return std::sin(2 * std::numbers::pi * (share + shift));
}

constexpr std::array kChoiceStreams{
    // Like shifts or days of the week: a phase says nothing about the next one.
    ChoiceStream{"irregular season", "c_t = one of 12 points with normal coordinates, in turn",
                 [](std::uint64_t seed, Round t, Index i) {
                     return normal({.seed = seed, .round = t % kPeriod, .record = kLevelDraw, .sample = i});
                 }},
    // The last few losses say where the next one is.
    ChoiceStream{"smooth season", "c_{t,i} = 1.5 sin(2 pi t/12 + phase_i)",
                 [](std::uint64_t seed, Round t, Index i) { return 1.5 * circle(seed, t, kPeriod, i); }},
    ChoiceStream{"fast drift", "c_{t,i} = 3 sin(2 pi t/199 + phase_i)",
                 [](std::uint64_t seed, Round t, Index i) { return 3 * circle(seed, t, 199, i); }},
};

struct ChoiceSweep {
    std::vector<Index> windows;
    Round rounds;
};

ChoiceSweep choice_sweep(StudyPreset preset) {
    if (preset == StudyPreset::quick) return {{1, 3, 6, 9, 11, 12, 13, 18, 24}, 400};
    return {{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
             18, 20, 22, 23, 24, 25, 26, 28, 30, 33, 35, 36, 37, 39, 42, 45, 48},
            3000};
}

std::string method_name(Index window) {
    return fmt::format("w = {}", window);
}

std::string learner_text(Index window) {
    return fmt::format("time-smoothed:window={},model=previous,tolerance={}", window, kChoiceDelta);
}

void reveal(const ChoiceStream& stream, std::uint64_t seed, Round t, RowBlock& record) {
    record.clear();
    for (Index i = 0; i < kCoordinates; ++i) {
        std::array<Real, kCoordinates> row{};
        row[i] = 1;
        const Real error =
            kChoiceNoise * normal({.seed = seed, .round = t, .record = kErrorDraw, .sample = i});
        record.add_dense(row, stream.centre(seed, t, i) + error);
    }
}

/// What one window paid and promised over the scored rounds.
void run_window(const ChoiceStream& stream, Index window, Round rounds, std::uint64_t seed, StopFlag stop,
                CellResult& result) {
    const RowSetting setting{
        .loss = "cauchy", .reg = "zero", .features = kCoordinates, .step = 2, .smoothness = 0.25};
    const auto learner = make_learner(setting, learner_text(window), seed);
    RowBlock record;
    Real regret = 0;
    Real loss = 0;
    Real variation = 0;
    const PlayedRun run = play(
        *learner, rounds, stop,
        [&](Round t, ConstView /*x*/) -> const RowBlock& {
            reveal(stream, seed, t, record);
            return record;
        },
        [&](const RoundReport& report) {
            if (report.round <= kWarmUp) return;
            regret += report.entry_residual * report.entry_residual;
            loss += report.loss;
            variation += report.variation;
        });
    note_run(run, method_name(window), result);
    const auto add = [&](const char* figure, Real sum) {
        result.measurements.push_back(
            {stream.name, method_name(window), figure, seed, sum / static_cast<Real>(rounds - kWarmUp)});
    };
    const auto length = static_cast<Real>(window);
    add(kRegret, regret);
    add(kScaledRegret, length * length * regret);
    add(kVariation, variation);
    add(kLoss, loss);
}

/// Seeds have other levels: what a window does to the loss shows against the same seed's.
void add_relative_losses(std::vector<Measurement>& measurements) {
    Real season = 0;
    for (const Measurement& row : measurements) {
        if (row.figure == kLoss && row.method == method_name(kPeriod)) season = row.value;
    }
    std::vector<Measurement> relative;
    for (const Measurement& row : measurements) {
        if (row.figure != kLoss) continue;
        relative.push_back({row.stream, row.method, kRelativeLoss, row.seed, row.value / season});
    }
    measurements.insert(measurements.end(), relative.begin(), relative.end());
}

std::vector<StudyCell> choice_cells(const ChoiceSweep& sweep, Index seeds) {
    std::vector<StudyCell> cells;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const ChoiceStream& stream : kChoiceStreams) {
            cells.push_back(
                {fmt::format("{}, seed {}", stream.name, seed),
                 [&stream, sweep, seed](StopFlag stop, const std::function<void(Real)>& on_share) {
                     CellResult result;
                     Real done = 0;
                     for (const Index window : sweep.windows) {
                         run_window(stream, window, sweep.rounds, seed, stop, result);
                         on_share(++done / static_cast<Real>(sweep.windows.size()));
                     }
                     add_relative_losses(result.measurements);
                     return result;
                 }});
        }
    }
    return cells;
}

std::vector<ChartPoint> points(const ResultTable& table, const ChoiceSweep& sweep, const char* stream,
                               const char* figure) {
    std::vector<ChartPoint> line;
    for (const Index window : sweep.windows) {
        line.push_back(point_of(table, stream, method_name(window), static_cast<Real>(window), figure));
    }
    return line;
}

Chart chart_of(const ResultTable& table, const ChoiceSweep& sweep, const char* title, const char* figure,
               const Axis& y) {
    Chart chart;
    chart.title = title;
    chart.subtitle = fmt::format("period {}, delta = {}, T = {}", kPeriod, kChoiceDelta, sweep.rounds);
    for (const ChoiceStream& stream : kChoiceStreams) {
        Panel& panel = chart.panels.emplace_back();
        panel.title = stream.name;
        panel.x = {"window w"};
        panel.y = y;
        panel.series.push_back({figure, points(table, sweep, stream.name, figure)});
    }
    return chart;
}

/// A figure at one window over the same at another, seed by seed.
Estimate ratio(const ResultTable& table, const char* stream, const char* figure, Index above, Index below) {
    std::vector<Real> ratios;
    for (const Measurement& row : table.rows()) {
        if (row.stream != stream || row.figure != figure || row.method != method_name(above)) continue;
        for (const Measurement& other : table.rows()) {
            if (other.stream == stream && other.figure == figure && other.seed == row.seed &&
                other.method == method_name(below)) {
                ratios.push_back(row.value / other.value);
            }
        }
    }
    return estimate(ratios);
}

std::vector<Finding> choice_findings(const ResultTable& table, const ChoiceSweep& sweep) {
    std::vector<Finding> found;
    const auto compare = [&](const char* stream, const char* figure, const char* name, Index above,
                             Index below, Real low, Real high) {
        found.push_back({fmt::format("{}: {} at w = {} over that at w = {}", stream, name, above, below),
                         ratio(table, stream, figure, above, below), low, high});
    };
    for (const char* season : {"irregular season", "smooth season"}) {
        for (const Index beside : {kPeriod - 1, kPeriod + 1}) {
            compare(season, kVariation, "variation", kPeriod, beside, 0, 0.5);
            compare(season, kScaledRegret, "w^2 Reg", kPeriod, beside, 0, 0.25);
        }
    }
    // Where a phase says nothing about the next one, a whole season is what to learn from.
    compare("irregular season", kLoss, "loss", kPeriod, kPeriod - 1, 0, 0.97);
    compare("irregular season", kLoss, "loss", kPeriod, kPeriod + 1, 0, 0.999);
    // Where it does, the shortest window follows it, and the dip of the regret is no dip of the loss.
    compare("smooth season", kLoss, "loss", kPeriod, 1, 1.5, kInfinity);
    compare("smooth season", kLoss, "loss", kPeriod, kPeriod + 1, 1.05, kInfinity);
    const auto slope = [&](const char* figure) {
        return log_log_slope(points(table, sweep, "fast drift", figure));
    };
    found.push_back({"fast drift: slope of loss against w, log-log", slope(kLoss), 0.5, kInfinity});
    found.push_back({"fast drift: slope of Reg_w/T against w, log-log", slope(kRegret), -kInfinity, -0.5});
    return found;
}

}  // namespace

StudyPlan plan_window_choice(StudyPreset preset, Index seeds) {
    const ChoiceSweep sweep = choice_sweep(preset);
    StudyPlan plan;
    plan.question = fmt::format(
        "Which window, on streams with a season of {} rounds? With w = {} the loss that leaves is like the "
        "one "
        "that comes, so the\nvariation d_t and with it the regret dip. What was paid, f_t(x_t), is another "
        "matter: "
        "it dips where a phase says nothing about\nthe next, and not where the season is smooth. On a fast "
        "drift a window goes stale, while its regret falls all the same.",
        kPeriod, kPeriod);
    plan.figures = {{kLoss, "realised loss f_t(x_t)"},
                    {kVariation, "variation d_t", Better::neither},
                    {kScaledRegret, "w^2 Reg_w/T", Better::neither},
                    {kRegret, "Reg_w/T", Better::neither}};
    plan.cells = choice_cells(sweep, seeds);
    plan.charts = [sweep](const ResultTable& table) {
        return std::vector<NamedChart>{
            {"loss.svg", chart_of(table, sweep, "What was paid, over what w = 12 paid", kRelativeLoss,
                                  {"loss / loss at w = 12"})},
            {"variation.svg",
             chart_of(table, sweep, "Variation: what a new loss changes", kVariation, {"mean of d_t"})},
            {"regret.svg", chart_of(table, sweep, "Regret of the own window, times w^2", kScaledRegret,
                                    {"w^2 Reg_w / T"})}};
    };
    plan.findings = [sweep](const ResultTable& table) { return choice_findings(table, sweep); };
    for (const ChoiceStream& stream : kChoiceStreams) {
        plan.glossary.emplace_back(
            stream.name,
            fmt::format("{}; 4 coordinates, noise {}, cauchy loss, eta = 2", stream.formula, kChoiceNoise));
    }
    plan.glossary.emplace_back(method_name(kPeriod), learner_text(kPeriod));
    return plan;
}

}  // namespace proxstream
