/// The choice of the window on streams with a season.
#include "proxstream/core/draw.hpp"

#include "studies/learners.hpp"
#include "studies/plans.hpp"
#include "studies/row_streams.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Index kPeriod = 12;
constexpr Index kCoordinates = 4;
constexpr Real kPointNoise = 0.1;  // standard deviation
constexpr Real kChoiceDelta = 0.02;
constexpr const char* kRelativeLoss = "relative_loss";           // over that at w = 12, same seed
constexpr StudyFigure kVariation{"variation", "variation d_t"};  // |grad f_t(x_t) - grad f_{t-w}(x_t)|

/// A record is a point c_t with noise; f_t(x) is the robust distance from it, the mean over the coordinates
/// of log(1 + (x_i - c_{t,i} - noise)^2)/2.
struct PointStream {
    const char* name;
    const char* formula;
    Real (*centre)(std::uint64_t seed, Round t, Index coordinate);
};

enum PointDraw : std::uint32_t { kLevelDraw, kShiftDraw, kErrorDraw };

/// On a circle with a turn of `turn` rounds.
Real circle(std::uint64_t seed, Round t, Round turn, Index coordinate) {
    const Real shift = uniform({.seed = seed, .record = kShiftDraw, .sample = coordinate});
    const Real share = static_cast<Real>(t % turn) / static_cast<Real>(turn);
    return std::sin(2 * std::numbers::pi * (share + shift));
}

constexpr std::array kPointStreams{
    // Like shifts or days of the week: consecutive phases are unrelated.
    PointStream{"irregular season", "c_t = one of 12 points with normal coordinates, in turn",
                [](std::uint64_t seed, Round t, Index i) {
                    return normal({.seed = seed, .round = t % kPeriod, .record = kLevelDraw, .sample = i});
                }},
    // The last few losses predict the next one.
    PointStream{"smooth season", "c_{t,i} = 1.5 sin(2 pi t/12 + phase_i)",
                [](std::uint64_t seed, Round t, Index i) { return 1.5 * circle(seed, t, kPeriod, i); }},
    PointStream{"fast drift", "c_{t,i} = 3 sin(2 pi t/199 + phase_i)",
                [](std::uint64_t seed, Round t, Index i) { return 3 * circle(seed, t, 199, i); }},
};

void reveal(const PointStream& stream, std::uint64_t seed, Round t, RowBlock& record) {
    record.clear();
    for (Index i = 0; i < kCoordinates; ++i) {
        std::array<Real, kCoordinates> row{};
        row[i] = 1;
        const Real error =
            kPointNoise * normal({.seed = seed, .round = t, .record = kErrorDraw, .sample = i});
        record.add_dense(row, stream.centre(seed, t, i) + error);
    }
}

/// What one window paid over the scored rounds: those after all windows are full.
void run_window(const PointStream& stream, Round rounds, const Method& method, Cell& cell) {
    constexpr Round kWarmUp = 4 * kPeriod;
    const Setting setting{
        .loss = "cauchy", .start = std::vector<Real>(kCoordinates), .step = 2, .smoothness = 0.25};
    const auto learner = make_learner(setting, method.text, cell.seed);
    RowBlock record;
    Real regret = 0, loss = 0, variation = 0;
    play(
        *learner, rounds, cell,
        [&](Round t, ConstView /*x*/) -> const RowBlock& {
            reveal(stream, cell.seed, t, record);
            return record;
        },
        [&](const RoundReport& report) {
            if (report.round <= kWarmUp) return;
            regret += report.entry_gap * report.entry_gap;
            loss += report.loss;
            variation += report.variation;
        });
    const auto add = [&](const std::string& figure, Real sum) {
        cell.add(method.name, figure, sum / static_cast<Real>(rounds - kWarmUp));
    };
    add(kRegret, regret);
    add(kScaledRegret, method.x * method.x * regret);
    add(kVariation, variation);
    add(kLoss, loss);
}

