#include "study/plans.hpp"
#include "study/stream_study.hpp"

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kSeason = 24;  // of the seasonal stream

/// Fixed, not automatic: the same exit test for windows of the same length.
constexpr Real kWindowsDelta = 0.5;

/// A way to weight the past: its learner for a given effective length.
struct Family {
    const char* name;
    std::string (*learner)(Index length);
    bool isolated = false;  // w_a = 1 whatever the number of its records: its regret is not comparable
};

std::string box_with(Index length, std::string_view model) {
    return fmt::format("time-smoothed:window={},model={},tolerance={}", length, model, kWindowsDelta);
}

/// As the paper has it.
std::string box(Index length) {
    return box_with(length, "previous");
}

/// A store of three lengths; the span is what makes (1 - b^W)/(1 - b) the length.
std::string exponential(Index length) {
    const auto wanted = static_cast<Real>(length);
    const auto store = static_cast<Real>(3 * length);
    const auto effective = [&](Real span) { return span * (1 - std::pow(1 - 1 / span, store)); };
    Real low = wanted;
    Real high = 2 * wanted;
    for (int i = 0; i < 60; ++i) {
        const Real middle = (low + high) / 2;
        (effective(middle) < wanted ? low : high) = middle;
    }
    return fmt::format("time-smoothed:window=(exp:{:.6f},length={}),model=previous,tolerance={}", high,
                       3 * length, kWindowsDelta);
}

std::string triangle(Index length) {
    return fmt::format("time-smoothed:window=(triangle:{}),model=previous,tolerance={}", 2 * length - 1,
                       kWindowsDelta);
}

/// Runs from R/2 records to R; 1/m averages to 2 ln 2 / R on the way. The restarts themselves are not
/// counted.
std::string running_mean(Index length) {
    const auto longest = static_cast<Index>(std::lround(2 * std::log(2.0) * static_cast<Real>(length)));
    return fmt::format("time-smoothed:window=(mean:{},keep={}),model=previous,tolerance={}", longest,
                       longest / 2, kWindowsDelta);
}

/// A season's window has w_a = 1 whatever it does, and has to be solved for the phase to come; it gets as
/// many records as the others, and their exit test.
std::string season(Index length) {
    return fmt::format("time-smoothed:window=(season:{},{}),model=mean,tolerance={}", kSeason, length,
                       kWindowsDelta / static_cast<Real>(length));
}

std::string box_mean(Index length) {
    return box_with(length, "mean");
}

std::string box_zero(Index length) {
    return box_with(length, "zero");
}

std::string box_season(Index length) {
    return box_with(length, fmt::format("(season:{})", kSeason));
}

constexpr std::array kFamilies{
    Family{"box", box},
    Family{"exp", exponential},
    Family{"triangle", triangle},
    Family{"running mean", running_mean},
    Family{"season", season, true},
    Family{"box (model mean)", box_mean},
    Family{"box (model zero)", box_zero},
    Family{"box (model season)", box_season},
};

std::string method_name(const Family& family, Index length) {
    return fmt::format("{} {}", family.name, length);
}

std::vector<Index> lengths(StudyPreset preset) {
    return preset == StudyPreset::full ? std::vector<Index>{4, 8, 16, 32, 64} : std::vector<Index>{8, 32};
}

StreamStudy configure_windows(StudyPreset preset, Index seeds) {
    StreamStudy study;
    study.streams = basic_streams();
    study.streams.push_back({"season", fmt::format("season,active=4,period={}", kSeason)});
    study.rows = preset == StudyPreset::full ? 3000 : 400;
    study.seeds = seeds;
    for (const Family& family : kFamilies) {
        for (const Index length : lengths(preset)) {
            study.methods.push_back({method_name(family, length), family.learner(length),
                                     family.isolated ? 0 : static_cast<Real>(length)});
        }
    }
    return study;
}

/// A figure against the effective length, a line a family.
Chart against_length(const StreamStudy& study, const ResultTable& table, StudyPreset preset,
                     const char* figure, const char* title, const Axis& y) {
    return chart_by_stream(
        study, title, {"effective length w_a", Scale::log2}, y, [&](const std::string& stream) {
            std::vector<ChartSeries> lines;
            for (const Family& family : kFamilies) {
                ChartSeries& line = lines.emplace_back();
                line.name = family.name;
                for (const Index length : lengths(preset)) {
                    line.points.push_back(point_of(table, stream, method_name(family, length),
                                                   static_cast<Real>(length), figure));
                }
            }
            return lines;
        });
}

}  // namespace

StudyPlan plan_windows(StudyPreset preset, Index seeds) {
    const StreamStudy study = configure_windows(preset, seeds);
    StudyPlan plan;
    plan.question =
        "Which weights on the past, at equal effective length w_a = 2/TV and equal exit test? A box, a "
        "truncated exponential, a triangle,\na running mean that restarts, seasonal lags, and the box again "
        "with other models of the loss to come. The number behind a\nname is w_a; of seasonal lags, whose "
        "w_a is 1 and whose regret is not comparable, the number of records.";
    plan.figures = {{kLoss, "realised loss f_t(x_t), mean over rounds"},
                    {kScaledRegret, "regret of the own window, w_a^2 Reg/T"},
                    {kGradients, "record gradients a round"}};
    plan.cells = stream_cells(study);
    plan.glossary = stream_glossary(study);
    plan.charts = [study, preset](const ResultTable& table) {
        return std::vector<NamedChart>{
            {"loss.svg", against_length(study, table, preset, kLoss, "Realised loss by kind of window",
                                        {"realised loss", Scale::log})},
            {"regret.svg",
             against_length(study, table, preset, kScaledRegret, "Regret of the own window by kind of window",
                            {"w_a^2 Reg / T", Scale::log})},
            {"gradients.svg",
             against_length(study, table, preset, kGradients, "Record gradients a round by kind of window",
                            {"record gradients a round", Scale::log})}};
    };
    return plan;
}

}  // namespace proxstream
