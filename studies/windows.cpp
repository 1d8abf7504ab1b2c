/// Weights on the past, compared at equal effective length.
#include "studies/plans.hpp"
#include "studies/row_streams.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kSeason = 24;  // of the seasonal stream

/// A way to weight the past: its window and its forecast for a given effective length.
struct Family {
    const char* name;
    std::string (*window)(Index length);
    const char* model = "previous";
    bool seasonal = false;
};

std::string box(Index length) {
    return std::to_string(length);
}

/// A store of three lengths; the span is the one for which (1 - b^W)/(1 - b) is the length.
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
    return fmt::format("exp:{:.6f},length={}", high, 3 * length);
}

std::string triangle(Index length) {
    return fmt::format("triangle:{}", 2 * length - 1);
}

/// Runs from R/2 records to R, where 1/m averages to 2 ln 2 / R. The restarts themselves are not counted.
std::string running_mean(Index length) {
    const auto longest = static_cast<Index>(std::lround(2 * std::log(2.0) * static_cast<Real>(length)));
    return fmt::format("mean:{},keep={}", longest, longest / 2);
}

/// Seasonal lags have w_a = 1 however many they are. They get as many records as the others, and their exit
/// test.
std::string season(Index length) {
    return fmt::format("season:{},{}", kSeason, length);
}

constexpr std::array kFamilies{
    Family{"box", box},
    Family{"exp", exponential},
    Family{"triangle", triangle},
    Family{"running mean", running_mean},
    Family{"season", season, "mean", true},
    Family{"box (model mean)", box, "mean"},
    Family{"box (model zero)", box, "zero"},
    Family{"box (model season)", box, "(season:24)"},
};

RowMethod method(const Family& family, Index length) {
    constexpr Real kDelta = 0.5;  // fixed: windows of the same length have the same exit test
    const auto real_length = static_cast<Real>(length);
    const std::string learner =
        fmt::format("time-smoothed:window=({}),model={},tolerance={}", family.window(length), family.model,
                    family.seasonal ? kDelta / real_length : kDelta);
    return {{fmt::format("{} {}", family.name, length), learner, family.name, real_length},
            family.seasonal ? 0 : real_length};
}

}  // namespace

StudyPlan plan_windows(StudyPreset preset) {
    std::vector<RowMethod> methods;
    const bool full = preset == StudyPreset::full;
    for (const Family& family : kFamilies) {
        for (const Index length : full ? std::vector<Index>{4, 8, 16, 32, 64} : std::vector<Index>{8, 32})
            methods.push_back(method(family, length));
    }
    std::vector<RowPlan> rows = basic_rows(preset);
    rows.push_back({"season", fmt::format("season,active=4,period={}", kSeason), rows.front().rows});
    StudyPlan plan;
    plan.question =
        "Which weights on the past, at equal effective length w_a = 2/TV and equal exit test? A box, a "
        "truncated exponential, a triangle,\na running mean that restarts, seasonal lags, and the box again "
        "with other forecasts of the next loss. The number after a name\nis w_a. For seasonal lags, whose "
        "w_a is 1 and whose regret is not comparable, it is the number of records.";
    plan.figures = {
        kLoss, {kScaledRegret.key, "regret of the own window, w_a^2 Reg/T", Better::lower}, kGradients};
    for (const RowPlan& each : rows)
        plan.streams.push_back(row_stream(each, methods, {"effective length w_a", Scale::log2}));
    plan.charts = {
        {"loss.svg", "Realised loss by kind of window", {"realised loss", Scale::log}, {{kLoss}}},
        {"regret.svg", "Regret of the own window", {"w_a^2 Reg / T", Scale::log}, {{kScaledRegret}}},
        {"gradients.svg", "Record gradients a round", {"record gradients", Scale::log}, {{kGradients}}}};
    return plan;
}

}  // namespace proxstream