/// Seeds have other levels: the effect of a window shows against the same seed's loss at w = 12.
void add_relative_losses(Cell& cell) {
    Real season = 0;
    const std::vector<Measurement> all = cell.results;
    for (const Measurement& row : all)
        if (row.figure == kLoss.key && row.method == "w = 12") season = row.value;
    for (const Measurement& row : all)
        if (row.figure == kLoss.key) cell.add(row.method, kRelativeLoss, row.value / season);
}

std::vector<Expectation> choice_expectations() {
    std::vector<Expectation> all;
    for (const char* season : {"irregular season", "smooth season"}) {
        for (const char* beside : {"w = 11", "w = 13"}) {
            all.push_back({Measure::value, season, "w = 12", kVariation, 0, 0.5, "", beside});
            all.push_back({Measure::value, season, "w = 12", kScaledRegret, 0, 0.25, "", beside});
        }
    }
    // With unrelated phases, a whole season is the best window. With a smooth season the shortest window is
    // best: the regret dips at a whole season, but the loss does not.
    const std::vector<Expectation> more{
        {Measure::value, "irregular season", "w = 12", kLoss, 0, 0.97, "", "w = 11"},
        {Measure::value, "irregular season", "w = 12", kLoss, 0, 0.999, "", "w = 13"},
        {Measure::value, "smooth season", "w = 12", kLoss, 1.5, kInfinity, "", "w = 1"},
        {Measure::value, "smooth season", "w = 12", kLoss, 1.05, kInfinity, "", "w = 13"},
        {Measure::slope, "fast drift", "windows", kLoss, 0.5},
        {Measure::slope, "fast drift", "windows", kRegret, -kInfinity, -0.5}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace

StudyPlan plan_window_choice(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    const Round rounds = full ? 3000 : 400;
    std::vector<Index> windows{1, 3, 6, 9, 11, 12, 13, 18, 24};
    if (full)
        windows = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17,
                   18, 20, 22, 23, 24, 25, 26, 28, 30, 33, 35, 36, 37, 39, 42, 45, 48};
    std::vector<Method> methods;
    for (const Index w : windows) {
        methods.push_back(
            {fmt::format("w = {}", w),
             fmt::format("time-smoothed:window={},model=previous,tolerance={}", w, kChoiceDelta), "windows",
             static_cast<Real>(w)});
    }
    StudyPlan plan;
    plan.question =
        "Which window, on streams with a season of 12 rounds? With w = 12 the loss that leaves is like the "
        "one that comes, so the\nvariation d_t and with it the regret dip. The loss f_t(x_t) dips where a "
        "phase says nothing about the next one, and not where\nthe season is smooth. On a fast drift a long "
        "window lags behind, while its regret falls all the same.";
    plan.subtitle = fmt::format("period 12, delta = {}, T = {}", kChoiceDelta, rounds);
    plan.figures = {kLoss, kVariation, {kScaledRegret.key, "w^2 Reg_w/T"}, kRegret};
    for (const PointStream& stream : kPointStreams) {
        plan.streams.push_back({.name = stream.name,
                                .text = fmt::format("{}; 4 coordinates, noise {}, cauchy loss, eta = 2",
                                                    stream.formula, kPointNoise),
                                .x = {"window w"},
                                .methods = methods,
                                .run =
                                    [&stream, rounds](Cell& cell) {
                                        for (const Method& method : cell.methods)
                                            run_window(stream, rounds, method, cell);
                                        add_relative_losses(cell);
                                    },
                                .together = true});
    }
    plan.charts = {{"loss.svg", "Loss over that of w = 12", {"loss / loss at w = 12"}, {{kRelativeLoss}}},
                   {"variation.svg", "Variation: what a new loss changes", {"mean of d_t"}, {{kVariation}}},
                   {"regret.svg", "Regret of the own window", {"w^2 Reg_w / T"}, {{kScaledRegret}}}};
    plan.expectations = choice_expectations();
    return plan;
}

}  // namespace proxstream
